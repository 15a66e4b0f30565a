"""Untrusted state records: refused, or played within array bounds; games rebuilt from observations."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from diamant_env import EDITIONS, GAME, Batch, Edition, Game, exact, from_observation
from diamant_env.editions import FIRST_TRAP
from diamant_env.observation import FIELDS, SLICES
from diamant_env.state import DECIDE, OVER

SMALL = Edition("small", (1, 5), ("mud", "wind"), expeditions=1)
PAIRS = Edition("pairs", (5,), ("mud", "wind"), 2, relics=(3,), expeditions=2, bust_removes=2)
FLAWS = {
    "num_players": [100],
    "edition": [1],
    "phase": [3, OVER],
    "expedition": [6],
    "turn": [-1, 100],
    "num_inside": [3],
    "deck_size": [35],
    "deck": [(18, -3), (0, 2)],
    "on_path": [(7, 1), (0, 2)],
    "bag": [-1, 137],
    "path_gems": [-1, 137],
    "path_relics": [-1, 2],
    "path_relic_value": [-1, 36],
    "relics_taken": [1],
    "relics": [(2, -5), (1, 1)],
    "chest": [(3, -1), (1, 172), (4, 1)],
    "inside": [(7, 1)],
    "left_turn": [(1, -3), (1, 1)],
    "decision": [(0, 2)],
    "banked": [(0, -1), (0, 172)],
    "last_card": [29, 21, 25],
    "bust_card": [3, -2],
}


def started():
    batch = Batch(3, 4, "iello-2016")
    batch.reset(3)
    return batch


def altered(games, name, value, game=2):
    games = games.copy()
    if isinstance(value, tuple):
        games[name][game, value[0]] = value[1]
    else:
        games[name][game] = value
    return games


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in FLAWS for value in FLAWS[name]])
def test_unplayable_record_is_refused(name, value):
    batch = started()
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match="game 2"):
        batch.set_states(altered(batch.games, name, value))
    assert batch.games.tobytes() == before


@pytest.mark.parametrize("edition", [*EDITIONS, PAIRS], ids=str)
def test_played_records_are_accepted(edition):
    """From the first card to the end, with values at their limits."""
    batch, game = Batch(40, np.arange(40) % 8 + 1, edition), Game(1, edition)
    batch.reset(0)
    while not batch.over.all():
        batch.play(np.random.default_rng(int(batch.games["turn"].sum())).random((40, 8)) < 0.2)
        batch.set_states(batch.games)
    assert batch.games["phase"].tolist() == [OVER] * 40
    while game.phase != "over":
        game.reveal(safe_cards(game)[0])
        game.decide([0 if safe_cards(game) else 1])
        game.restore(game.state)
    edition = game.edition
    assert game.returns()[0] == sum(edition.treasures) * edition.expeditions + sum(edition.relics)


def test_trap_cards_leave_by_kind():
    """With one card of each kind no expedition could end by a bust."""
    batch = Batch(1, 2, PAIRS)
    batch.reset(1)
    games = altered(batch.games, "expedition", 2, game=0)
    games["deck"][0, FIRST_TRAP : FIRST_TRAP + 2] = 1
    games["deck_size"] = games["deck"].sum(axis=1)
    with pytest.raises(ValueError, match="traps"):
        batch.set_states(games)


def safe_cards(game: Game) -> list[int]:
    """Return the cards in the deck that do not end the expedition."""
    fatal = FIRST_TRAP + np.flatnonzero(game.state["on_path"])
    return [card for card in np.flatnonzero(game.state["deck"]).tolist() if card not in fatal]


@pytest.mark.parametrize(
    ("edition", "changes"),
    [
        ("iello-2016", {"path_relics": 1}),  # five are in the deck
        ("iello-2016-fr-relics", {"deck": (24, 2)}),  # each printed relic once
        ("everdeck-relics", {"relics_taken": 5}),
        ("iello-2016-fr", {"path_relics": 1}),
        ("everdeck-relics", {"deck": (24, 2)}),  # one per expedition has entered
    ],
)
def test_relics_are_counted(edition, changes):
    """Those taken, on the path and in the deck are at most those that have entered."""
    batch = Batch(1, 2, edition)
    batch.reset(seed=1)
    games = batch.games
    for name, value in changes.items():
        games = altered(games, name, value, game=0)
    games["deck_size"] = games["deck"].sum(axis=1)
    with pytest.raises(ValueError, match=r"relics_taken|deck|path_relics"):
        batch.set_states(games)


@pytest.mark.parametrize("given", [np.zeros(3), np.zeros((3, 1), GAME), np.zeros(2, GAME), None, "games"])
def test_other_arrays_are_refused(given):
    with pytest.raises(ValueError, match="expected"):
        started().set_states(given)


def rows_of():
    """Return the first seats' observations of 20 tables after four turns."""
    batch = Batch(20, 4)
    rows = batch.reset(0)
    for turn in range(4):
        batch.step(np.random.default_rng(turn).random((20, 4)) < 0.2, rows)
    return rows[:, 0].copy()


