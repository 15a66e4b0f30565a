"""Rendering as text: path, players, messages."""

from dataclasses import replace

import pytest

from diamant_env.drawing.narration import Narrator, distinct
from diamant_env.drawing.render_history import relics_gone
from diamant_env.drawing.text import render_text
from diamant_env.editions import FIRST_RELIC
from tests.support.play import BASE, Play

BACK = "Everyone is back in camp."


def shown(play: Play):
    """Return the arguments of the functions in `drawing`."""
    return play.position.state, play.edition, play.history


def render(play: Play) -> str:
    return render_text(*shown(play))


def rows(play: Play) -> list[list[str]]:
    """Return the words of the last three lines: the players' rows."""
    return [line.split() for line in render(play).splitlines()[-3:]]


def test_path_is_in_card_order():
    play = Play(["snake", 17, "relic", "lava pit"], 3).all_continue(3)
    assert "[SNAKE] - [17] - [RELIC] - [LAVA PIT]" in render(play)
    assert "2 gems, 1 relic worth 5" in render(play)
    game, edition, history = shown(play)
    history.path *= 6
    lines = render_text(game, edition, history).splitlines()
    path = lines[1 : next(number for number, line in enumerate(lines) if line.startswith("  lying"))]
    assert len(path) == 4
    assert max(map(len, path)) <= 78
    assert " ".join(map(str.strip, path)).count(" - [LAVA PIT]") == 6


@pytest.mark.parametrize(
    ("deck", "turns", "begin", "also", "lacking"),
    [
        (["snake"], "", "Expedition 1 of 5", f"{2 / 34:.1%} with the next card", BACK),
        (["snake", 17], "-", "Expedition 1 of 5, card 2", "[SNAKE] - [17]", BACK),
        (["snake", 17], "all", f"{BACK}\nExpedition 2", "[17]", "SNAKE"),
        (
            [11, 5, 5, 5, 5],
            "all " * 5,
            BACK,
            "The game is over: player_0, player_1 and player_2 share the victory with 7 gems each.",
            "[5]",
        ),
        ([5, 5, 5, 5, "snake", "snake"], "all " * 4 + "-", "A second snake!", "The game is over: ", BACK),
    ],
)
def test_messages_of_events(deck, turns, begin, also, lacking):
    play = Play(deck, 3).play(turns)
    picture = render(play)
    assert picture.startswith(begin)
    assert also in " ".join(picture.split())
    assert lacking not in picture
    assert [row[-2] for row in rows(play)] == [str(chest) for chest in play.chests]


@pytest.mark.parametrize(
    ("first", "turn", "led_to", "gain"),
    [
        (7, "-", "Everyone inside continues.", "1 gem into each bag, 3"),
        (7, "0", "ev leaves alone with 3 gems; you and bag continue.", "2 gems into each bag, 1"),
        (7, "01", "ev and you leave with 2 gems each; bag continues.", "5 gems into the bag, 1"),
        (
            "relic",
            "2",
            "bag leaves alone with 5 gems, 1 relic included; ev and you continue.",
            "2 gems into each bag, 1",
        ),
        (11, "all", f"ev, you and bag leave with 3 gems each. {BACK}", "1 gem into each bag, 2"),
    ],
)
def test_events_in_words(first, turn, led_to, gain):
    game, edition, history = shown(Play([first, 5, 5], 3).play(turn))
    told = Narrator(edition, ["ev", "you", "bag"], 1).headlines(game, history)
    assert told[0].replace("\N{NO-BREAK SPACE}", " ") == led_to
    assert told[1].replace("\N{NO-BREAK SPACE}", " ").endswith(f"Treasure 5: {gain} on the path.")


def test_relics_that_decide_a_tie_are_told():
    edition = replace(BASE, tie_break="relics", expeditions=1)
    game, edition, _ = shown(Play([4, "relic", 5], 2, edition).play("- 0 all"))
    assert game.chest[:2].tolist() == [7, 7]
    words = "The game is over: player_0 wins with 7 gems and the most relics."
    assert Narrator(edition).result(game).replace("\N{NO-BREAK SPACE}", " ") == words


def test_relics_from_before_a_restored_position_are_not_among_the_taken():
    assert relics_gone([FIRST_RELIC, FIRST_RELIC], 3) == []
    assert relics_gone([FIRST_RELIC, 0, FIRST_RELIC], 1) == [0]


def test_hidden_chests_are_hidden_until_the_end():
    play = Play([11, "relic", 5, 5, 5, 5, 5], 3, edition=BASE.replace(hidden_chests=True)).all_continue().leave(1)
    assert [row[-2:] for row in rows(play)] == [["?", "0"], ["?", "1"], ["?", "0"]]
    play.all_leave(5)
    assert play.over
    assert "?" not in render(play)


def test_numbered_names_differ_from_others():
    assert distinct(["mine", "mine", "mine 2", "ev"], "\xa0") == ["mine\xa01", "mine\xa03", "mine 2", "ev"]
    assert distinct(["ev", "ev"]) == ["ev #1", "ev #2"]
