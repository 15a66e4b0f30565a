"""What produces and judges agents."""

import agents  # noqa: F401 - first of all, so that Ctrl-C during the imports prints no traceback
