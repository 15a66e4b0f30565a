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

"""Incan Gold (also Diamant), implemented in Python.

https://boardgamegeek.com/boardgame/15512/diamant

Players explore a temple together. Cards are turned up one at a time. The gems
of a treasure are shared equally among the players inside; what cannot be shared
stays on the path. The first hazard of a kind has no effect. The second ends the
expedition: all players still inside lose their gems, and that card leaves the
game. After each other card all players inside decide simultaneously whether to
continue or to leave. Leavers keep their gems and share those on the path; a
lone leaver also takes the artifacts on the path. An expedition ends when no
player is inside, then all revealed treasures and hazards return to the deck.
One artifact is added to the deck before each expedition. Artifacts are worth 5
gems each for the first three taken and 10 afterwards.

Returns are gems. Ties are not broken. All information is public: in the board
game gems are kept in tents, but all players see how many are banked.

Parameters:
  players: number of players; the rulebook allows 3 to 8.
  treasures: gems on each treasure card, separated by ";"; "5;" for one card.
  hazards: number of kinds of hazards.
  hazard_copies: number of cards of each kind.
  artifacts: number of artifacts.
  expeditions: number of expeditions.
"""

import enum
from typing import NamedTuple

import numpy as np

import pyspiel

_DEFAULT_PARAMS = {
    "players": 3,
    "treasures": "1;2;3;4;5;5;7;7;9;11;11;13;14;15;17",
    "hazards": 5, "hazard_copies": 3, "artifacts": 5, "expeditions": 5,
}

_GAME_TYPE = pyspiel.GameType(
    short_name="python_incan_gold",
    long_name="Python Incan Gold",
    dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=8,
    min_num_players=1,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_DEFAULT_PARAMS)


class Action(enum.IntEnum):
  CONTINUE = 0
  LEAVE = 1


class Box(NamedTuple):
  """The cards of a game. A card's number is its position in `copies`."""
  treasures: tuple[int, ...]  # The different values, ascending.
  hazards: int  # Kinds. Their cards follow the treasures.
  artifact: int  # Number of the artifact card, the last.
  copies: tuple[int, ...]  # Of each card, without artifacts.
  values: tuple[int, ...]  # Of the artifacts in the order of leaving.
  expeditions: int


class IncanGoldGame(pyspiel.Game):
  """The game, from which states and observers can be made."""

  def __init__(self, params=None):
    params = {**_DEFAULT_PARAMS, **(params or {})}
    treasures = [int(gems) for gems in params["treasures"].split(";") if gems]
    hazards, copies = params["hazards"], params["hazard_copies"]
    artifacts, expeditions = params["artifacts"], params["expeditions"]
    if not 1 <= params["players"] <= _GAME_TYPE.max_num_players:
      raise ValueError("There must be 1 to 8 players.")
    if not treasures or min(treasures) < 0 or artifacts < 0 or expeditions < 1:
      raise ValueError("There must be treasures and an expedition.")
    # Otherwise the deck could run out inside an expedition.
    if expeditions > hazards * (copies - 1):
      raise ValueError("There are too few hazards for the expeditions.")
    different = tuple(sorted(set(treasures)))
    self.box = Box(
        different, hazards, len(different) + hazards,
        (*map(treasures.count, different), *[copies] * hazards, 0),
        tuple(5 if number < 3 else 10 for number in range(artifacts)),
        expeditions)
    max_cards = len(treasures) + hazards + artifacts
    super().__init__(
        _GAME_TYPE,
        pyspiel.GameInfo(
            num_distinct_actions=len(Action),
            max_chance_outcomes=len(self.box.copies),
            num_players=params["players"],
            min_utility=0,
            max_utility=sum(treasures) * expeditions + sum(self.box.values),
            utility_sum=None,
            max_game_length=max_cards * expeditions),
        params)

  def max_chance_nodes_in_history(self):
    """Returns the maximum number of cards: with a bust in each expedition."""
    return self.max_game_length() + self.box.expeditions

  def new_initial_state(self):
    """Returns a state corresponding to the start of a game."""
    return IncanGoldState(self, self.box)

  def make_py_observer(self, iig_obs_type=None, params=None):
    """Returns an object used for observing game state."""
    return IncanGoldObserver(
        self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False),
        params)


