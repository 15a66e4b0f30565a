"""Agent given by a function from text to text, such as a language model."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from diamant_env.observation import Observations
from diamant_env.opponents.custom import NAMES_OBJECT, find_object
from diamant_env.opponents.language.words import AIMS, CHOICES, rules_in_words, state_in_words

PREFIX = "text:"
_LABELS = {"answer", "action", "decision", "choice", "final", "json", "boxed"}
_SHOWN = 60  # characters of an illegal answer in the second prompt


class TextAgent:
    """Agent that calls a function with the rules, the state and the choices in words for each decision.

    A legal answer has LEAVE or CONTINUE as its only word, in any case, see `parse_answer`. After an illegal answer the
    function is called once more with a correction; a second illegal answer counts as LEAVE.

    Args:
        function: Function from a self-contained prompt to an answer.
        name: The agent's ``str``.
        objective: Objective in the prompt, ``"win"`` or ``"score"``.

    Attributes:
        decisions: Number of decisions.
        retries: Number of decisions that took two calls.
        illegal: Number of decisions with two illegal answers.

    Raises:
        ValueError: If the function is not callable or the objective is unknown.
    """

    def __init__(self, function: Callable[[str], str], name: str, objective: str = "win") -> None:
        if not callable(function):
            raise ValueError(f"{name}: {function!r} is not a function from str to str")
        if objective not in AIMS:
            raise ValueError(f"{name}: objective={objective!r}; {' and '.join(AIMS)} are allowed")
        self.function, self.name, self.objective = function, name, objective
        self.seed(0)

    def __str__(self) -> str:
        return self.name

    def seed(self, seed: int) -> None:
        """Reset the counters; the agent draws no random numbers."""
        self.decisions = self.retries = self.illegal = 0

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        """See `Agent.act`; all probabilities are 0 or 1.

        Raises:
            ValueError: If a row that must decide has no edition, or the function fails or returns no text.
        """
        leave = np.zeros(len(first), np.float32)
        for edition, rows in obs.by_edition():
            rules = rules_in_words(edition, self.objective)
            for row in rows:
                state = state_in_words(Observations(obs.flat[row]), edition)
                leave[row] = self._decides_to_leave("\n\n".join([rules, state, CHOICES]))
        return leave

    def _decides_to_leave(self, text: str) -> bool:
        self.decisions += 1
        answer = self._ask(text)
        if (choice := parse_answer(answer)) is None:
            self.retries += 1
            given = answer if len(answer) <= _SHOWN else f"{answer[:_SHOWN]}..."
            choice = parse_answer(self._ask(f"{text}\n\nYou answered {given!r}, which is none of the two. {CHOICES}"))
        if choice is None:
            self.illegal += 1
        return choice is not False

    def _ask(self, text: str) -> str:
        try:
            answer = self.function(text)
        except Exception as error:
            raise ValueError(f"{self}: the function raised {error!r}") from error
        if not isinstance(answer, str):
            raise ValueError(f"{self}: the function returned {type(answer).__name__}; a text (str) is expected")
        return answer


def parse_answer(answer: str) -> bool | None:
    """Return True for LEAVE, False for CONTINUE, None for anything else.

    Marks, numbers and labels such as ``{"action": "LEAVE"}`` or ``**LEAVE**`` are ignored, and so is the text before
    ``</think>`` and outside ``<answer>…</answer>``.
    """
    text = re.split("</think(?:ing)?>", answer.lower())[-1]
    text = text.rpartition("<answer>")[2].partition("</answer>")[0]
    words = set(re.findall(r"[^\W\d_]+", text)) - _LABELS
    return words == {"leave"} if words in ({"leave"}, {"continue"}) else None


def load_text_agent(text: str) -> TextAgent:
    """Import and return the agent of ``text:[win|score:]module:object``.

    Raises:
        ValueError: If the text names no object, or the object is not callable.
    """
    rest = text.removeprefix(PREFIX)
    first, _, after = rest.partition(":")
    objective, named = (first, after) if first in AIMS and ":" in after else ("win", rest)
    if not NAMES_OBJECT.fullmatch(named):
        raise ValueError(f"{text!r} names no function; write {PREFIX}module:object or {PREFIX}score:module:object")
    return TextAgent(find_object(named, f"agent {text!r}"), text, objective)
