"""Scripted and solved agents: decisions on hand-made observations, names."""

import copy
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from diamant_env.batch import Batch
from diamant_env.editions import EDITIONS, FIRST_RELIC, FIRST_TRAP
from diamant_env.observation import NUM_FEATURES, Observations
from diamant_env.opponents import FAMILIES, SOLVED, SeatedAgents, make_agent
from diamant_env.state import DECIDE

TEXTS = [str(family()) for family in FAMILIES.values()]
TABLES = [(edition, players) for edition in EDITIONS for players in range(1, 9)]


@pytest.fixture(scope="module")
def real_rows():
    """Return observations and `first` from the middle of games at tables of 1 to 8."""
    batch = Batch(400, 1 + np.arange(400) % 8)
    seated = SeatedAgents(batch, [make_agent("random:0.2")], np.zeros((400, 8), int))
    observations, actions = batch.reset(seed=0), np.zeros((400, 8), np.int8)
    for _ in range(6):
        batch.draw_decisions(seated.leave_probabilities(observations), actions)
        batch.step(actions, observations)
    flat = observations.reshape(-1, NUM_FEATURES)
    return flat, np.zeros(len(flat), bool)


@pytest.mark.parametrize("text", TEXTS)
def test_probability_depends_on_own_row_only(text, real_rows):
    flat, first = real_rows
    before, agent = flat.copy(), make_agent(text)
    answer = agent.act(Observations(flat), first)
    assert answer.shape == first.shape
    assert answer.dtype == np.float32
    assert ((answer >= 0) & (answer <= 1)).all()
    np.testing.assert_array_equal(flat, before)
    order = np.random.default_rng(0).permutation(len(first))
    if not text.startswith("mixture"):
        np.testing.assert_array_equal(agent.act(Observations(flat[order]), ~first), answer[order])
    blank = Observations(np.zeros((3, NUM_FEATURES), np.float32))
    with np.errstate(all="raise"):
        assert np.isfinite(agent.act(blank, np.ones(3, bool))).all()


@pytest.mark.parametrize(
    "text",
    [*TEXTS, "bag:7.5", "random:0.125", *SOLVED, "search:ev:0.75", "search:128:1s:ev:0.75", "search:0.00001s:ev:1"],
)
def test_agent_text_round_trips(text):
    assert str(make_agent(text)) == str(copy.deepcopy(make_agent(text))) == text


INVALID = [
    *("", ":3", "net.pt", "gone.safetensors", "equilibrium:x"),
    *("bag:many", "bag:1,2", "bag:-1", "bag:nan", "random:1.5", "mixture:9,8"),
    *("search:", "search:64:", "search:1:ev", "search:0s:ev", "search:bagg:18"),
]


@pytest.mark.parametrize("text", INVALID)
def test_invalid_agent_text_is_refused(text):
    with pytest.raises(ValueError, match=text.rpartition(":")[2] or "agent"):
        make_agent(text)
    with pytest.raises(ValueError, match="did you mean ev"):
        make_agent("evv:0.75")


@pytest.mark.parametrize(
    ("agent", "players", "edition"), [("single-player", 2, "iello-2016-fr"), ("equilibrium", 2, "incan-gold")]
)
def test_solved_agents_refuse_unsolved_tables(agent, players, edition):
    rows = Batch(1, players, edition).reset(seed=1)
    with pytest.raises(ValueError, match=r"tables|solved"):
        make_agent(agent).act(Observations(rows[0], edition), np.ones(players, bool))


def draws(agent, rows, first=True):
    agent.act(Observations(np.zeros((rows, NUM_FEATURES), np.float32)), np.full(rows, first))
    return agent.thresholds.copy()


def test_mixture_draws_one_threshold_per_game():
    agent = make_agent("mixture:5,8", seed=1)
    drawn = draws(agent, 4_000)
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [5, 6, 7, 8]
    assert counts.min() > 900
    np.testing.assert_array_equal(draws(make_agent("mixture:5,8", seed=1), 4_000), drawn)
    assert (draws(make_agent("mixture:5,8", seed=2), 4_000) != drawn).any()
    again = draws(agent, 4_000, np.arange(4_000) < 2_000)
    np.testing.assert_array_equal(again[2_000:], drawn[2_000:])
    assert (again[:2_000] != drawn[:2_000]).mean() > 0.5


# Decisions at ties: against fractions on the states of random games.


