"""Players that read the state in words and answer in words, such as language models."""
