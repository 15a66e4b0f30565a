"""Custom editions: played as the oracle says, or refused with the reason."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diamant_env import Batch, Edition, find_edition, observation_space
from diamant_env.rewards import REWARDS
from tests.support.oracle import Oracle
from tests.support.play import BASE, INVENTED, PRINTED, PUBLISHED, every
from tests.support.side_by_side import SideBySide

ALL_KINDS = tuple("abcdefgh")
HIDDEN = Edition("hidden", (5, 6), ("mud", "wind"), relics=(3,), tie_break="relics", hidden_chests=True, expeditions=4)
REFUSED = [
    *(("treasures", wrong) for wrong in ((), (5, 0), tuple(range(1, 18)), (400, 400, 201), "123")),
    ("treasures", np.full(9, 127, np.int8)),  # NumPy's sums wrap around
    *(("traps", wrong) for wrong in ((*ALL_KINDS, "i"), ("mud", "mud", "wind"), ("mud", "relic of old", ""), "snake")),
    *(("relics", wrong) for wrong in ((5,) * 6, (5, -1), {5: 1})),
    *(("trap_copies", wrong) for wrong in (50, 1, 2.0)),
    *(("hidden_chests", wrong) for wrong in ("no", [], None, 2)),
    ("hidden_rivals", "no"),
    *(("tie_break", "dice"), ("expeditions", 0), ("expeditions", 16), ("bust_removes", 3)),
]


@pytest.mark.parametrize(("field", "value"), REFUSED)
def test_unplayable_edition_is_refused(field, value):
    with pytest.raises(ValueError, match="edition 'iello-2016' can't be played"):
        replace(BASE, **{field: value})


def test_deck_of_numpy_numbers_that_could_run_out_is_refused():
    with pytest.raises(ValueError, match="run out"):
        replace(BASE, traps=("mud",), trap_copies=np.uint8(3), bust_removes=2)


@every([*PUBLISHED, *INVENTED])
def test_cards_are_found_by_name(edition):
    for card, name in edition.card_names.items():
        assert card in edition.cards_named(name)
    for name in (6, 0, -1, 5.5, "bear", "", None, "relic 99"):
        if str(name) not in edition.card_names.values():
            with pytest.raises(ValueError, match="no card"):
                edition.cards_named(name)


def test_printed_relics_are_found_by_value_or_all():
    edition = replace(PRINTED, relics=(3, 8, 8))
    assert edition.cards_named("relic 8") == [25, 26]
    assert edition.cards_named("relic") == [24, 25, 26]
    assert BASE.cards_named("relic") == [24]
    assert BASE.cards_named("11") == BASE.cards_named(11) == [8]


# Variations: text, name, expeditions, hidden chests, hidden rivals.
VARIATIONS = [
    ("incan-gold/hidden_chests:0/expeditions:1", "incan-gold/expeditions:1/hidden_chests:0", 1, False, False),
    ("incan-gold/expeditions:5/hidden_chests:1", "incan-gold", 5, True, False),
    ("iello-2016/hidden_rivals:1", "iello-2016/hidden_rivals:1", 5, True, True),
    ("small-3/hidden_rivals:1/hidden_chests:1/expeditions:2", "small-3/expeditions:2/hidden_rivals:1", 2, True, True),
    ("box/1:2/box.toml/hidden_chests:1", "box/hidden_chests:1", 2, True, False),
    ("box/1:2/box.toml/expeditions:2", "box", 2, False, False),
]


@pytest.mark.parametrize(("text", "name", "expeditions", "hidden_chests", "hidden_rivals"), VARIATIONS)
def test_text_varies_an_edition(text, name, expeditions, hidden_chests, hidden_rivals, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Edition("box", (5, 7), ("mud", "wind"), expeditions=2).save("box/1:2/box.toml")
    edition = find_edition(text)
    assert (edition.name, edition.expeditions) == (name, expeditions)
    assert (edition.hidden_chests, edition.hidden_rivals) == (hidden_chests, hidden_rivals)
    if not name.startswith("box"):
        assert find_edition(name) == edition
    edition.save("varied.toml")
    assert find_edition("varied.toml") == edition


def test_open_chests_show_rivals():
    hidden = BASE.replace(hidden_rivals=True)
    assert hidden.replace(hidden_chests=False) == BASE
    assert hidden.replace(hidden_rivals=False) == BASE.replace(hidden_chests=True)


@pytest.mark.parametrize(
    "text",
    [
        "incan-gold/hidden_chests:2",
        "incan-gold/hidden_chests:True",
        "incan-gold/expeditions:0",
        "incan-gold/expeditions:16",
        "incan-gold/expeditions:1/expeditions:2",
        "incan-gold/relics:5",
        "incan-gold/",
        "incan-gold-/expeditions:1",
        "small-4/expeditions:9",  # the deck could run out
    ],
)
def test_wrong_variation_is_refused(text):
    with pytest.raises(ValueError, match=text.partition("/")[0]):
        find_edition(text)
    with pytest.raises(ValueError, match="name"):
        replace(BASE, name="iello-2016/expeditions:1")  # has five


# An edition is refused exactly if its deck could run out.


def can_run_out(edition: SimpleNamespace) -> bool:
    """Return whether some order of cards empties the deck inside an expedition."""
    oracle = Oracle(edition, 1)
    for _ in range(edition.expeditions):
        pairs = [trap for trap in edition.traps if oracle.deck.count(trap) > 1]
        if not pairs:
            while oracle.deck:
                oracle.reveal(oracle.deck[0])
            return oracle.expedition <= edition.expeditions and not oracle.over
        oracle.reveal(pairs[0])
        oracle.reveal(pairs[0])
    return False


FIELDS = st.fixed_dictionaries(
    {
        "treasures": st.lists(st.integers(1, 60), min_size=1, max_size=16).map(tuple),
        "traps": st.integers(1, 8).map(lambda kinds: ALL_KINDS[:kinds]),
        "trap_copies": st.integers(2, 5),
        "relics": st.lists(st.integers(0, 20), max_size=5).map(tuple),
        "relics_enter": st.sampled_from(["start", "expedition"]),
        "relic_values": st.sampled_from(["taken", "taken or lost", "printed"]),
        "expeditions": st.integers(1, 15),
        "bust_removes": st.integers(0, 2),
        "tie_break": st.sampled_from(["shared", "relics"]),
        "hidden_chests": st.booleans(),
        "hidden_rivals": st.booleans(),
    }
)


@given(FIELDS, st.sampled_from(list(REWARDS)), st.integers(0, 2**32))
@settings(max_examples=150)
def test_any_edition_equals_oracle_or_is_refused(fields, reward, seed):
    if can_run_out(SimpleNamespace(**fields)):
        with pytest.raises(ValueError, match="run out"):
            Edition("any", **fields)
        return
    batch = Batch(6, [2 if reward == "margin" else 1, 2, 3, 5, 7, 8], Edition("any", **fields), reward)
    SideBySide(batch, seed).play_to_the_end(np.random.default_rng(seed))
    assert all(observation_space().contains(row) for row in batch.state())