class State:
    """Information of a seat inside, in integers and fractions."""

    def __init__(self, game, seat, edition):
        copies = {value: int(game.deck[slot]) for slot, value in enumerate(edition.treasure_slots) if value}
        shared = sum(number * (value // int(game.num_inside)) for value, number in copies.items())
        fatal = sum(int(cards) for cards in game.deck[FIRST_TRAP:FIRST_RELIC][game.on_path == 1])
        cards = int(game.deck.sum())
        self.bust, self.share = Fraction(fatal, cards), Fraction(shared, cards)
        self.bag, self.gems, self.relics = (int(game[name]) for name in ("bag", "path_gems", "path_relic_value"))
        self.haul = self.bag + self.gems + self.relics
        self.inside, self.players = int(game.num_inside), int(game.num_players)
        self.gone = self.players - self.inside
        self.turn, self.traps = int(game.turn), int(game.on_path.sum())
        self.turns_left = edition.expeditions - int(game.expedition) + 1
        rivals = [int(chest) for other, chest in enumerate(game.chest[: self.players]) if other != seat]
        self.lead = int(game.chest[seat]) - max(rivals) if rivals else 0
        self.hidden = edition.hidden_chests


def expected_value(x, weight):
    counted = x.bag + (1 if x.inside == 1 else weight) * (x.gems + x.relics)
    return [(x.bust * counted, x.share)]


def others_stay(x, stay):
    now = later = path = Fraction(0)
    for staying in range(x.inside):
        leaving = x.inside - 1 - staying
        chance = comb(x.inside - 1, staying) * stay**staying * (1 - stay) ** leaving
        now += chance * (Fraction(x.gems, 1 + leaving) + (0 if leaving else x.relics))
        later += chance * x.share * x.inside / (1 + staying)
        path += 0 if leaving else chance
    return [(x.bag + now, (1 - x.bust) * (x.bag + path * now) + later)]


# Pairs (value, threshold) by family: LEAVE if the value of any pair reaches its threshold.
SIDES = {
    "cards": lambda x, cards: [(x.turn, cards)],
    "bag": lambda x, gems: [(x.bag, gems)],
    "traps": lambda x, traps: [(x.traps, traps)],
    "bag-or-traps": lambda x, gems, traps: [(x.bag, gems), (x.traps, traps)],
    "ev": expected_value,
    "ev-others-stay": others_stay,
    "solo-grab": lambda x, lying, gems: [(x.gems + x.relics, lying), (x.bag, gems)],
    "catch-up": lambda x, gems, push: [(x.haul, max(gems - push * x.lead / x.turns_left, 1))],
    "follow": lambda x, rivals, gems: [(x.gone, rivals), (x.haul, gems)],
    "oppose": lambda x, gems, more: [(x.haul, gems + more * x.gone)],
}


@pytest.fixture(scope="module")
def states():
    """Return states of random games of all editions and table sizes, with a seat's observation."""
    random = np.random.default_rng(0)
    tables = TABLES * 8
    names, players = zip(*tables, strict=True)
    batch = Batch(len(tables), np.array(players), list(names))
    observations, states, rows = batch.reset(seed=0), [], []
    for _ in range(11):
        games = batch.games
        for number in np.flatnonzero(games.phase == DECIDE):
            seat = int(random.choice(np.flatnonzero(games[number].inside)))
            states.append(State(games[number], seat, EDITIONS[names[number]]))
            rows.append(observations[number, seat].copy())
        leave = random.random((batch.num_games, batch.max_players)) < 0.15
        observations, _, _ = batch.step(np.where(games.inside[:, : batch.max_players] == 1, leave, 0), auto_reset=True)
    return states, np.array(rows)


NUMBERS = {
    "cards": "5",
    "bag": "12 8.5",
    "traps": "3",
    "bag-or-traps": "10,3",
    "ev": "0 0.1 0.75 1",
    "ev-others-stay": "0 0.2 0.9 1",
    "solo-grab": "7,13",
    "catch-up": "16,0.5 8.3,0.1",
    "follow": "2,10",
    "oppose": "6,3 7.6,0.7",
}


@pytest.mark.parametrize(("family", "numbers"), [(name, one) for name in NUMBERS for one in NUMBERS[name].split()])
def test_thresholds_are_exact_at_ties(family, numbers, states):
    states, rows = states
    shown = np.array([family != "catch-up" or not state.hidden for state in states])
    sides = [SIDES[family](x, *map(Fraction, numbers.split(","))) for x in np.array(states)[shown]]
    expected = [any(left >= right for left, right in pairs) for pairs in sides]
    answer = make_agent(f"{family}:{numbers}").act(Observations(rows[shown]), np.zeros(shown.sum(), bool))
    np.testing.assert_array_equal(answer, expected)
