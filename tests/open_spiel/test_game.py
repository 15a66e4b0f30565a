"""OpenSpiel game: OpenSpiel's own tests, agents in both directions, invalid input."""

import json
import re
import unittest

import numpy as np
import pytest

from diamant_env import Edition
from diamant_env.editions import FIRST_RELIC, FIRST_TRAP
from diamant_env.evaluation import evaluate
from diamant_env.observation import NUM_FEATURES, Observations
from tests.support.play import text_of

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.integration_tests import api_test  # noqa: E402
from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import mcts  # noqa: E402
from open_spiel.python.tests import games_sim_test  # noqa: E402

import diamant_env.open_spiel as spiel  # noqa: E402

PAIRS = text_of(Edition("pairs", (3, 5), ("mud",), trap_copies=2, expeditions=1))
GAMES = {
    "default": "python_diamant",
    "hidden": "python_diamant(edition=incan-gold,players=4)",
    "open": "python_diamant(edition=incan-gold/expeditions:2/hidden_chests:0)",
    "win": "python_diamant(utility=win,recall=state)",
    "margin": "python_diamant(players=2,utility=margin,edition=iello-2016/hidden_rivals:1,recall=state)",
    "terminal": "python_diamant(players=8,edition=incan-gold-2020,terminal_rewards=True)",
    "alone": "python_diamant(players=1)",
    "turns": f"turn_based_simultaneous_game(game=python_diamant(players=2,edition={PAIRS}))",
}
# Chance, decision and terminal nodes of the whole tree of PAIRS, and its information states.
api_test.TOTAL_NUM_STATES["whole"], api_test.PERFECT_RECALL_NUM_STATES["whole"] = (82, 135, 116), 102


def cases() -> list[unittest.TestCase]:
    classes = [
        type(name, (api_test.EnforceAPIOnPartialTreeBase,), {"game_name": name, "game": pyspiel.load_game(text)})
        for name, text in GAMES.items()
    ]
    whole = {"game_name": "whole", "game": pyspiel.load_game(GAMES["turns"])}
    classes.append(type("whole", (api_test.EnforceAPIOnFullTreeBase,), whole))
    return [case for each in classes for case in unittest.defaultTestLoader.loadTestsFromTestCase(each)]


CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=[f"{type(case).__name__}-{case._testMethodName}" for case in CASES])
def test_open_spiel_api(case):
    type(case).setUpClass()
    case.debug()


@pytest.mark.parametrize("text", GAMES.values(), ids=GAMES)
def test_random_simulations(text):
    game = pyspiel.load_game(text)
    games_sim_test.GamesSimTest("test_efg_game").sim_game(game)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


def test_utilities_are_bounded_by_all_treasures_and_relics():
    """A single player who meets no trap in two expeditions reaches the bound of the score."""
    edition = text_of(Edition("four cards", (3, 5), ("mud",), relics=(4,), expeditions=2))
    state = pyspiel.load_game("python_diamant", {"edition": edition, "players": 1}).new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(next(card for card in state.legal_actions() if not FIRST_TRAP <= card < FIRST_RELIC))
        deck = state.position.state["deck"]
        state.apply_actions([int(deck[:FIRST_TRAP].sum() + deck[FIRST_RELIC:].sum() == 0)])
    assert state.returns() == [20]
    for utility, low, high in (("score", 0, 20), ("win", 0, 1), ("margin", -20, 20)):
        game = pyspiel.load_game("python_diamant", {"edition": edition, "players": 2, "utility": utility})
        assert (game.min_utility(), game.max_utility()) == (low, high)


def test_agent_policy_equals_agent_bot():
    game = pyspiel.load_game("python_diamant", {"players": 3, "edition": "iello-2016-fr"})
    turns, agents = pyspiel.convert_to_turn_based(game), ["ev:0", "bag:4", "cards:2"]
    bots = [spiel.AgentBot(game, player, agent, seed=player) for player, agent in enumerate(agents)]
    ours, theirs = ([spiel.AgentPolicy(each, agent) for agent in agents] for each in (game, turns))
    state, turn = game.new_initial_state(), turns.new_initial_state()
    rng, met = np.random.default_rng(1), set()
    while not state.is_terminal():
        if state.is_chance_node():
            cards, chances = zip(*state.chance_outcomes(), strict=True)
            card = int(rng.choice(cards, p=chances))
            state.apply_action(card)
            turn.apply_action(card)
            continue
        actions = [bot.step(state) for bot in bots]
        for player, action in enumerate(actions):
            chances = ours[player].action_probabilities(state, player)
            assert chances[action] == 1
            assert theirs[player].action_probabilities(turn) == chances
            met.add((len(chances), action))
            turn.apply_action(action)
        state.apply_actions(actions)
    assert met == {(1, 0), (2, 0), (2, 1)}  # in camp, and inside
    with pytest.raises(ValueError, match="as a function of the observation"):
        spiel.AgentPolicy(game, "mixture:1,20")


