"""Judging agents: quotas, seats, common random numbers, intervals, line-ups and the command."""

from __future__ import annotations

import io
import json
import math
import re
import subprocess
import sys
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from diamant_env import Batch, Observations
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.engine.turns import reveal_until_decision
from diamant_env.judging.evaluation import compare, judge
from diamant_env.judging.games import Played, number_of_tables, play, seeds_for
from diamant_env.judging.intervals import Estimate
from diamant_env.judging.lineups import (
    LineUp,
    clone_line_ups,
    deal,
    intruder_line_ups,
    parse_line_ups,
    pool_line_up,
    seat_with,
    split_agents,
)
from diamant_env.opponents import Table, make
from diamant_env.opponents.registry import DATA
from diamant_env.random_numbers import key_of_next_game
from diamant_env.rules import start_game
from train import evaluate
from train.runs.pictures import draw_win_shares
from train.runs.screen import say
from train.runs.tables import result_tables, save_results

SOME = ("bag:8", "traps:3", "cards:6", "random:0.25", "ev:0.75")
FIELD = LineUp("some", SOME)
ALWAYS_LEAVES = "random:1"


def played(agents: tuple[str, ...], seating: list[list[int]], games: int, seed: int = 0) -> Played:
    return play(agents, np.array(seating), games, seeds_for(seed, "test"))


def chains_of(run: Played) -> NDArray[np.bool_]:
    """Per game, whether its key follows from the key of the game before it at the same table."""
    tables = len(run.seating)
    follow = [key_of_next_game(key) for key in run.keys[:-tables]]
    return np.array(follow, np.uint64) == run.keys[tables:]