KEYS = np.zeros(20, np.uint64)
ROWS = rows_of()
CROWD = ROWS.copy()
CROWD[:, SLICES["num_players"]] = 25
NOISE = np.random.default_rng(0).random(ROWS.shape, np.float32)
NOISE[:, SLICES["hidden_chests"]] = 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -1e30, 0.3, "half a unit more"])
def test_impossible_observation_is_refused(value):
    for field, end in product(FIELDS, (0, -1)):
        rows, place = ROWS.copy(), field.columns[end]
        rows[7, place] = rows[7, place] + 0.5 / field.scale if value == "half a unit more" else value
        with pytest.raises(ValueError, match=r"row 7|row 8|game 7 is no|hide"):
            from_observation(rows, KEYS, "iello-2016")


@pytest.mark.parametrize(
    ("rows", "keys"),
    [
        (ROWS[:2, :5], [1, 2]),
        *((ROWS[:1], wrong) for wrong in (5, [1, 2], [-1], [1.7])),
        (Batch(2, 3, "incan-gold").reset(1)[:, 0], [1, 2]),  # hidden chests
        (Batch(2, [3, 4]).reset(1)[:, 3], [1, 2]),  # an absent seat
        (CROWD, KEYS),
        (NOISE, KEYS),
    ],
)
def test_unrebuildable_rows_and_keys_are_refused(rows, keys):
    with pytest.raises(ValueError):  # noqa: PT011 - of several kinds
        from_observation(rows, keys)


def test_solvers_refuse_impossible_states():
    game = exact.start_of_expedition(EDITIONS["iello-2016-fr"], 2)
    game["deck"][18] = -1
    for solve in (lambda: exact.solve_equilibrium(game=game), lambda: exact.solve_single_player("iello-2016-fr", game)):
        with pytest.raises(ValueError, match="deck"):
            solve()
    on_path, solution = 2, exact.solve_single_player(SMALL)
    game = np.array([solution.start])
    game["phase"], game["on_path"][0, 7] = DECIDE, on_path  # a trap that the edition lacks
    game["deck"][0, 23] = -on_path
    game["deck_size"] -= on_path
    for wrong in (game, np.zeros((2, 3))):
        with pytest.raises(ValueError, match=r"state|expected"):
            solution.leave_probability(wrong)


RANDOM_RECORDS = """
import numpy as np
from diamant_env import GAME, NUM_FEATURES, Batch, Edition
TWO_LEAVE = Edition("two leave", (1, 5, 7, 11), ("a", "b", "c"), 2, relics=(3,), expeditions=3, bust_removes=2)
NAMES = [name for name in GAME.names if name not in ("key", "edition", "num_players")]
refused = played = 0
for seed, edition in enumerate(["iello-2016-fr", "everdeck-relics", "incan-gold-2020", TWO_LEAVE]):
    random = np.random.default_rng(seed)
    batch = Batch(200, random.integers(1, 9, 200), edition, "win")
    batch.reset(seed)
    for _ in range(8):
        batch.play(random.random((200, batch.max_players)) < 0.15, auto_reset=True)
    records = batch.games.copy()
    for i in range(200):
        for name in random.choice(NAMES, random.integers(1, 4)):
            numbers = records[name].reshape(200, -1)[i]
            limits = np.iinfo(numbers.dtype)
            strange = random.choice((limits.min, limits.max, -1, 0, 1, 2, 8, 9, 16, 29, 100)).astype(numbers.dtype)
            numbers[random.integers(numbers.size)] = random.choice((strange, numbers[0] + 1, numbers[0] - 1))
    for i in range(200):
        one = Batch(1, batch.num_players[i], edition, "win")
        try:
            one.set_states(records[i : i + 1])
        except ValueError:
            refused += 1
            continue
        played += 1
        while not one.over[0]:
            one.step(random.random((1, one.max_players)) < 0.1)
        one.step(np.zeros((1, one.max_players), np.int8), auto_reset=True)
print(refused, played)
"""


def test_random_records_never_index_out_of_bounds():
    """NUMBA_BOUNDSCHECK=1 raises an IndexError at every index out of bounds."""
    cache = str(Path(os.environ["NUMBA_CACHE_DIR"]).with_name("cache-boundscheck"))
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": cache, "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-c", RANDOM_RECORDS]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    refused, played = map(int, done.stdout.split())
    assert min(refused, played) > 80  # both were tried