def test_tensor_of_history():
    state = pyspiel.load_game("python_diamant", {"players": 2, "edition": PAIRS}).new_initial_state()
    state.apply_action(4)
    state.apply_actions([0, 0])
    history = np.array(state.information_state_tensor(1))[NUM_FEATURES:]
    assert len(history) == state.get_game().max_history_length()
    assert history[:3].tolist() == [5, 1, 1]
    assert not history[3:].any()


@pytest.mark.parametrize("turn_based", [False, True])
@pytest.mark.parametrize("player", [0, 2])
def test_policy_agent_round_trips(turn_based, player):
    game = pyspiel.load_game("python_diamant", {"players": 3, "recall": "state"})
    game = pyspiel.convert_to_turn_based(game) if turn_based else game
    there_and_back = spiel.PolicyAgent(spiel.AgentPolicy(game, "ev:0.6"), game, player, "there and back")
    shares = [
        evaluate(agent, games=12, players=3, seed=3).results[0].score.mean for agent in ("ev:0.6", there_and_back)
    ]
    assert shares[0] == shares[1]


@pytest.mark.parametrize("setting", ["utility=win", "utility=margin", "terminal_rewards=True"])
def test_mcts_plays_the_turn_based_string(setting):
    game = pyspiel.load_game(f"turn_based_simultaneous_game(game=python_diamant(players=2,edition={PAIRS},{setting}))")
    random = np.random.RandomState(0)
    bot = mcts.MCTSBot(game, 2, 20, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    state = game.new_initial_state()
    while not state.is_terminal():
        cards = [card for card, _ in state.chance_outcomes()] if state.is_chance_node() else None
        state.apply_action(cards[0] if cards else bot.step(state))
    assert game.get_type().reward_model == pyspiel.GameType.RewardModel.TERMINAL
    assert game.min_utility() <= min(state.returns()) <= max(state.returns()) <= game.max_utility()


@pytest.mark.parametrize(
    ("edition", "hidden"),
    [(PAIRS, False), (f"{PAIRS}/hidden_chests:1", True), (f"{PAIRS}/hidden_rivals:1", True), ("incan-gold", True)],
    ids=["open", "hidden chests", "hidden rivals", "published"],
)
def test_hidden_chests_are_not_observable(edition, hidden):
    game = pyspiel.load_game("python_diamant", {"edition": edition, "recall": "state"})
    for each in (game, pyspiel.load_game(str(game))):
        assert each.get_type().information.name == ("IMPERFECT" if hidden else "PERFECT") + "_INFORMATION"
        seen = []
        for treasure in (2, 4):
            state = each.new_initial_state()
            state.apply_action(treasure)
            state.apply_actions([1, 0, 0])
            row = Observations(np.array(state.observation_tensor(1), np.float32))
            text = re.search("chests?.*", state.observation_string(1))[0]
            fields = {name: row[name].tolist() for name in ("chest", "lead", "rival_chest")}
            struct = json.loads(state.to_observation_struct(1).to_json())
            assert {name: struct[name] for name in fields} == fields
            assert json.loads(state.to_json())["chest"][:3] == state.returns()
            seen.append((state.returns()[0], fields["rival_chest"], text))
        assert seen[0][0] != seen[1][0]
        assert [first == second for first, second in zip(*seen, strict=True)] == [False, hidden, hidden]


@pytest.mark.parametrize(
    "parameters",
    [
        {"playerz": 2},
        {"players": 9},
        {"players": 1, "utility": "margin"},
        *({name: "wrong"} for name in ("utility", "recall")),
        {"edition": "diamant"},
        {"edition": "iello-2016/hidden_rivals:1"},  # recall=history shows rivals
    ],
)
def test_invalid_parameters(parameters):
    with pytest.raises((ValueError, pyspiel.SpielError)):
        pyspiel.load_game("python_diamant", parameters)


def test_invalid_moves():
    game = pyspiel.load_game("python_diamant", {"edition": PAIRS})
    state = game.new_initial_state()
    state.apply_action(4)
    other = spiel.PolicyAgent(None, pyspiel.load_game("python_diamant(recall=state)"))
    for call in (
        lambda: state.apply_action(0),
        lambda: state.legal_actions(),
        lambda: state.apply_actions([0, 2, 0]),
        lambda: spiel.AgentPolicy(game, "ev:0").action_probabilities(state),
        lambda: spiel.PolicyAgent(policy.UniformRandomPolicy(game), game),  # recall=history
        lambda: evaluate(other, games=4, players=3, edition="iello-2016/hidden_chests:1"),
        lambda: evaluate(other, games=4, players=4),
        lambda: evaluate(other, games=4, players=3, edition="iello-2016/expeditions:4"),
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - of eight calls
            call()
