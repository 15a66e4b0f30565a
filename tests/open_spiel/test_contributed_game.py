"""The game file for OpenSpiel in contrib/open_spiel: its own tests, its playthrough, and equality with this package."""

import importlib.util
import sys
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diamant_env import CONTINUE, LEAVE, Edition, Game
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP

pyspiel = pytest.importorskip("pyspiel")
from absl import flags  # noqa: E402
from open_spiel.python import games  # noqa: E402
from open_spiel.python.algorithms import generate_playthrough  # noqa: E402

FOLDER = Path(__file__).parents[2] / "contrib" / "open_spiel"
PAIRS = Edition("pairs", (3, 5), ("mud",), trap_copies=2, expeditions=1)
TWO_TRAPS = Edition("two traps", (8,), ("mud", "wind"), trap_copies=2, expeditions=1)
TWICE = Edition("twice", (7,), ("mud",), trap_copies=3, relics=(5, 5), relics_enter="expedition", expeditions=2)
FOUR = replace(TWICE, trap_copies=5, relics=(5, 5, 5, 10), expeditions=4)


def load_module(name: str):
    """Load a file of the folder as a module of `open_spiel.python.games`, where it will lie."""
    whole = f"{games.__name__}.{name}"
    if whole not in sys.modules:
        spec = importlib.util.spec_from_file_location(whole, FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[whole] = module
        spec.loader.exec_module(module)
        setattr(games, name, module)
    return sys.modules[whole]


load_module("incan_gold")


def load(edition: Edition, players: int):
    treasures = "".join(f"{gems};" for gems in edition.treasures)
    return pyspiel.load_game(
        f"python_incan_gold(players={players},treasures={treasures},hazards={len(edition.traps)},"
        f"hazard_copies={edition.trap_copies},artifacts={len(edition.relics)},expeditions={edition.expeditions})"
    )


def card_of(edition: Edition, name: str) -> int:
    """Return the card of this package with a name of the contributed game."""
    kind, _, number = name.partition(" ")
    if kind == "Treasure":
        return edition.treasure_slots.index(int(number))
    return FIRST_RELIC if kind == "Artifact" else FIRST_TRAP + int(number)


@pytest.mark.parametrize(("edition", "players"), [(PAIRS, 3), (TWO_TRAPS, 4), (TWICE, 2), (FOUR, 1)])
def test_same_tree(edition, players):
    met, todo = set(), [(load(edition, players).new_initial_state(), Game(players, edition))]
    while todo:
        theirs, ours = todo.pop()
        node = f"{theirs.current_player()}: {theirs}"
        if node in met:
            continue
        met.add(node)
        if theirs.is_chance_node():
            chances = dict(ours.chance_outcomes())
            for card, chance in theirs.chance_outcomes():
                after, same = theirs.child(card), ours.clone()
                code = card_of(edition, theirs.action_to_string(card))
                assert chances.pop(code) == chance
                same.reveal(code)
                todo.append((after, same))
            assert not chances
        elif theirs.is_terminal():
            assert ours.phase == "over"
            assert theirs.returns() == ours.returns("score").tolist()
        else:
            legal = [theirs.legal_actions(seat) for seat in range(players)]
            assert legal == [[CONTINUE, LEAVE] if decides else [CONTINUE] for decides in ours.must_decide]
            for actions in np.array(np.meshgrid(*legal)).reshape(players, -1).T.tolist():
                after, same = theirs.clone(), ours.clone()
                after.apply_actions(actions)
                same.decide(actions)
                todo.append((after, same))
    assert len(met) > 100


def test_own_tests():
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(load_module("incan_gold_test")).run(result)
    assert (result.failures, result.errors) == ([], [])
    assert result.testsRun > 5


def test_playthrough():
    flags.FLAGS.mark_as_parsed()
    written, again = generate_playthrough.replay(str(FOLDER / "python_incan_gold.txt"))
    assert written == again
