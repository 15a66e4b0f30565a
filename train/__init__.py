"""What produces and judges agents."""
