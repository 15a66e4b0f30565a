"""Edition parameters as records for compiled code."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence

import numpy as np

from diamant_env.compilation import uncompiled
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP, MAX_PLAYERS, MAX_TREASURES, Edition, find_edition
from diamant_env.rules import equal_share
from diamant_env.state import EDITION, EditionParams


def edition_params(edition: str | Edition) -> EditionParams:
    """Return the parameters of an edition, a read-only record of type `EDITION`."""
    return _parameters(find_edition(edition))[0]


def edition_params_array(editions: Sequence[Edition]) -> np.recarray:
    """Return the parameters of editions, records of type `EDITION` (E,)."""
    return np.concatenate([_parameters(edition) for edition in editions]).view(np.recarray)


@functools.cache
def _parameters(edition: Edition) -> np.ndarray:
    records = np.zeros(1, EDITION)
    numbers = records[0]
    copies = Counter(edition.treasures)
    numbers["treasure_value"] = edition.treasure_slots
    for players in range(1, MAX_PLAYERS + 1):
        numbers["share"][players] = [uncompiled(equal_share)(gems, players) for gems in edition.treasure_slots]
    numbers["cards"][:MAX_TREASURES] = [copies[value] for value in edition.treasure_slots]
    numbers["cards"][FIRST_TRAP : FIRST_TRAP + len(edition.traps)] = edition.trap_copies
    if edition.relics_enter == "start" and edition.relic_values == "printed":
        numbers["cards"][FIRST_RELIC : FIRST_RELIC + len(edition.relics)] = 1
    elif edition.relics_enter == "start":
        numbers["cards"][FIRST_RELIC] = len(edition.relics)
    numbers["relic_value"][: len(edition.relics)] = edition.relics
    numbers["num_relics"] = len(edition.relics)
    numbers["one_relic_per_expedition"] = edition.relics_enter == "expedition"
    numbers["relics_printed"] = edition.relic_values == "printed"
    numbers["lost_relics_count"] = edition.relic_values == "taken or lost"
    numbers["num_expeditions"] = edition.expeditions
    numbers["bust_removes"] = edition.bust_removes
    numbers["relics_break_ties"] = edition.tie_break == "relics"
    numbers["hidden_chests"] = edition.hidden_chests
    numbers["hidden_rivals"] = edition.hidden_rivals
    records.flags.writeable = False
    return records
