"""The command `diamant`; other programs use `diamant_env` itself."""