class IncanGoldState(pyspiel.State):
  """Current state of the game."""

  def __init__(self, game, box):
    """Constructor; should only be called by Game.new_initial_state."""
    super().__init__(game)
    self.box = box
    self.expedition = 0
    self.deck = list(box.copies)
    self.chests = [0] * game.num_players()
    self.artifacts_taken = 0
    self._game_over = False
    self._begin_expedition()

  def _begin_expedition(self):
    """All players enter; one more artifact is shuffled into the deck."""
    self.expedition += 1
    self.inside = [True] * self.num_players()
    self.bag = 0  # Gems at risk of each player inside, all equal.
    self.path_gems = self.path_artifacts = 0
    self.path_hazards = [0] * self.box.hazards
    if self.expedition <= len(self.box.values):
      self.deck[self.box.artifact] += 1
    self._is_chance = True

  def _end_expedition(self):
    """Revealed treasures and hazards return to the deck, artifacts do not."""
    num_treasures = len(self.box.treasures)
    self.deck[:num_treasures] = self.box.copies[:num_treasures]
    for hazard, copies in enumerate(self.path_hazards):
      self.deck[num_treasures + hazard] += copies
    if self.expedition < self.box.expeditions:
      self._begin_expedition()
    else:
      self.inside = [False] * self.num_players()
      self._game_over = True

  # OpenSpiel (PySpiel) API functions are below.

  def current_player(self):
    """Returns id of the next player to move, or TERMINAL if game is over."""
    if self._game_over:
      return pyspiel.PlayerId.TERMINAL
    if self._is_chance:
      return pyspiel.PlayerId.CHANCE
    return pyspiel.PlayerId.SIMULTANEOUS

  def _legal_actions(self, player):
    """Returns a list of legal actions, sorted in ascending order."""
    assert player >= 0
    return list(Action) if self.inside[player] else [Action.CONTINUE]

  def chance_outcomes(self):
    """Returns the possible chance outcomes and their probabilities."""
    assert self._is_chance
    size = sum(self.deck)
    return [(card, left / size) for card, left in enumerate(self.deck) if left]

  def _apply_action(self, action):
    """Reveals a card."""
    assert self._is_chance and not self._game_over
    num_treasures = len(self.box.treasures)
    self._is_chance = False
    self.deck[action] -= 1
    if action < num_treasures:
      share, rest = divmod(self.box.treasures[action], sum(self.inside))
      self.bag += share
      self.path_gems += rest
    elif action == self.box.artifact:
      self.path_artifacts += 1
    elif not self.path_hazards[action - num_treasures]:
      self.path_hazards[action - num_treasures] = 1
    else:
      self._end_expedition()

  def _apply_actions(self, actions):
    """Applies the decisions of all players."""
    assert not self._is_chance and not self._game_over
    leavers = [player for player, action in enumerate(actions)
               if self.inside[player] and action == Action.LEAVE]
    self._is_chance = True
    if not leavers:
      return
    share, self.path_gems = divmod(self.path_gems, len(leavers))
    for player in leavers:
      self.chests[player] += self.bag + share
      self.inside[player] = False
    if len(leavers) == 1:
      taken = self.artifacts_taken + self.path_artifacts
      self.chests[leavers[0]] += sum(
          self.box.values[self.artifacts_taken:taken])
      self.artifacts_taken, self.path_artifacts = taken, 0
    if not any(self.inside):
      self._end_expedition()

  def _action_to_string(self, player, action):
    """Action -> string."""
    if player != pyspiel.PlayerId.CHANCE:
      return Action(action).name
    num_treasures = len(self.box.treasures)
    if action < num_treasures:
      return f"Treasure {self.box.treasures[action]}"
    if action == self.box.artifact:
      return "Artifact"
    return f"Hazard {action - num_treasures}"

  def is_terminal(self):
    """Returns True if the game is over."""
    return self._game_over

  def returns(self):
    """Total reward for each player over the course of the game so far."""
    if not self._game_over:
      return [0.0] * self.num_players()
    return [float(gems) for gems in self.chests]

  def __str__(self):
    """String for debug purposes. No particular semantics are required."""
    inside, hazards, deck, chests = (
        " ".join(str(int(number)) for number in numbers) for numbers in
        (self.inside, self.path_hazards, self.deck, self.chests))
    return (f"expedition {self.expedition}, inside {inside}, bag {self.bag}, "
            f"path {self.path_gems} gems {self.path_artifacts} artifacts, "
            f"hazards {hazards}, deck {deck}, chests {chests}, "
            f"artifacts taken {self.artifacts_taken}")


class IncanGoldObserver:
  """Observer, conforming to the PyObserver interface (see observation.py)."""

  def __init__(self, game, iig_obs_type, params):
    """Initializes an empty observation tensor."""
    if params:
      raise ValueError(f"Observation parameters not supported; passed {params}")
    self.iig_obs_type = iig_obs_type
    self.tensor, self.dict = None, {}
    if iig_obs_type.perfect_recall or not iig_obs_type.public_info:
      return
    players, box = game.num_players(), game.box
    sizes = {
        "player": players, "inside": players, "chests": players,
        "deck": len(box.copies), "path_hazards": box.hazards,
        "expedition": 1, "bag": 1, "path_gems": 1, "path_artifacts": 1,
        "artifacts_taken": 1,
    }
    self.tensor = np.zeros(sum(sizes.values()), np.float32)
    ends = np.cumsum(list(sizes.values()))
    self.dict = dict(zip(sizes, np.split(self.tensor, ends[:-1])))

  def set_from(self, state, player):
    """Updates `tensor` and `dict` to reflect `state` from PoV of `player`."""
    for name, piece in self.dict.items():
      piece[:] = 0 if name == "player" else getattr(state, name)
    if self.dict:
      self.dict["player"][player] = 1

  def string_from(self, state, player):
    """Observation of `state` from the PoV of `player`, as a string."""
    if not self.iig_obs_type.public_info:
      return ""  # There is no private information.
    seen = state.history_str() if self.iig_obs_type.perfect_recall else state
    return f"p{player}: {seen}"


# Register the game with the OpenSpiel library

pyspiel.register_game(_GAME_TYPE, IncanGoldGame)
