# Copyright 2026 DeepMind Technologies Limited
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#      http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""Tests for Python Incan Gold."""

from absl.testing import absltest

from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score
from open_spiel.python.algorithms import exploitability
from open_spiel.python.games import incan_gold
import pyspiel

_CONTINUE, _LEAVE = incan_gold.Action
_SMALL = ("python_incan_gold(players=2,treasures=3;5,hazards=1,hazard_copies=2,"
          "artifacts=0,expeditions=1)")


def _play(state, *moves):
  """Applies cards by their names and joint actions."""
  for move in moves:
    if isinstance(move, str):
      cards = {state.action_to_string(card): card
               for card in state.legal_actions()}
      state.apply_action(cards[move])
    else:
      state.apply_actions(move)
  return state


class IncanGoldTest(absltest.TestCase):

  def test_random_game(self):
    """Tests basic API functions with the standard game tests."""
    pyspiel.random_sim_test(
        pyspiel.load_game("python_incan_gold"), num_sims=10, serialize=False,
        verbose=False)

  def test_game_as_turn_based(self):
    """Checks that the game can be converted to a turn-based game."""
    game = pyspiel.load_game(
        "turn_based_simultaneous_game(game=python_incan_gold())")
    pyspiel.random_sim_test(game, num_sims=10, serialize=False, verbose=False)

  def test_first_deck(self):
    """15 treasures, of which two values are double, 15 hazards, 1 artifact."""
    state = pyspiel.load_game("python_incan_gold").new_initial_state()
    outcomes = dict(state.chance_outcomes())
    self.assertLen(outcomes, 13 - 1 + 5 + 1)
    self.assertAlmostEqual(outcomes[0], 1 / 31)
    self.assertAlmostEqual(outcomes[state.box.artifact], 1 / 31)

  def test_gems_are_shared_and_the_rest_stays_on_the_path(self):
    state = pyspiel.load_game("python_incan_gold").new_initial_state()
    _play(state, "Treasure 17", [_LEAVE, _CONTINUE, _CONTINUE])
    self.assertEqual(state.chests, [5 + 2, 0, 0])
    _play(state, "Treasure 5", [_CONTINUE, _LEAVE, _LEAVE])
    self.assertEqual(state.chests, [7, 5 + 2, 5 + 2])
    self.assertEqual(state.expedition, 2)

  def test_second_hazard_of_a_kind_ends_the_expedition(self):
    state = pyspiel.load_game("python_incan_gold").new_initial_state()
    together, num_treasures = [_CONTINUE] * 3, len(state.box.treasures)
    _play(state, "Treasure 9", together, "Hazard 0", together, "Hazard 1",
          together, "Hazard 0")
    self.assertEqual(state.expedition, 2)
    self.assertEqual(state.chests, [0, 0, 0])
    self.assertEqual(state.deck[num_treasures:], [2, 3, 3, 3, 3, 2])

  def test_lone_leaver_takes_artifacts(self):
    state = pyspiel.load_game("python_incan_gold").new_initial_state()
    _play(state, "Artifact", [_LEAVE, _LEAVE, _CONTINUE])
    self.assertEqual(state.chests, [0, 0, 0])
    _play(state, "Hazard 0", [_CONTINUE, _CONTINUE, _LEAVE])
    self.assertEqual(state.chests, [0, 0, 5])

  def test_invalid_parameters(self):
    for parameters in ("hazards=1,hazard_copies=2", "players=0", "players=9"):
      with self.assertRaises(ValueError):
        pyspiel.load_game(f"python_incan_gold({parameters})")

  def test_uniform_policy_of_small_game(self):
    """Values of the uniform policy in a game of four cards."""
    game = pyspiel.convert_to_turn_based(pyspiel.load_game(_SMALL))
    uniform = policy.UniformRandomPolicy(game)
    values = expected_game_score.policy_value(
        game.new_initial_state(), [uniform] * 2)
    self.assertAlmostEqual(values[0], 185 / 128)
    self.assertAlmostEqual(values[1], 185 / 128)
    self.assertAlmostEqual(exploitability.nash_conv(game, uniform), 557 / 192)


if __name__ == "__main__":
  absltest.main()
