"""What plays blank games is what `diamant_env.exact` exploits: gains stay below the exact one."""

from diamant_env import exact
from diamant_env.judging.deviation import DeviationGame, deviation_gains
from diamant_env.judging.games import seeds_for
from train.benchmarking.benchmark_run import exploitability
from train.benchmarking.suite import TASKS, Task


def test_nobody_gains_more_than_the_exact_best_response():
    task = TASKS["expedition-2"]
    truth = exploitability("bag:10", task)["exploitability"]
    match = DeviationGame("bag:10", 2, task.game.played(), "score", blank_rivals=True)
    found = deviation_gains(["ev:0.75", "ev-others-stay:0.2", "bag:5", "cards:7"], match, 20_000, seeds_for(0, "exact"))
    assert all(gain.among(4).low < truth for gain in found)
    assert max(gain.gain.mean for gain in found) > 0.3 * truth


def test_an_agent_with_a_memory_has_no_exact_figure():
    assert "decides by more than what it sees" in exploitability("mixture", TASKS["expedition-2"])["refused"]


class FirstTrap:
    """Leaves at one kind of trap, not at the others."""

    def act(self, obs, first):
        return obs["traps_on_path"][:, 0]


def test_of_an_agent_that_may_tell_traps_apart_they_are_not_merged():
    game = TASKS["expedition-2"].game.model_copy(update={"num_players": (1,)})
    apart = exact.build_tree(exact.start_of_expedition(game.played(), 1), game.played(), merge_traps=False)
    truth = exact.best_response(exact.policy_of(FirstTrap(), apart), apart)
    found = exploitability(FirstTrap(), Task("expedition-1", "expedition", "alone", game))
    assert found["value"] == truth.profile_value
    assert found["exploitability"] == truth.exploitability
