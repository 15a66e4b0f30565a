"""What the engine is measured against, and the commands that measure."""
