"""Text agents: prompts, parsing of answers, retries, errors."""

import re
import sys
from fractions import Fraction

import numpy as np
import pytest

from diamant_env import Batch, Observations
from diamant_env.advice.hint import observations_of
from diamant_env.commands import diamant
from diamant_env.editions import EDITIONS
from diamant_env.opponents import Table, TextAgent, make
from diamant_env.opponents.language.text_agent import parse_answer
from diamant_env.opponents.language.words import CHOICES, rules_in_words, state_in_words
from diamant_env.opponents.registry import names_object
from tests.support.play import BASE, PUBLISHED, Play, every, games

MODULE = """
def leave(text):
    return "leave"
def raises(text):
    raise TimeoutError("no answer\\nin 60 s")
def number(text):
    return 1
seven = 7
"""


def read(pattern: str, text: str) -> list[int]:
    """Return the numbers that a pattern captures."""
    return [int(number or 0) for number in re.search(pattern, text, re.MULTILINE).groups()]


def ev(text: str) -> str:
    """Decide as ``ev:0.75`` does, from the prompt alone."""
    inside, bag = read(r"^Inside: (\d) of \d players?, each with (\d+) gem", text)
    gems, relics = read(r"^On the path: (\d+) gems?(?:, \d relics? worth (\d+) )?", text)
    fatal = read(r"^Of these (\d+) would end", text)[0]
    treasures = re.findall(r"\d+", re.search(r"treasures (.+?);", text)[1])
    counted = bag + (1 if inside == 1 else Fraction(3, 4)) * (gems + relics)
    return "LEAVE" if fatal * counted >= sum(int(value) // inside for value in treasures) else " continue.\n"


class Script:
    """Cycles through these answers and records its prompts."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = answers, []

    def __call__(self, text: str) -> str:
        self.asked.append(text)
        return self.answers[(len(self.asked) - 1) % len(self.answers)]


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Write an importable module ``own_words``."""
    (tmp_path / "own_words.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("own_words", None)


def asked_at_the_start(agent: TextAgent, tables: int = 3) -> list[float]:
    """Return an agent's decisions at the first card of some games."""
    batch = Batch(tables, 2)
    return agent.act(Observations(batch.reset(seed=1)[:, 0], "iello-2016"), np.ones(tables, bool)).tolist()


@every(PUBLISHED)
def test_prompt_suffices_to_play_ev(edition):
    number, players = games(10), 4
    batch, reader = Batch(number, players, edition), TextAgent(ev, "reader")
    table = Table(batch, [reader], np.zeros((number, players), int))
    batch.reset(seed=players)
    known = Table(batch, [make("ev:0.75")], table.seating)
    decisions = []
    for turn in table.turns():
        expected, deciding = known.leave_probabilities(turn.observations), turn.observations[:, :, 0] > 0
        np.testing.assert_array_equal(turn.leave[deciding], expected[deciding])
        decisions += expected[deciding].tolist()
    assert 0.05 < np.mean(decisions) < 0.6
    assert (reader.retries, reader.illegal) == (0, 0)
    assert reader.decisions >= len(decisions)


def test_prompt_hides_hidden_chests():
    gold = EDITIONS["incan-gold"]
    play = Play([17, "relic", 5], players=3, edition=gold).leave(0).all_continue()
    prompt = state_in_words(Observations(observations_of(1, [play.game], gold)[0]), gold)
    assert (
        "Player 1 is inside. Their chest is hidden.\nPlayer 2 is in camp since card 1. Their chest is hidden." in prompt
    )
    assert ", 1 relic worth 5 to one who leaves alone; traps: none." in prompt
    taken = Play([17, "relic", 5], players=3, edition=gold).all_continue().leave(0)
    prompt = state_in_words(Observations(observations_of(1, [taken.game], gold)[0]), gold)
    assert "Player 2 is in camp since card 2. Their chest is hidden; relics taken: 1." in prompt
    assert "(1 relic taken so far by all players)" in prompt


@pytest.mark.parametrize(
    "answer",
    [
        *("LEAVE", "Leave.", "  leAVE \n", "LEAVE!", "**LEAVE**", "`LEAVE`", "Final answer: LEAVE", r"\boxed{LEAVE}"),
        *("<answer>LEAVE</answer>", "I continue?\n<ANSWER> LEAVE </ANSWER>", "<think>Continue? No.</think>\n\nLEAVE"),
        '```json\n{"action": "LEAVE"}\n```',
    ],
)
def test_answer_is_parsed(answer):
    assert parse_answer(answer) is True
    words = {"leave": "continue", "continue": "leave"}
    assert parse_answer(re.sub("leave|continue", lambda word: words[word[0]], answer.lower())) is False


@pytest.mark.parametrize(
    "answer", ["", "I LEAVE", "LEAVE CONTINUE", "<think>LEAVE", "<think>LEAVE</think>", "leaves", "cont\u0131nue", "1"]
)
def test_invalid_answer_is_none(answer):
    assert parse_answer(answer) is None


def test_invalid_answer_is_retried_once():
    script = Script("I would like to think. " * 9, "continue")
    agent = TextAgent(script, "second thoughts")
    assert asked_at_the_start(agent) == [0, 0, 0]
    assert (agent.decisions, agent.retries, agent.illegal) == (3, 3, 0)
    first, second = script.asked[:2]
    assert first.endswith(f"\n\n{CHOICES}")
    assert second.startswith(f"{first}\n\nYou answered 'I would like to think. ")
    assert second.endswith(f"...', which is none of the two. {CHOICES}")
    assert len(second) < len(first) + 200
    babbler = TextAgent(Script("well", "it depends"), "babbler")
    assert asked_at_the_start(babbler) == [1, 1, 1]
    assert (babbler.decisions, babbler.retries, babbler.illegal) == (3, 3, 3)
    named = make(("someone", babbler))
    assert (named.retries, named.illegal) == (3, 3)
    assert not hasattr(make(lambda obs: obs["bag"]), "retries")


def test_text_agent_by_name(own):
    for text, aim in (("text:own_words:leave", "to win"), ("text:score:own_words:leave", "as many gems")):
        agent = make(text)
        assert str(agent) == text
        assert asked_at_the_start(agent) == [1, 1, 1]
        assert aim in rules_in_words(BASE, agent.objective)
        assert names_object(text)
        assert names_object(f"search:4:search:{text}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("text:", "names no function; write text:module:object or text:score:module:object"),
        ("text:own_words:missing", "the module own_words has no missing"),
        ("text:own_words:seven", "text:own_words:seven: 7 is not a function from str to str"),
        ("text:own_words:raises", r"the function raised TimeoutError\('no answer\\nin 60 s'\)"),
        ("text:own_words:number", r"the function returned int; a text \(str\) is expected"),
    ],
)
def test_invalid_text_agent_is_one_line(own, capsys, text, message):
    assert diamant.main(["evaluate", text, "--against", "bag", "--players", "2", "--games", "2"]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.count("\n") == 1
    assert re.search(message, errors)
