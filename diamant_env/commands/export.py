"""Command ``diamant export ppo.zip mine.safetensors``."""

from __future__ import annotations

from collections.abc import Sequence

from diamant_env.commands.terminal import in_folder, new_parser, say
from diamant_env.opponents import make
from diamant_env.opponents.models.export import to_network

COMMAND = "diamant export"
_ABOUT = """\
Export a model of stable-baselines3 or torch as a policy file with the same
probabilities, which loads without torch and without executing code.

  diamant export ppo.zip mine.safetensors
  diamant evaluate mine.safetensors search:mine.safetensors"""


def run(argv: Sequence[str]) -> int:
    """Run the subcommand and return the exit status."""
    parser = new_parser(COMMAND, _ABOUT, "")
    parser.add_argument("model", metavar="MODEL", help="such as ppo.zip, or module:object")
    parser.add_argument("file", type=in_folder, metavar="FILE.safetensors", help="where it is written")
    given = parser.parse_args(argv)
    if given.file.suffix != ".safetensors":
        raise ValueError(f"{given.file}: the name of a policy file ends in .safetensors")
    network = to_network(make(given.model))
    network.save(given.file, {"exported_from": given.model})
    shapes = " → ".join(str(len(weight)) for weight, _ in network.layers)
    say(f"wrote {given.file}: {shapes} → 2, {network.activation}")
    return 0
