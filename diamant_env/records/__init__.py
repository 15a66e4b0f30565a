"""Games written down: a small text file that people can read, replayed to the same result.

`diamant_env.records.text` describes the text. Reading a record replays its game through `parallel_env`, so a damaged
one is refused with the line and the reason; writing reads back what it wrote.
"""

from diamant_env.records.log import DamagedRecord, GameLog, GameRecord

__all__ = ["DamagedRecord", "GameLog", "GameRecord"]
