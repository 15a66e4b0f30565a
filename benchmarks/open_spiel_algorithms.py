"""OpenSpiel's algorithms on small editions: ``python -m benchmarks.open_spiel_algorithms`` prints a Markdown table.

Turn-based zero-sum game of one expedition: two players, utility the difference of their gems. NashConv is exact;
seconds are those of one processor. Needs ``pip install -c constraints.txt ".[open-spiel]" cvxpy ecos``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import (
    best_response,
    cfr,
    discounted_cfr,
    exploitability,
    external_sampling_mccfr,
    fictitious_play,
    gambit,
    get_all_states,
    mcts,
    outcome_sampling_mccfr,
    sequence_form_lp,
)

import diamant_env.open_spiel as spiel

EDITIONS = {
    "small": "treasures:3+5/traps:mud/trap_copies:2/expeditions:1",
    "medium": "treasures:5+8/traps:mud+wind/trap_copies:2/expeditions:1",
}
Learned = tuple[Any, str]  # policy of all players, and the number of iterations as text


def load(edition: str, **parameters: Any) -> pyspiel.Game:
    """Return the turn-based two-player game of an edition."""
    given = {"players": 2, "edition": EDITIONS[edition], "utility": "margin", **parameters}
    return pyspiel.convert_to_turn_based(pyspiel.load_game("python_diamant", given))


def solved(solver: Any, times: int, step: str = "evaluate_and_update_policy") -> Learned:
    """Run a solver and return its average policy."""
    for _ in range(times):
        getattr(solver, step)()
    return solver.average_policy(), f"{times:,} iterations"


def by_cpp(edition: str) -> Learned:
    """Run CFR+ in C++ on the game exported as EFG, to which the policy belongs."""
    solver = pyspiel.CFRPlusSolver(exported(edition))
    for _ in range(1_000):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy(), "1,000 iterations"


def exported(edition: str) -> pyspiel.Game:
    """Return the game of an edition as an EFG game."""
    return pyspiel.load_efg_game(gambit.export_gambit(load(edition)))


def by_lp(edition: str) -> Learned:
    """Solve the sequence form by linear programming."""
    game = load(edition)
    *_, first, second = sequence_form_lp.solve_zero_sum_game(game)
    return policies.tabular_policy_from_callable(
        game, lambda state: (first, second)[state.current_player()].action_probabilities(state)
    ), "one program"


class Mcts(policies.Policy):
    """Policy of MCTS in each state."""

    def __init__(self, game: pyspiel.Game) -> None:
        super().__init__(game, [0, 1])
        random = np.random.RandomState(0)
        self.bot = mcts.MCTSBot(game, 2, 50, mcts.RandomRolloutEvaluator(1, random), random_state=random)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Return the searched action."""
        chosen = self.bot.step(state)
        return {action: float(action == chosen) for action in state.legal_actions()}


def by_mcts(edition: str) -> Learned:
    """Run MCTS on states, not information states: it observes the other's decision of the same turn."""
    game = load(edition, recall="state")
    return Mcts(game).to_tabular(), "50 simulations a decision"


def by_response(edition: str) -> Learned:
    """Compute the best response of each player to an agent of this package."""
    game = load(edition)
    ev = spiel.AgentPolicy(game, "ev:0")
    found = [best_response.BestResponsePolicy(game, player, ev) for player in range(2)]
    return policies.tabular_policy_from_callable(
        game, lambda state: found[state.current_player()].action_probabilities(state)
    ), "to `ev:0`"


ALGORITHMS: dict[str, Callable[[str], Learned]] = {
    "CFR": lambda edition: solved(cfr.CFRSolver(load(edition)), 100),
    "CFR+": lambda edition: solved(cfr.CFRPlusSolver(load(edition)), 100),
    "CFR+ in C++ over EFG": by_cpp,
    "DCFR": lambda edition: solved(discounted_cfr.DCFRSolver(load(edition)), 100),
    "MCCFR, external sampling": lambda edition: solved(
        external_sampling_mccfr.ExternalSamplingSolver(load(edition)), 1_000, "iteration"
    ),
    "MCCFR, outcome sampling": lambda edition: solved(
        outcome_sampling_mccfr.OutcomeSamplingSolver(load(edition)), 5_000, "iteration"
    ),
    "XFP": lambda edition: solved(fictitious_play.XFPSolver(load(edition)), 30, "iteration"),
    "best response": by_response,
    "LP, sequence form": by_lp,
    "MCTS": by_mcts,
}


def nash_conv(edition: str, learned: Any) -> float:
    """Return the NashConv of a policy in gems."""
    if isinstance(learned, policies.Policy):
        return exploitability.nash_conv(learned.game, learned, use_cpp_br=False)
    return pyspiel.nash_conv(exported(edition), learned)


def sizes(edition: str) -> str:
    """Return the size of a game: states, and information states of both kinds."""
    states = get_all_states.get_all_states(load(edition), include_chance_states=True).values()
    decisions = [state for state in states if not state.is_terminal() and not state.is_chance_node()]
    known = [len(policies.TabularPolicy(load(edition, recall=recall)).state_lookup) for recall in ("history", "state")]
    return (
        f"{edition}: `{EDITIONS[edition]}`, {len(states):,} states, {len(decisions):,} of them decisions; "
        f"{known[0]:,} information states with `recall=history`, {known[1]:,} with `recall=state`"
    )


def main() -> None:
    """Run the algorithms and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--editions", nargs="+", choices=EDITIONS, default=list(EDITIONS))
    parser.add_argument("--only", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS))
    given = parser.parse_args()
    for edition in given.editions:
        print(sizes(edition), flush=True)
    print("\n| algorithm | edition | effort | seconds | NashConv |\n| --- | --- | --- | --- | --- |")
    for name in given.only:
        for edition in given.editions:
            np.random.seed(0)  # noqa: NPY002 - OpenSpiel uses NumPy's global generator
            began = time.process_time()
            learned, effort = ALGORITHMS[name](edition)
            seconds = time.process_time() - began
            print(f"| {name} | {edition} | {effort} | {seconds:.1f} | {nash_conv(edition, learned):.2g} |", flush=True)


if __name__ == "__main__":
    main()
