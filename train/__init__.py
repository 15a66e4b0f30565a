"""What produces agents."""

import diamant_env  # noqa: F401 - first of all, so that Ctrl-C during the imports prints no traceback
