"""Games turn by turn, and their records: a human-readable text format with verified replay.

`diamant_env.records.text` specifies the format. Reading a record replays its game through `diamant_env.Game` and
reports the line and reason of an error; writing verifies the text by reading it back.
"""

from diamant_env.records.log import DamagedRecord, GameLog, GameRecord
from diamant_env.records.session import GameSession

__all__ = ["DamagedRecord", "GameLog", "GameRecord", "GameSession"]
