"""Training and evaluation of agents."""

import sys
from importlib.util import find_spec

_LIBRARIES = "filelock matplotlib pydantic sb3_contrib scipy stable_baselines3 tensorboard tomli_w torch tyro"

if sys.argv[0] == "-m":  # python -m train.ppo, while Python looks for the command
    missing = [name for name in _LIBRARIES.split() if find_spec(name) is None]
    if missing:
        print(f'train needs {", ".join(missing)}: pip install -c constraints.txt -e ".[train]"', file=sys.stderr)
        sys.exit(2)
