"""Judging of agents: quotas, seats, common random numbers, line-ups and the command."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from stable_baselines3 import PPO

from diamant_env import NUM_FEATURES, Batch
from diamant_env.commands import diamant
from diamant_env.engine.edition_numbers import numbers_of
from diamant_env.judging import evaluate
from diamant_env.judging.evaluation import compare, judge
from diamant_env.judging.games import Played, number_of_tables, play, seeds_for
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
from diamant_env.random_numbers import key_of_next_game
from diamant_env.rules import start_game
from diamant_env.sb3 import DiamantVecEnv

SOME = ("bag:8", "traps:3", "cards:6", "random:0.25", "ev:0.75")
FIELD = LineUp("some", SOME)
ALL_KINDS = [FIELD, *clone_line_ups(["bag:8"]), *intruder_line_ups(["bag:8"])]


def played(agents: tuple[str, ...], seating: list[list[int]], games: int) -> Played:
    return play(agents, np.array(seating), games, seeds_for(0, "test"))


# The games


def test_quotas_are_independent_of_game_length():
    run = played(("random:1", "traps:3"), [[0, 0, 0], [1, 1, 1], [0, 1, 1]] * 2, 100)
    assert run.quotas.tolist() == [17, 17, 17, 17, 16, 16]
    assert [key_of_next_game(key) for key in run.keys[:-6]] == run.keys[6:].tolist()  # next game at each table


class Leaves:
    """Leaves at once, so that each game has five turns; records `first`."""

    firsts: list = []  # noqa: RUF012 - shared by the copy that plays

    def act(self, obs, first):
        self.firsts.append(first.tolist())
        return np.ones(len(first), np.float32)


def test_first_marks_start_of_game():
    played((Leaves(), "random:1"), [[0, 1]], 3)
    assert Leaves.firsts == [[True], *[[False]] * 4] * 3


def test_results_equal_single_games():
    agents, seating = ("bag:8", "traps:3", "ev:0.75"), [[0, 1, 2], [2, 0, 1]]
    run = played(agents, seating, 12)
    for number, key in enumerate(run.keys):
        batch = Batch(1, 3, reward="win")
        batch.reset(seed=0)
        game, edition = batch.games.copy()[0], numbers_of(batch.editions[0])
        start_game(game, edition, 3, key)
        batch.set_states(np.array([game]))
        rewards = Table(batch, [make(text) for text in agents], [seating[number % 2]]).play_out()
        assert run.scores[number].tolist() == batch.games.chest[0, :3].tolist()
        assert run.shares[number].tolist() == rewards[0].tolist()


def test_same_seed_gives_same_distinct_games():
    seeds = seeds_for(3, "test")  # the same object twice
    first, again, other = (
        play(SOME, np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), 300, each) for each in (seeds, seeds, seeds_for(4, "test"))
    )
    assert len(np.unique(np.concatenate([first.keys, other.keys]))) == 600
    for name in ("keys", "shares", "scores"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    purposes = ((0, "a"), (0, "b"), (1, "a"), (0, "a", 1))
    assert len({tuple(seeds_for(*purpose).generate_state(4)) for purpose in purposes}) == 4


# Seats and line-ups


@pytest.mark.parametrize(("games", "players"), [(1, 4), (3, 4), (100, 3), (1000, 7), (100_000, 6)])
def test_judged_seat_rotates_evenly(games, players):
    seating = seat_with(np.ones((number_of_tables(games, players), players - 1), np.int64))
    seats = np.argmin(seating, axis=1)[np.arange(games) % len(seating)]
    counts = np.bincount(seats, minlength=players)
    assert counts.max() - counts.min() <= 1
    assert (np.sort(seating, axis=1)[:, :2] == [0, 1]).all()


def test_dealt_members_are_distinct_and_balanced():
    dealt = deal(1000, 3, 7, np.random.default_rng(1))
    assert all(len(set(row)) == 3 for row in dealt.tolist())
    counts = np.bincount(dealt.ravel())
    assert counts.max() - counts.min() <= 1
    assert len({tuple(row) for row in dealt.tolist()}) > 0.95 * 7 * 6 * 5
    assert np.ptp([np.bincount(dealt[:, seat]) for seat in range(3)]) < 80


def test_judged_agents_are_not_their_own_opponents():
    (asked,) = parse_line_ups("bag:8,traps:3,cards:6", "bag:8")
    assert "bag:8" in asked.rivals_of({"bag:8": "bag:8"}, 4)
    (result,) = judge("bag:8.0", [FIELD], 10)
    assert result.rivals == SOME[1:]
    results, _ = compare(["bag:8", "ev:0.75"], [FIELD], 10)
    assert [result.rivals for result in results] == [SOME[1:4]] * 2
    population = [Fixed(leave) for leave in (0.1, 0.2, 0.3, 0.4)]
    for judged in (population[0], ("mine", population[0])):
        (result,) = judge(judged, [LineUp("population", (*population[:2], ("c", population[2]), population[3]))], 10)
        assert result.rivals == ("Fixed", "c", "Fixed")


@pytest.mark.parametrize(
    "line_up",
    [
        lambda: LineUp("m", ("ev",), how="distinkt"),
        lambda: LineUp("m", ("ev", "bag"), how="clones"),
        lambda: LineUp("m", "ev"),
        lambda: evaluate("bag", LineUp("m", ("ev", "ev:0.75", "cards")), 8),
        lambda: evaluate("bag", LineUp("m", ("ev", "bag", "cards")), 8),
    ],
)
def test_invalid_line_up_is_refused(line_up):
    with pytest.raises(ValueError, match=r"rivals|distinkt|m:|m has"):
        line_up()


def test_agent_alone_fills_the_table():
    model, other = torch.nn.Linear(NUM_FEATURES, 2), torch.nn.Linear(NUM_FEATURES, 2)
    judged = evaluate(model, [other, ("mine", other), "bag", "ev", lambda obs: obs["bag"] >= 5], 20, players=3)
    assert [row.against for row in judged.results] == [
        *("2 × Linear #2", "2 × mine", "2 × bag:15", "2 × ev:0.75", "2 × <lambda>")
    ]
    assert {(row.measured, row.how) for row in judged.results} == {("Linear", "clones")}
    (alone,) = evaluate(model, other, 20, players=3).results
    assert alone == judged.results[0]
    (same,) = evaluate("bag:8", "ev", 200, players=8).results
    assert same.against == "7 × ev:0.75"


@pytest.mark.parametrize("agent", ["bag:8", lambda obs: obs["bag"] >= 8, ("champion", lambda obs: obs["bag"] >= 8)])
def test_copies_of_the_judged_agent_are_itself(agent):
    (row,) = evaluate(agent, "self", 40).results
    assert row.against == f"3 × {row.agent}"
    assert (row.win_share.mean, row.score.mean) == (0.25, row.rivals_score)


def test_text_and_object_are_one_agent_with_a_name():
    (row,) = evaluate("ev", ("ev", lambda obs: obs["bag"] >= 8), 12).results
    assert row.against == "3 × ev"
    with pytest.raises(ValueError, match="2 opponents"):
        DiamantVecEnv(1, 4, opponents=("ev", "bag:8"))
    assert len(DiamantVecEnv(1, 4, opponents=("ev", lambda obs: obs["bag"] >= 8)).table.agents) == 1


def test_line_ups_are_parsed():
    names = {text: [line_up.name for line_up in parse_line_ups(text, "bag:8")] for text in ("pool", "held-out")}
    assert names == {"pool": ["pool"], "held-out": ["held_out"]}
    many = ",".join(f"bag:{gems}" for gems in range(300))  # longer than a file's name can be
    assert parse_line_ups(many, "bag:8")[0].rivals == tuple(many.split(","))
    (listed,) = parse_line_ups("bag:9, bag-or-traps:12,3,mixture:8,16,continue", "bag:8")
    assert listed.rivals == ("bag:9", "bag-or-traps:12,3", "mixture:8,16", "continue")
    pool = pool_line_up("pool").rivals
    assert [line_up.rivals for line_up in parse_line_ups("intruder:pool", "x")] == [(member,) for member in pool]
    assert len(parse_line_ups("clones:pool", pool[0])) == len(pool) - 1
    paths = ["runs/a", "./b/policy.safetensors", "bag:18", "2024-run"]
    assert split_agents(",".join(paths)) == paths


KEPT = ("bag-or-traps:20,3", "ev-others-stay:0.2", "ev-others-stay:0.5", "follow:2,8", "follow:3,14", "oppose:11,2")
LEFT_OUT = ("catch-up:16,0.5", "catch-up:22,1")


@pytest.mark.parametrize("edition", ["incan-gold", "iello-2016/hidden_chests:1"])
def test_hidden_chests_leave_out_pool_members_that_need_them(edition):
    against = ["held-out", "clones:held-out", "intruder:held-out", "pool"]
    judged = evaluate("ev", against, 12, players=3, edition=edition)
    distinct, *others, pool = judged.results
    assert (distinct.rivals, distinct.left_out) == (KEPT, LEFT_OUT)
    alone = [(row.how, row.rivals) for row in others]
    assert alone == [(how, (name,)) for how in ("clones", "intruder") for name in KEPT]
    assert pool.left_out == ()
    assert str(judged).endswith(f"Left out of the pools, since they need open chests: {', '.join(LEFT_OUT)}.")


# Measures


def test_clone_and_intruder_line_ups_agree():
    (clones,) = judge("bag:8", clone_line_ups(["traps:3"]), 2000)
    (intruder,) = judge("traps:3", intruder_line_ups(["bag:8"]), 2000)
    assert (clones.measured, clones.against) == (intruder.measured, intruder.against) == ("bag:8", "3 × traps:3")
    assert abs(clones.win_share.mean - intruder.win_share.mean) < 6 * 0.5 / math.sqrt(2000)
    assert clones.win_share.mean > 0.5
    (alike,) = judge("bag:8", clone_line_ups(["bag:8"]), 60, players=3)  # every game is a tie
    assert alike.p_value == pytest.approx(1, abs=1e-4)
    assert alike.rivals_score == pytest.approx(alike.score.mean)


def test_better_agent_has_positive_difference_in_every_line_up():
    (good, bad, *_), differences = compare(["ev:0.75", "continue"], ALL_KINDS, 1000)
    assert good.win_share.low > good.fair == 0.25 > bad.win_share.high
    assert good.p_value < 1e-6
    assert good.score.mean > good.rivals_score > 0 == bad.score.mean
    assert all(difference.score.low > 0 for difference in differences)


def test_line_up_result_is_independent_of_other_line_ups():
    alone = judge("bag:9", [FIELD], 300, seed=7)
    among = judge("bag:9", [*clone_line_ups(["bag:8"]), FIELD], 300, seed=7)
    assert alone[0] == among[1]
    assert alone != judge("bag:9", [FIELD], 300, seed=8)


# The command


def test_evaluate_command(tmp_path, capsys):
    path = tmp_path / "judged.json"
    against = ["traps:3,cards:6,random:0.25,oppose", "intruder:continue"]
    words = ["--compare", "ev:0.75", "--against", *against, "--games", "400", "--out", str(path)]
    assert diamant.main(["evaluate", "bag:9", *words]) == 0
    text = capsys.readouterr().out
    for expected in ("3 of the 4 in traps", "3 × bag:9", "below", "0.250", "Holm", "less", "intruder"):
        assert expected in text
    content = json.loads(path.read_text())
    assert content["command"] == "diamant evaluate"
    assert content["arguments"]["games"] == 400
    assert content["arguments"]["out"] == str(path)
    assert {"python", "numpy", "numba"} <= set(content["versions"])
    assert [result["how"] for result in content["results"]] == ["distinct"] * 2 + ["intruder"] * 2
    assert content["differences"][0]["other"] == "ev:0.75"


class Fixed:
    """Agent of one probability."""

    def __init__(self, leave):
        self.leave = leave

    def act(self, obs, first):
        return np.full(len(first), self.leave, np.float32)


def test_saved_evaluation_names_its_game(tmp_path):
    evaluate("bag", "ev", games=8, edition="everdeck/hidden_chests:1", seed=np.int64(3)).save(tmp_path / "x.json")
    saved = json.loads((tmp_path / "x.json").read_text())
    assert (saved["edition"]["name"], saved["edition"]["hidden_chests"]) == ("everdeck/hidden_chests:1", True)
    assert saved["seed"] == 3


def test_object_is_one_of_distinct_rivals():
    fixed = Fixed(0.1)
    with pytest.raises(ValueError, match="x: Fixed is given twice"):
        evaluate("ev", LineUp("x", (fixed, fixed, Fixed(0.2))), games=8)


def test_figures_of_saved_policies_are_equal_with_every_instruction_set(tmp_path):
    PPO("MlpPolicy", DiamantVecEnv(2, 4), seed=0, device="cpu").save(tmp_path / "ppo.zip")
    figures = []
    for names in (("avx2", "AVX2", "Haswell"), ("default", "SSE4_2", "Nehalem")):
        kernels = zip(("ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS", "OPENBLAS_CORETYPE"), names, strict=True)
        words = [sys.executable, "-m", "diamant_env", "evaluate", "ppo.zip", "--compare", "champion", "--games", "1000"]
        words += ["--against", "held-out", "--out", "found.json"]
        subprocess.run(words, env={**os.environ, **dict(kernels)}, cwd=tmp_path, check=True, capture_output=True)
        rows = json.loads((tmp_path / "found.json").read_text())["results"]
        (tmp_path / "found.json").unlink()
        figures.append([row[figure]["mean"] for row in rows for figure in ("win_share", "score")])
    assert len(figures[0]) == 4
    assert figures[0] == pytest.approx(figures[1], abs=1e-6)
