"""Canonical network inputs against their definition, and the view of exact solutions."""

import numpy as np
import pytest

from diamant_env import Batch, Observations, exact, find_edition
from diamant_env.benchmark import TASKS
from diamant_env.observation import NUM_FEATURES, SLICES
from diamant_env.opponents.inputs import CANONICAL, EXACT_VIEW, INPUTS, ExactView, exact_view

canonical_inputs = INPUTS[CANONICAL]


def rows_of(players, hidden=False, games=60):
    """Return observations of seats that must decide, from random games."""
    random = np.random.default_rng(players)
    batch = Batch(games, players, find_edition("iello-2016-fr-relics").replace(hidden_chests=hidden))
    observations, rows = batch.reset(seed=players), []
    while not batch.over.all():
        flat = observations.reshape(-1, NUM_FEATURES)
        rows.append(flat[flat[:, 0] > 0])
        observations, _, _ = batch.step((random.random((games, players)) < 0.3).astype(np.int8))
    return np.concatenate(rows)


def expected(row):
    """Return the inputs of one row by definition, in gems and turns."""
    seen = Observations(row)
    present = np.flatnonzero(seen["rival_present"])
    chests, inside = seen["rival_chest"], seen["rival_inside"]
    order = sorted(
        present, key=lambda k: (-inside[k], -chests[k], -seen["rival_left_turn"][k], -seen["rival_relics"][k])
    )
    own, bag, path = seen["chest"], seen["bag"], seen["path_gems"]
    share = path // seen["num_inside"]
    alone, together = own + bag + path + seen["path_relic_value"], own + bag + share
    best_in = max((chests[k] for k in present if inside[k]), default=-np.inf)
    best_out = max((chests[k] for k in present if not inside[k]), default=-np.inf)
    best = max(best_in, best_out)
    later = [chests[k] + (bag + share) * inside[k] for k in present]
    leads = np.clip(
        [
            *(
                alone - best_out,
                together - best_out,
                own - best_in,
                own - best_in - bag - path - seen["path_relic_value"],
            ),
            *(alone - best, together - best, alone - best_in, together - best_in, own - best_out),
            together - best_in - bag,
        ],
        -12,
        12,
    )
    last = seen["expeditions_left"] == 0
    open_chests = seen["hidden_chests"] == 0
    return {
        "rivals": [
            [inside[k], chests[k] / 32, seen["rival_relics"][k] / 2, seen["rival_left_turn"][k] / 8] for k in order
        ],
        "differences": [(own - chests[k]) / 32 * open_chests for k in order],
        "leads": leads / 8 * open_chests,
        "last": leads / 8 * last * open_chests,
        "fine": np.clip(leads[:4], -3, 3) / 2 * last * open_chests,
        "ranks": np.array(
            [
                sum(chests[k] > alone for k in present),
                sum(chests[k] == alone for k in present),
                sum(chest > together for chest in later),
                sum(chest == together for chest in later),
            ]
        )
        / 4
        * open_chests,
        "shares": [path // 2 / 8, share / 8],
    }


@pytest.mark.parametrize("players", range(1, 9))
@pytest.mark.parametrize("hidden", [False, True])
def test_canonical_inputs_equal_definition(players, hidden):
    rows = rows_of(players, hidden)
    found = canonical_inputs(rows)
    assert found.shape == (len(rows), canonical_inputs.width)
    assert (np.abs(found) <= canonical_inputs.largest).all()
    np.testing.assert_array_equal(found[:, :3], rows[:, [SLICES[name].start for name in ("chest", "relics", "lead")]])
    np.testing.assert_array_equal(found[:, 31:81], rows[:, SLICES["num_players"].start : SLICES["traps_on_path"].stop])
    for row, numbers in zip(rows[:: max(1, len(rows) // 300)], found[:: max(1, len(rows) // 300)], strict=True):
        parts = expected(row)
        rivals = numbers[3:31].reshape(7, 4)
        np.testing.assert_allclose(rivals[: players - 1], np.reshape(parts["rivals"], (-1, 4)), atol=1e-6)
        assert not rivals[players - 1 :].any()
        after = [*parts["differences"], *[0] * (8 - players), *parts["leads"], *parts["last"], *parts["fine"]]
        np.testing.assert_allclose(numbers[81:], [*after, *parts["ranks"], *parts["shares"]], atol=1e-6)


def test_exact_view_merges_chests_and_interchangeable_traps():
    """Equal for both players up to the sign of the lead, for other chests and for other kinds of trap."""
    rows = rows_of(2)
    rows = rows[rows[:, SLICES["num_inside"]].ravel() == 0.5]  # two, divided by 4
    others, kinds = rows.copy(), np.random.default_rng(1).permutation(5)
    others[:, SLICES["chest"]] += 3 / 32
    others[:, SLICES["rival_chest"].start] += 3 / 32
    for name in ("traps_left", "traps_on_path"):
        others[:, np.arange(5) + SLICES[name].start] = rows[:, kinds + SLICES[name].start]
    assert (exact_view(others) == exact_view(rows)).all()
    seen = Observations(exact_view(rows))
    assert (seen["chest"] - seen["rival_chest"][:, 0] == seen["lead"]).all()
    assert (np.minimum(seen["chest"], seen["rival_chest"][:, 0]) == 0).all()
    copies = seen["traps_left"] + seen["traps_on_path"]
    assert (np.diff(copies * 2 + seen["traps_on_path"]) <= 0).all()
    assert (INPUTS[EXACT_VIEW](others) == canonical_inputs(exact_view(rows))).all()


class FirstTrap:
    """Leaves at one kind of trap, not at the others, and earlier if the deck holds few of another."""

    def act(self, obs, episode_start):
        return np.maximum(obs["traps_on_path"][:, 0] * 0.7, obs["traps_left"][:, 2] < 3)


def test_ordered_traps_agent_is_invariant_to_merging():
    game = find_edition(TASKS["expedition-2"].edition)
    start, agent = exact.start_of_expedition(game, 1), ExactView(FirstTrap())
    values = []
    for merge in (True, False):
        tree = exact.build_tree(start, game, merge)
        found = exact.best_response(exact.policy_of(agent, tree), tree)
        values.append((found.value, found.profile_value))
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    apart = exact.best_response(exact.policy_of(FirstTrap(), tree), tree)
    assert apart.profile_value != pytest.approx(found.profile_value, abs=1e-3)  # the agent distinguishes them
