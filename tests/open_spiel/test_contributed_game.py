"""The game file for OpenSpiel in contrib/open_spiel: its own tests, its playthrough, and equality with this package."""

from __future__ import annotations

import ast
import importlib.util
import sys
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diamant_env import CONTINUE, LEAVE, Edition, Game, exact
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP
from diamant_env.opponents import make
from tests.exact.test_exact import compiled_only

pyspiel = pytest.importorskip("pyspiel")
from absl import flags  # noqa: E402
from open_spiel.python import games  # noqa: E402
from open_spiel.python.algorithms import generate_playthrough  # noqa: E402

from tests.open_spiel.test_agreement import Cached, judged  # noqa: E402

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


def key_of(state) -> str:
    return f"{state.current_player()}: {state}"


def walk(edition: Edition, players: int) -> dict[str, np.ndarray]:
    """Assert that both games have the same tree; return the records of its nodes by `key_of`."""
    records, todo = {}, [(load(edition, players).new_initial_state(), Game(players, edition))]
    while todo:
        theirs, ours = todo.pop()
        if key_of(theirs) in records:
            continue
        records[key_of(theirs)] = np.array([ours.state])
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
    return records


@pytest.mark.parametrize(("edition", "players"), [(PAIRS, 3), (TWO_TRAPS, 4), (TWICE, 2), (FOUR, 1)])
def test_same_tree(edition, players):
    assert len(walk(edition, players)) > 100


@compiled_only
@pytest.mark.parametrize(("edition", "players"), [(PAIRS, 2), (PAIRS, 3), (TWO_TRAPS, 2)])
def test_same_values_and_nash_conv(edition, players):
    game, records = load(edition, players), walk(edition, players)
    solution = exact.solve_equilibrium(players, edition, cache=False)
    tree = exact.build_tree(exact.start_of_expedition(edition, players), edition, merge_traps=False)
    response = exact.best_response(exact.policy_of(make("random:0.3"), tree), tree)

    def play(leave_at):
        def ask(state, player):
            if state.legal_actions(player) == [CONTINUE]:
                return {CONTINUE: 1.0}
            leave = leave_at(records[key_of(state)])
            return {CONTINUE: 1 - leave, LEAVE: leave}

        return judged(game, Cached(game, ask))

    values, gap = play(lambda record: float(solution.leave_probability(record)[0]))
    np.testing.assert_allclose(values, solution.value, rtol=0, atol=1e-12)
    assert abs(gap) < 1e-12
    values, gap = play(lambda record: float(np.float32(0.3)))
    np.testing.assert_allclose(values, response.profile_value, rtol=0, atol=1e-12)
    assert gap == pytest.approx(response.nash_conv, abs=1e-12)


def test_own_tests():
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(load_module("incan_gold_test")).run(result)
    assert (result.failures, result.errors) == ([], [])
    assert result.testsRun > 5


def test_playthrough():
    flags.FLAGS.mark_as_parsed()
    written, again = generate_playthrough.replay(str(FOLDER / "python_incan_gold.txt"))
    assert written == again


def test_game_file_is_short_and_self_contained():
    text = (FOLDER / "incan_gold.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in nodes}
    assert imported == {"enum", "typing", "numpy", "pyspiel"}
