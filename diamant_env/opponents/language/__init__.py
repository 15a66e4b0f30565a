"""Players that read the state in words and answer in words, such as language models.

A decision is asked for by `rules_in_words`, `state_in_words` and `CHOICES`, and `parse_answer` reads the answer. Each
text holds all that bears on the decision, so that no memory is needed; `TextAgent` puts them together.
"""

from diamant_env.opponents.language.text_agent import TextAgent, parse_answer
from diamant_env.opponents.language.words import AIMS, CHOICES, rules_in_words, state_in_words

__all__ = ["AIMS", "CHOICES", "TextAgent", "parse_answer", "rules_in_words", "state_in_words"]