class Renamed:
    """An agent under another name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def act(self, obs: Observations, first: NDArray[np.bool_]) -> NDArray[np.float32]:
        return make("random:0.3").act(obs, first)

    def __str__(self) -> str:
        return self.name


# The games


def test_every_table_plays_its_first_games_whatever_their_length():
    """A table of leavers has 5 turns a game, one of those who stay about 30: both play the same number of games."""
    short_and_long = [[0, 0, 0], [1, 1, 1], [0, 1, 1]] * 2
    run = played((ALWAYS_LEAVES, "traps:3"), short_and_long, 100)
    assert run.quotas.tolist() == [17, 17, 17, 17, 16, 16]
    assert chains_of(run).all()


def test_results_are_those_of_games_played_one_by_one():
    agents, seating, games = ("bag:8", "traps:3", "ev:0.75"), np.array([[0, 1, 2], [2, 0, 1]]), 12
    run = play(agents, seating, games, seeds_for(5, "test"))
    for game in range(games):
        batch = Batch(1, 3, reward="win")
        observations = start(batch, run.keys[game])
        table = Table(batch, [make(text) for text in agents], seating[[game % 2]])
        actions = np.zeros((1, 3), np.int8)
        while not batch.over[0]:
            table.decide(observations, actions)
            observations, rewards, _ = batch.step(actions)
        assert run.scores[game].tolist() == batch.games.chest[0, :3].tolist()
        assert run.shares[game].tolist() == rewards[0].tolist()


def start(batch: Batch, key: np.uint64) -> NDArray[np.float32]:
    """Start the game with this key in a batch of one, and return what the seats see."""
    batch.reset(seed=0)
    game, edition = batch.games.copy()[0], numbers_of(batch.editions[0])
    start_game(game, edition, batch.seats, key)
    reveal_until_decision(game, edition)
    batch.restore(np.array([game]))
    return batch.observe()


@pytest.mark.parametrize("players", range(2, 9))
def test_win_shares_of_a_game_sum_to_one(players):
    agents = ("bag:8", "traps:3", "cards:6", "random:0.25", "ev:0.75", "continue", "bag:17", "cards:8")
    run = played(agents, deal(20, players, 8, np.random.default_rng(0)).tolist(), 200)
    np.testing.assert_allclose(run.shares.sum(axis=1), 1, atol=1e-6)
    best = run.scores.max(axis=1, keepdims=True)
    assert ((run.shares > 0) == (run.scores == best)).all()


def test_games_are_distinct_and_depend_on_the_seed_alone():
    seeds = seeds_for(3, "test")  # the same object twice
    first, again, other = (
        play(SOME, np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), 300, each) for each in (seeds, seeds, seeds_for(4, "test"))
    )
    assert len(np.unique(np.concatenate([first.keys, other.keys]))) == 600
    for name in ("keys", "shares", "scores"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))


def test_purposes_and_seeds_have_streams_of_their_own():
    states = [seeds_for(*what).generate_state(4).tolist() for what in ((0, "a"), (0, "b"), (1, "a"), (0, "a", 1))]
    assert all(one != other for one, other in pairwise(sorted(states)))


@pytest.mark.parametrize("text", ["mixture", "mixture:4,20"])
def test_an_object_with_a_memory_plays_as_its_text_does(text):
    agent = make(text, seed=5)
    asked = [judge(who, [FIELD], 200, seed=1) for who in (agent, agent, text)]
    assert asked[0] == asked[1] == asked[2]
    assert len(agent.thresholds) == 0


# Seats and line-ups


@pytest.mark.parametrize(("games", "players"), [(1, 4), (3, 4), (100, 3), (1000, 7), (100_000, 6)])
def test_the_seat_of_the_judged_agent_rotates_evenly(games, players):
    seating = seat_with(np.ones((number_of_tables(games, players), players - 1), np.int64))
    seats = np.argmin(seating, axis=1)[np.arange(games) % len(seating)]
    counts = np.bincount(seats, minlength=players)
    assert counts.max() - counts.min() <= 1
    assert (np.sort(seating, axis=1)[:, :2] == [0, 1]).all()


def test_dealt_members_are_distinct_and_seated_evenly_in_all_seats():
    dealt = deal(1000, 3, 7, np.random.default_rng(1))
    assert all(len(set(row)) == 3 for row in dealt.tolist())
    counts = np.bincount(dealt.ravel())
    assert counts.max() - counts.min() <= 1
    assert len({tuple(row) for row in dealt.tolist()}) > 0.95 * 7 * 6 * 5
    assert np.ptp([np.bincount(dealt[:, seat]) for seat in range(3)]) < 80


def test_all_seats_are_equal():
    """Identical agents that toss coins: each seat wins its fair share, within 4 standard errors."""
    run = played(("random:0.3",), [[0] * 4] * 100, 8000)
    errors = run.shares.std(axis=0) / math.sqrt(8000)
    assert (abs(run.shares.mean(axis=0) - 0.25) < 4 * errors).all()


def test_identical_agents_win_the_fair_share():
    (result,) = judge("random:0.3", parse_line_ups("self", "random:0.3"), 8000, seed=2, players=5)
    error = 0.4 / math.sqrt(8000)
    assert abs(result.win_share.mean - 0.2) < 4 * error
    assert result.fair == 0.2


def test_the_judged_agent_is_not_among_its_opponents_unless_asked():
    assert FIELD.rivals_of(["bag:8"], 4) == SOME[1:]
    (asked,) = parse_line_ups("bag:8,traps:3,cards:6", "bag:8")
    assert "bag:8" in asked.rivals_of(["bag:8"], 4)
    (result,) = judge("bag:8.0", [FIELD], 10)
    assert result.rivals == SOME[1:]


def test_compared_agents_have_the_same_opponents_and_neither_is_one():
    results, _ = compare(["bag:8", "ev:0.75"], [FIELD], 10)
    assert [result.rivals for result in results] == [SOME[1:4]] * 2


def test_line_ups_as_text():
    names = {text: [line_up.name for line_up in parse_line_ups(text, "bag:8")] for text in ("pool", "held-out", "self")}
    assert names == {"pool": ["pool"], "held-out": ["held_out"], "self": ["copies of bag:8"]}
    (listed,) = parse_line_ups("bag:9, bag-or-traps:12,3,mixture:8,16,continue", "bag:8")
    assert listed.rivals == ("bag:9", "bag-or-traps:12,3", "mixture:8,16", "continue")
    pool = pool_line_up("pool").rivals
    assert [line_up.rivals for line_up in parse_line_ups("intruder:pool", "x")] == [(member,) for member in pool]
    assert len(parse_line_ups("clones:pool", pool[0])) == len(pool) - 1


def test_a_pool_plays_the_same_games_however_it_is_spelt():
    spelt = ("held-out", "held_out", str(DATA / "held_out.toml"))
    one, *others = (judge("bag:9", parse_line_ups(text, "bag:9"), 40) for text in spelt)
    assert one[0].line_up == "held_out"
    assert others == [one, one]


def test_a_path_may_stand_in_a_list():
    texts = ["runs/a", "./b/policy.safetensors", "bag:18", "2024-run"]
    assert split_agents(",".join(texts)) == texts


# What is measured


def test_copies_and_intruders_tell_the_same_story():
    """The win shares of one against three are those of the three against the one."""
    (clones,) = judge("bag:8", clone_line_ups(["traps:3"]), 2000)
    (intruder,) = judge("traps:3", intruder_line_ups(["bag:8"]), 2000)
    assert (clones.measured, clones.against) == (intruder.measured, intruder.against) == ("bag:8", "3 × traps:3")
    spread = 0.5 / math.sqrt(2000)
    assert abs(clones.win_share.mean - intruder.win_share.mean) < 6 * spread
    assert clones.win_share.mean > 0.5


def test_an_agent_compared_with_itself_differs_in_no_game():
    """The same play under another name: the difference is 0 in every game, so its interval has no width."""
    line_ups = [FIELD, *clone_line_ups(["bag:8"]), *intruder_line_ups(["bag:8"])]
    results, differences = compare(["random:0.3", Renamed("renamed")], line_ups, 400)
    for difference in differences:
        assert difference.win_share == difference.score == Estimate(0, 0, 0)
    assert [result.agent for result in results] == ["random:0.3", "renamed"] * 3


def test_common_random_numbers_sharpen_a_comparison():
    results, (difference,) = compare(["bag:8", "bag:9"], clone_line_ups(["ev:0.75"]), 4000)
    alone = sum((result.score.high - result.score.low) ** 2 for result in results) ** 0.5
    assert difference.score.high - difference.score.low < 0.9 * alone
    means = [result.score.mean for result in results]
    assert difference.score.mean == pytest.approx(means[0] - means[1])


def test_a_difference_is_better_for_the_first_agent_in_every_line_up():
    line_ups = [FIELD, *clone_line_ups(["bag:8"]), *intruder_line_ups(["bag:8"])]
    _, differences = compare(["ev:0.75", "continue"], line_ups, 400)
    assert all(difference.score.low > 0 for difference in differences)


def test_the_difference_of_copies_is_that_of_their_means():
    """At a table with an intruder the copies are compared; what they get follows from what the intruder gets."""
    line_ups, players = [LineUp("intruder", ("bag:12",), "intruder")], 3
    (one, other), (difference,) = compare(["ev:0.75", "bag:8"], line_ups, 300, players=players)
    assert (difference.agent, difference.other, difference.games) == (one.agent, other.agent, 300)
    assert difference.score.mean == pytest.approx(one.rivals_score - other.rivals_score)
    shares = [(1 - result.win_share.mean) / (players - 1) for result in (one, other)]
    assert difference.win_share.mean == pytest.approx(shares[0] - shares[1])
    assert one.rivals_score != other.rivals_score


def test_a_line_up_gives_the_same_numbers_whatever_else_is_judged():
    alone = judge("bag:9", [FIELD], 300, seed=7)
    among = judge("bag:9", [*clone_line_ups(["bag:8"]), FIELD], 300, seed=7)
    assert alone[0] == among[1]
    assert alone != judge("bag:9", [FIELD], 300, seed=8)


def test_the_better_agent_wins_more():
    good, bad = compare(["ev:0.75", "continue"], [LineUp("few", SOME[:4])], 1000)[0]
    assert good.win_share.low > good.fair > bad.win_share.high
    assert good.p_value < 1e-6
    assert good.score.mean > good.rivals_score > 0 == bad.score.mean


# What is left behind


def test_results_survive_json(tmp_path):
    results, differences = compare(["bag:9", "bag:10"], [FIELD, *clone_line_ups(["bag:8"])], 40)
    save_results(results, differences, tmp_path / "results.json", arguments={"folder": tmp_path})
    content = json.loads((tmp_path / "results.json").read_text())
    assert content["results"] == json.loads(json.dumps([asdict(result) for result in results]))
    assert content["arguments"] == {"folder": str(tmp_path)}
    assert content["differences"][0]["other"] == "bag:10"
    assert {"python", "numpy", "numba"} <= set(content["versions"])
    (single,) = judge("bag:9", [FIELD], 1)
    save_results([single], [], tmp_path / "single.json")
    assert json.loads((tmp_path / "single.json").read_text())["results"][0]["win_share"]["low"] is None


def test_results_as_text_and_picture(tmp_path, capsys):
    results, differences = compare(["bag:9", "ev:0.75"], [FIELD, *intruder_line_ups(["continue"])], 400)
    say(*result_tables(results, differences))
    text = capsys.readouterr().out
    for expected in ("3 of 4 in some", "3 × bag:9", "below", "0.250", "Holm", "less", "intruder"):
        assert expected in text
    draw_win_shares(results, tmp_path / "picture.png")
    draw_win_shares(judge("bag:9", [FIELD], 1), tmp_path / "single.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_a_row_fits_on_a_line_of_80_columns():
    some = ["held-out", "clones:pool", "clones:held-out", "intruder:pool", "intruder:held-out"]
    line_ups = [line_up for text in some for line_up in parse_line_ups(text, "ev:0.75")]
    for agent in (make("ev:0.75"), Renamed("runs/an-experiment-of-a-long-name/of-today/seed-1")):
        results = judge(agent, line_ups, 60)
        console = Console(width=80, record=True, file=io.StringIO())
        console.print(*result_tables(results))
        lines = console.export_text().splitlines()
        header = next(place for place, line in enumerate(lines) if "─" in line)
        end = next(place for place, line in enumerate(lines) if line.startswith("A tie"))
        rows = [line for line in lines[header + 1 : end] if line.strip()]
        assert len(rows) == len(results)
        assert all(len(re.findall(r"\d ± \d", row)) == 2 for row in rows)


# The command


def test_the_command(tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    evaluate.main(["bag:9", "--against", "pool", "clones:bag:8", "--games", "40", "--out", str(folder)])
    assert "bag:9" in capsys.readouterr().out
    content = json.loads((folder / "results.json").read_text())
    assert content["arguments"]["games"] == 40
    assert content["arguments"]["seed"] == 0
    assert [result["line_up"] for result in content["results"]] == ["pool", "copies of bag:8"]
    assert (folder / "win_share.png").is_file()
    evaluate.main(["bag:9", "--against", "pool", "clones:bag:8", "--games", "40", "--out", str(folder)])
    again = json.loads((folder / "results.json").read_text())
    assert again["results"] == content["results"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bagg:18"], "unknown agent 'bagg:18'"),
        (["bag:18", "--compare", "bagg:18"], "unknown agent 'bagg:18'"),
        (["bag:18", "--compare", "bag:18"], "bag:18 is there twice"),
        (["bag:18", "--against", "nowhere"], "no such pool"),
        (["bag:18", "--against", "nowhere.toml"], "there is no file nowhere.toml"),
        (["bag:18", "--against", "bag:3,bag:3,bag:4"], "bag:3 is there twice"),
        (["bag:18", "--against", "bag:3,bag:4"], "needs 3 distinct opponents; bag:3,bag:4 has 2"),
        (
            ["bag:18", "--against", "clones:nobody"],
            "unknown agent 'nobody'; agents: random:probability (random:0.2); continue;",
        ),
        (["bag:18", "--players", "9"], "players=9; a whole number, 2 to 8"),
        (["bag:18", "--players", "1"], "players=1; a whole number, 2 to 8"),
        (["bag:18", "--games", "0"], "games=0; a whole number, 1 to 100000000"),
        (["bag:18", "--edition", "risk"], "unknown edition 'risk'"),
        (["bag:18", "--out", "/dev/null/x"], "can't write results into the folder /dev/null/x"),
        (["bag:18", "--games", "many"], "many"),
        ([], "AGENT"),
    ],
)
def test_a_wrong_argument_ends_with_one_clear_message(arguments, message, capsys):
    assert evaluate.main(arguments) == 2
    shown = capsys.readouterr()
    assert message in " ".join(shown.err.split())
    assert "Traceback" not in shown.err


def test_the_module_runs_as_a_command():
    command = [sys.executable, "-m", "train.evaluate", "bag:18", "--against", "bag:3,bag:4"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("python -m train.evaluate: error: a table of 4 needs 3 distinct opponents")
    assert len(done.stderr.splitlines()) == 1
