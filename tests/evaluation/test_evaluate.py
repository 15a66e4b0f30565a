"""Evaluation of agents: quotas, seats, common random numbers, opponents and the command."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from stable_baselines3 import PPO

from diamant_env import Batch
from diamant_env.commands import diamant
from diamant_env.engine.edition_params import edition_params
from diamant_env.evaluation import evaluate
from diamant_env.evaluation.games import Played, number_of_tables, play, seeds_for
from diamant_env.opponents import SeatedAgents, make_agent
from diamant_env.opponents.matchup import seat_around
from diamant_env.random_numbers import key_of_next_game
from diamant_env.rules import start_game
from diamant_env.sb3 import DiamantVecEnv

SOME = ["bag:8", "traps:3", "cards:6", "random:0.25", "ev:0.75"]


def played(agents: tuple[str, ...], seating: list[list[int]], games: int) -> Played:
    return play(agents, np.array(seating), games, seeds_for(0, "test"))


def test_quotas_are_independent_of_game_length():
    run = played(("random:1", "traps:3"), [[0, 0, 0], [1, 1, 1], [0, 1, 1]] * 2, 100)
    assert run.quotas.tolist() == [17, 17, 17, 17, 16, 16]
    assert [key_of_next_game(key) for key in run.keys[:-6]] == run.keys[6:].tolist()  # next game at each table


class Leaves:
    """Leaves at once, so that each game has five turns; records `first`."""

    firsts: list = []  # noqa: RUF012 - shared by the copy that plays

    def act(self, obs, episode_start):
        self.firsts.append(episode_start.tolist())
        return np.ones(len(episode_start), np.float32)


def test_first_marks_start_of_game():
    played((Leaves(), "random:1"), [[0, 1]], 3)
    assert Leaves.firsts == [[True], *[[False]] * 4] * 3


def test_results_equal_single_games():
    agents, seating = ("bag:8", "traps:3", "ev:0.75"), [[0, 1, 2], [2, 0, 1]]
    run = played(agents, seating, 12)
    for number, key in enumerate(run.keys):
        batch = Batch(1, 3, reward="win")
        batch.reset(seed=0)
        game, edition = batch.games.copy()[0], edition_params(batch.editions[0])
        start_game(game, edition, 3, key)
        batch.set_states(np.array([game]))
        rewards = SeatedAgents(batch, [make_agent(text) for text in agents], [seating[number % 2]]).play_out()
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


@pytest.mark.parametrize(("games", "players"), [(1, 4), (3, 4), (100, 3), (1000, 7), (100_000, 6)])
def test_evaluated_seat_rotates_evenly(games, players):
    tables = number_of_tables(games, players)
    seating = seat_around(np.arange(tables) % players, np.ones((tables, players - 1), np.int64), agent=0)
    counts = np.bincount(np.argmin(seating, axis=1)[np.arange(games) % tables], minlength=players)
    assert counts.max() - counts.min() <= 1
    assert (np.sort(seating, axis=1)[:, :2] == [0, 1]).all()


def test_evaluated_agents_are_not_drawn_from_the_pool(tmp_path):
    pool = tmp_path / "mine.toml"
    pool.write_text(f"agents = {SOME}")
    assert evaluate("bag:8.0", str(pool), 10).results[0].against == "3 of the 4 in mine"
    assert evaluate("bag:8", pool, 10, compare=["ev:0.75"]).results[1].against == "3 of the 3 in mine"
    with pytest.raises(ValueError, match="needed"):
        evaluate("bag:8", pool, 10, compare=["ev:0.75", "traps:3"])


@pytest.mark.parametrize("agent", ["bag:8", lambda obs: obs["bag"] >= 8, ("champion", lambda obs: obs["bag"] >= 8)])
def test_copies_of_the_evaluated_agent_are_itself(agent):
    (row,) = evaluate(agent, agent, 40).results
    assert row.against == f"3 × {row.agent}"
    assert (row.win_share.mean, row.score.mean) == (0.25, row.rivals_score)
    assert row.margin.mean == row.gain.mean == 0


@pytest.mark.parametrize("edition", ["incan-gold", "iello-2016/hidden_chests:1", "iello-2016/hidden_rivals:1"])
def test_members_that_need_open_chests_are_excluded(edition):
    found = evaluate("ev", "held-out", 12, players=3, edition=edition)
    assert found.results[0].against == "2 of the 6 in held_out"
    assert found.results[0].excluded == ("catch-up:16,0.5", "catch-up:22,1")
    assert "catch-up:22,1" in str(found)
    assert evaluate("ev", "pool", 12, players=3, edition=edition).results[0].excluded == ()


def test_invalid_arguments():
    for changes in ({"games": 0}, {"players": 1}, {"against": ["ev", "bag"]}, {"against": "pond"}, {"seed": -1}):
        with pytest.raises(ValueError, match=r"games|players|opponents|pond|seed"):
            evaluate("ev", **{"games": 8, **changes})


@pytest.mark.parametrize("players", [3, 5, 6, 7])
@pytest.mark.parametrize(("agent", "other", "share"), [("bag:1", "continue", 1), ("continue", "bag:1", 0)])
def test_agent_that_always_or_never_wins(agent, other, share, players):
    (row,) = evaluate(agent, other, 300, players=players).results
    assert row.win_share.mean == share
    assert row.margin.mean == pytest.approx(row.score.mean - row.rivals_score)
    assert (row.rivals_score, row.score.mean)[1 - share] == 0  # who never leaves has nothing
    gain = row.gain
    assert gain.mean == share - 1 / players
    ends = (gain.low, gain.high) if share else (gain.high, gain.low)
    assert abs(ends[0] - gain.mean) == pytest.approx(0.0127, abs=0.001)  # Wilson's, of 300 games
    assert ends[1] == pytest.approx(gain.mean)


def test_figures_are_means_over_the_games():
    found = evaluate("bag:8", "ev", 800, compare=["traps:3"], players=4)
    tables = number_of_tables(800, 4)
    seating = seat_around(np.arange(tables) % 4, np.ones((tables, 3), np.int64), agent=0)
    seeds = seeds_for(0, "judge", "copies of ev:0.75", 4).spawn(2)[1]
    own = np.arange(800), np.arange(800) % 4
    runs = [play([agent, "ev"], seating, 800, seeds) for agent in ("bag:8", "traps:3")]
    for row, run in zip(found.results, runs, strict=True):
        others = (run.scores.sum(axis=1) - run.scores[own]) / 3
        assert row.win_share.mean == pytest.approx(run.shares[own].mean())
        assert row.score.mean == pytest.approx(run.scores[own].mean())
        assert row.rivals_score == pytest.approx(others.mean())
        assert row.margin.mean == pytest.approx((run.scores[own] - others).mean())
    (less,) = found.differences
    assert less.score.mean == pytest.approx((runs[0].scores[own] - runs[1].scores[own].astype(float)).mean())
    assert less.win_share.mean == pytest.approx(found.results[0].gain.mean - found.results[1].gain.mean)


def test_simultaneous_intervals_are_wider():
    one, joint = (evaluate("bag:8", "ev", 400, compare=["ev", "traps:3"], simultaneous=each) for each in (False, True))
    for narrow, wide in zip([*one.results, *one.differences], [*joint.results, *joint.differences], strict=True):
        assert wide.score.mean == narrow.score.mean
        assert wide.score.low < narrow.score.low < narrow.score.high < wide.score.high


def test_agents_are_compared_in_the_same_games():
    found = evaluate("ev:0.75", SOME[:4], 1000, compare=["continue"])
    good, bad = found.results
    assert good == evaluate("ev:0.75", SOME[:4], 1000).results[0] != evaluate("ev:0.75", SOME[:4], 1000, seed=8)
    assert good.win_share.low > good.fair == 0.25 > bad.win_share.high
    assert good.p_value < 1e-6
    assert good.score.mean > good.rivals_score > 0 == bad.score.mean
    assert found.differences[0].score.low > 0


def test_evaluate_command(tmp_path, capsys):
    path = tmp_path / "found.json"
    words = ["--compare", "ev:0.75", "--against", "traps:3", "cards:6", "random:0.25", "oppose", "--games", "400"]
    words += ["--players", "3", "--seed", "3", "--edition", "everdeck/hidden_chests:1", "--out", str(path)]
    assert diamant.main(["evaluate", "bag:9", *words]) == 0
    text = capsys.readouterr().out
    for expected in ("2 of the 4 in traps", "below", "0.333", "Holm", "less"):
        assert expected in text
    content = json.loads(path.read_text())
    assert (content["edition"]["name"], content["seed"]) == ("everdeck/hidden_chests:1", 3)
    assert content["command"] == "diamant evaluate"
    assert (content["arguments"]["games"], content["arguments"]["out"]) == (400, str(path))
    assert {"python", "numpy", "numba"} <= set(content["versions"])
    assert [result["agent"] for result in content["results"]] == ["bag:9", "ev:0.75"]
    assert content["differences"][0]["other"] == "ev:0.75"


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
