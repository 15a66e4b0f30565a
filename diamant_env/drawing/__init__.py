"""What people look at: the table as text, as a picture or in a window."""
