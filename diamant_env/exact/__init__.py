"""Exact solutions: optimal stopping, equilibria and best responses; see `docs/exact.md` for the method.

>>> from diamant_env import exact
>>> round(exact.solve_single_player("iello-2016-fr").value, 2)  # expected gems of a single player in one expedition
17.34
"""

from diamant_env.compilation import cache_folder
from diamant_env.exact.equilibrium import solve_equilibrium, whole_game_strategy
from diamant_env.exact.expeditions import ExpeditionStart, current_expedition
from diamant_env.exact.moves import start_of_expedition
from diamant_env.exact.response import Response, best_response, policy_of
from diamant_env.exact.single_player import SinglePlayerSolution, SinglePlayerSolver, solve_single_player
from diamant_env.exact.solution import Solution, Strategy, find_nodes
from diamant_env.exact.tree import ExpeditionTree, build_tree, reachable
from diamant_env.exact.two_player_win import JointEvaluation, TwoPlayerWin, guaranteed_by, solve_two_player_win
from diamant_env.exact.whole.game import WholeGame

__all__ = [
    "ExpeditionStart",
    "ExpeditionTree",
    "JointEvaluation",
    "Response",
    "SinglePlayerSolution",
    "SinglePlayerSolver",
    "Solution",
    "Strategy",
    "TwoPlayerWin",
    "WholeGame",
    "best_response",
    "build_tree",
    "cache_folder",
    "current_expedition",
    "find_nodes",
    "guaranteed_by",
    "policy_of",
    "reachable",
    "solve_equilibrium",
    "solve_single_player",
    "solve_two_player_win",
    "start_of_expedition",
    "whole_game_strategy",
]
