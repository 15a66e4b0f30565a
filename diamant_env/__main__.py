"""Entry point of ``python -m diamant_env``, the command `diamant`."""

import sys

from diamant_env.commands.diamant import main

sys.exit(main())
