"""Search agent: text, roll-outs, budget."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from diamant_env import EDITIONS, Batch, Edition, Observations
from diamant_env.evaluation.evaluation import of_agent_0
from diamant_env.evaluation.games import play
from diamant_env.observation import NUM_FEATURES
from diamant_env.opponents import SeatedAgents, make_agent, search
from diamant_env.opponents.matchup import seat_learner
from diamant_env.opponents.network import NetworkAgent
from diamant_env.opponents.search import Budget, SearchAgent, parse_search_spec
from diamant_env.opponents.values import Values
from diamant_env.state import CONTINUE, LEAVE, OVER


def network_of(*sizes: int, scale: float = 1.0) -> NetworkAgent:
    """Return a random policy with random value networks for tables of these sizes."""
    random = np.random.default_rng(0)
    weights = random.normal(size=(2, NUM_FEATURES)).astype(np.float32) / 4
    values = {
        size: [(scale * random.normal(size=(1, 3 * size + 4)).astype(np.float32), np.zeros(1, np.float32))]
        for size in sizes
    }
    return NetworkAgent([(weights, np.array([1, -1], np.float32))], values=Values(values))


def searches(base: NetworkAgent) -> tuple[SearchAgent, SearchAgent]:
    """Return two equal searches, one with truncated and one with full roll-outs."""
    truncated, full = SearchAgent(base, Budget(), 7), SearchAgent(base, Budget(), 7)
    assert truncated.values is not None
    full.values = None
    return truncated, full


def deciding(players: int, edition: str | Edition = "iello-2016", games: int = 8, turns: int = 2) -> Batch:
    """Return games in which all seats have continued for some turns."""
    batch = Batch(games, players, edition)
    batch.reset(3)
    for _ in range(turns):
        batch.step(np.zeros((games, players), np.int8))
    return batch


@pytest.mark.parametrize(
    ("text", "budget", "base"),
    [
        ("search:ev", Budget(), "ev"),
        ("search:64:bag:15", Budget(rollouts=64), "bag:15"),
        ("search:score:solo-grab:7,13", Budget(objective="score"), "solo-grab:7,13"),
        ("search:4:margin:ev", Budget(4, objective="margin"), "ev"),
        ("search:256:0.5s:win:runs/mine", Budget(256, 0.5), "runs/mine"),
        ("search:2s:ev", Budget(1_000_000, 2.0), "ev"),
    ],
)
def test_text_gives_budget_objective_and_base(text, budget, base):
    assert parse_search_spec(text) == (budget, base)


def test_stateless_base_gets_deciding_rows_only():
    def base(obs):
        assert (obs["must_decide"] == 1).all()
        return obs["bag"] >= 9

    batch = Batch(8, 3)
    batch.reset(1)
    SeatedAgents(batch, [SearchAgent(make_agent(base), Budget(2))], np.zeros((8, 3), int)).play_out()


def test_gain_equals_bank_when_staying_busts():
    batch = deciding(1)
    obs = Observations(batch.observe()[:, 0], "iello-2016")
    agent = SearchAgent(make_agent("continue"), Budget(8, objective="score"))
    gain, error = agent.compare(obs.flat, "iello-2016")
    assert gain.tolist() == (obs["bag"] + obs["path_gems"] + obs["path_relic_value"]).tolist()
    assert error.tolist() == [0] * len(gain)
    assert agent.act(obs, np.zeros(len(gain), bool)).tolist() == (gain > 0).tolist()


def test_error_is_that_of_the_mean(monkeypatch):
    agent = SearchAgent(make_agent("bag"), Budget(2))
    outcomes = np.zeros((2, 2))
    outcomes[LEAVE] = [1, 4]
    monkeypatch.setattr(agent, "outcomes", lambda *_: outcomes)
    assert agent.compare(np.zeros((1, NUM_FEATURES), np.float32), "iello-2016") == (2.5, 1.5)


def test_time_budget_ends_search(monkeypatch):
    """The clock advances by 1 s per call; two tied seats search for 2.5 s each."""
    monkeypatch.setattr(search, "perf_counter", itertools.count().__next__)
    agent = SearchAgent(make_agent("continue"), Budget(1_000_000, seconds=2.5))  # no seat ever banks a gem
    agent.compare(deciding(1, games=2).observe()[:, 0], "iello-2016")
    assert agent.rollouts == 6 * 2 * 2 * 32


@pytest.mark.parametrize("base", [make_agent("random:0.2"), network_of(4)], ids=["full", "cut"])
def test_same_seed_gives_same_rollouts(base):
    seen = deciding(4, turns=1).observe()[:, 0]
    found = [SearchAgent(base, Budget(32), seed).compare(seen, "iello-2016")[0] for seed in (1, 1, 2)]
    assert found[0].tobytes() == found[1].tobytes() != found[2].tobytes()


def test_base_with_a_state_is_refused():
    for text in ("search:mixture", "search:search:ev"):
        with pytest.raises(ValueError, match="stateless"):
            make_agent(text)


def test_search_beats_its_base_agent():
    run = play(["search:16:bag:15", "bag:15"], seat_learner(40, 4) + 1, 40, np.random.SeedSequence(5))
    assert of_agent_0(run.shares).mean() > 0.5


def test_hidden_chests_are_refused():
    seen = Observations(Batch(2, 3, "incan-gold").reset(1)[:, 0], "incan-gold")
    with pytest.raises(ValueError, match="open chests"):
        make_agent("search:ev").act(seen, np.ones(2, bool))


@pytest.mark.parametrize("players", [3, 8])
def test_truncated_rollouts_equal_full_ones_in_last_expedition(players):
    batch = Batch(40, players)
    batch.reset(1)
    while (games := batch.games).expedition.min() < 5:
        batch.step(np.where((games.expedition < 5)[:, None], np.arange(players) % 3 > 0, 0).astype(np.int8))
    seen = batch.observe()[:, 0][games.phase != OVER]
    seen = seen[Observations(seen)["must_decide"] > 0]
    assert len(seen) >= 10
    truncated, full = searches(network_of(players))
    found = truncated.outcomes(seen, "iello-2016", 50)
    np.testing.assert_array_equal(found, full.outcomes(seen, "iello-2016", 50))
    assert len(np.unique(found)) > 2


def test_values_are_not_used_in_editions_of_which_they_know_nothing():
    seen = deciding(3).observe()[:, 0]
    own = replace(EDITIONS["iello-2016"], bust_removes=0)
    truncated, full = searches(network_of(3))
    np.testing.assert_array_equal(truncated.outcomes(seen, own, 20), full.outcomes(seen, own, 20))


def test_truncated_rollout_earns_bootstrap_value():
    """The values are fair shares, so the gain before the last expedition is exactly 0."""
    agent = SearchAgent(network_of(3, scale=0), Budget(64))
    gain, error = agent.compare(deciding(3).observe()[:, 0], "iello-2016")
    np.testing.assert_array_equal([gain, error], 0)
    assert agent.outcomes(deciding(3).observe()[:, 0], "iello-2016") == pytest.approx(1 / 3)
    varied = SearchAgent(network_of(3), Budget(64)).outcomes(deciding(3).observe()[:, 0], "iello-2016", 50)
    assert varied.std() > 0.01


def test_bootstrap_value_is_that_of_the_searching_seat():
    """Values of 1 for the richest: only a seat that leaves has gems, since the others stay until they bust."""
    stays = np.zeros((2, NUM_FEATURES), np.float32), np.array([10, -10], np.float32)
    richest = np.full((1, 13), 100, np.float32) * (np.arange(13) < 6), np.zeros(1, np.float32)
    agent = SearchAgent(NetworkAgent([stays], values=Values({3: [richest]})), Budget(64))
    seen = deciding(3).observe()[:, 0]
    earned = agent.outcomes(seen[Observations(seen)["bag"] > 0], "iello-2016", 4).reshape(2, -1)
    assert earned[LEAVE] == pytest.approx(1)
    assert earned[CONTINUE] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("logit", "pairs"), [(4, 0), (2, 64)])  # P(LEAVE) = 0.0003 and 0.02
def test_certain_decisions_are_not_searched(logit, pairs):
    layer = np.zeros((2, NUM_FEATURES), np.float32), np.array([logit, -logit], np.float32)
    batch = deciding(4, games=1, turns=1)
    agent = SearchAgent(NetworkAgent([layer], values=network_of(4).values), Budget(32))
    agent.act(Observations(batch.observe()[0], batch.editions[0]), np.zeros(4, bool))
    assert agent.rollouts == 4 * pairs
