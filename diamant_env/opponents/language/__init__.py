"""Text interface for language models.

A prompt consists of `rules_in_words`, `state_in_words` and `CHOICES`; `parse_answer` parses the reply; `TextAgent`
combines them. Each prompt is self-contained, so the model needs no memory.
"""

from diamant_env.opponents.language.text_agent import TextAgent, parse_answer
from diamant_env.opponents.language.words import AIMS, CHOICES, rules_in_words, state_in_words

__all__ = ["AIMS", "CHOICES", "TextAgent", "parse_answer", "rules_in_words", "state_in_words"]
