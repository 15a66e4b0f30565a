"""NFSP and PSRO of OpenSpiel beside the benchmark's learners: ``python benchmarks/open_spiel_learners.py [DECISIONS]``.

All learn from equally many decisions in an expedition of four cards for score, with two players. OpenSpiel computes the
exact NashConv. Its learners see the history, which its averages of policies over the game tree need; ours see states.
NFSP has the settings of its example (Kuhn poker) with our hidden layers, then Adam and more gradient steps. PSRO's
example spends 10,000 games on a response, too many here: its DQN learns sooner and explores less, in three numbers of
rounds. Exact responses in as many rounds show how precise the DQN's are. Needs ``dm-tree`` and ``cvxpy`` beside the
extras `train` and `open-spiel`.
"""

import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from time import process_time
from typing import ClassVar

import numpy as np
import pyspiel
from open_spiel.python import jax
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.algorithms.fictitious_play import XFPSolver
from open_spiel.python.algorithms.policy_aggregator import PolicyAggregator
from open_spiel.python.pytorch import dqn, nfsp, policy_gradient
from open_spiel.python.rl_agent_policy import JointRLAgentPolicy
from open_spiel.python.rl_environment import Environment, TimeStep

from diamant_env import benchmark, editions
from diamant_env.evaluation.intervals import mean_of_tables
from diamant_env.evaluation.report import plus_minus
from diamant_env.open_spiel import AgentPolicy
from train.benchmarking.algorithms import ALGORITHMS
from train.benchmarking.benchmark_run import BenchmarkRun
from train.benchmarking.config import BenchmarkConfig

jax.dqn, jax.policy_gradient = dqn, policy_gradient  # those in JAX need more libraries
from open_spiel.python.algorithms.psro_v2 import psro_v2, rl_oracle, rl_policy  # noqa: E402

editions.EDITIONS["few"] = editions.Edition("few", (3, 5), ("snake",), trap_copies=2, expeditions=1)
TASK = benchmark.BenchmarkTask("few", "expedition", 2, "few/hidden_rivals:1", "score", "four cards")
SEEN = pyspiel.load_game_as_turn_based("python_diamant", {"players": 2, "edition": TASK.edition, "recall": "state"})
GAME = pyspiel.load_game_as_turn_based("python_diamant", {"players": 2, "edition": "few"})
SIZE, HIDDEN = GAME.information_state_tensor_size(), [64, 64]
SMALL = {"turns": 16, "minibatch": 512, "reward_scale": 0.5}  # a small game: small rollouts, two gems as unit


class TreeEnvironment(Environment):
    """OpenSpiel's environment with cached time steps; counts decisions with a choice."""

    nodes: ClassVar = {}  # chance outcomes or time step of each history
    history, decisions, random = (), 0, np.random.default_rng(0)

    def reset(self) -> TimeStep:
        self.history = ()
        return self.step([])

    def step(self, actions: list[int]) -> TimeStep:
        self.history += tuple(actions)
        if self.history not in self.nodes:
            self._state = GAME.new_initial_state()
            for action in self.history:
                self._state.apply_action(action)
            chance = self._state.is_chance_node()
            self.nodes[self.history] = self._state.chance_outcomes() if chance else self.get_time_step()
        if isinstance(node := self.nodes[self.history], list):
            cards, chances = zip(*node, strict=True)
            return self.step([int(self.random.choice(cards, p=chances))])
        self.decisions += not node.last() and len(node.observations["legal_actions"][node.current_player()]) > 1
        return node


def their_nfsp(budget: int, seed: int, **settings: object) -> float:
    env = TreeEnvironment(GAME)
    settings |= {"epsilon_start": 0.06, "epsilon_end": 0.001, "epsilon_decay_duration": budget}
    settings["replay_buffer_capacity"] = 200_000
    agents = [nfsp.NFSP(seat, SIZE, 2, HIDDEN, budget, 0.1, seed=10 * seed + seat, **settings) for seat in range(2)]
    while env.decisions < budget:
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.current_player()].step(step).action])
        for agent in agents:
            agent.step(step)
    for agent in agents:
        agent._mode = nfsp.MODE.AVERAGE_POLICY
    return nash_conv(GAME, JointRLAgentPolicy(GAME, dict(enumerate(agents)), use_observation=False))


def their_psro(budget: int, seed: int, rounds: int) -> float:
    env, size = TreeEnvironment(GAME), {"state_representation_size": SIZE, "hidden_layers_sizes": HIDDEN}
    agent = {"num_actions": 2, "batch_size": 32, "learning_rate": 1e-3, "optimizer_str": "adam", "seed": seed, **size}
    agent |= {"min_buffer_size_to_learn": 100, "learn_every": 5, "update_target_network_every": 100}
    agent |= {"epsilon_decay_duration": budget // rounds, "epsilon_end": 0.01}
    first = [rl_policy.DQNPolicy(env, seat, **agent) for seat in range(2)]
    for policy in first:
        policy.freeze()
    oracle = rl_oracle.RLOracle(env, rl_policy.DQNPolicy, agent, budget // (3 * rounds))
    meta = {"meta_strategy_method": "uniform", "training_strategy_selector": "probabilistic", "sims_per_entry": 1}
    solver = psro_v2.PSROSolver(GAME, oracle, initial_policies=first, sample_from_marginals=True, **meta)
    while env.decisions < 2 * budget:  # one of the two players learns
        solver.iteration()
    mixture = PolicyAggregator(GAME).aggregate(range(2), solver.get_policies(), solver.get_meta_strategies())
    return nash_conv(GAME, mixture)


def exact_play(_budget: int, _seed: int, rounds: int) -> float:
    solver = XFPSolver(GAME)
    for _ in range(rounds):
        solver.iteration()
    return nash_conv(GAME, solver.average_policy())


def ours(name: str, budget: int, seed: int) -> float:
    run = BenchmarkRun(TASK, ALGORITHMS[name], seed, Path(mkdtemp()), BenchmarkConfig(decisions=budget, rows=64))
    agent, _ = partial(run.algorithm.agent, **SMALL)(run)
    return nash_conv(SEEN, AgentPolicy(SEEN, agent))


if __name__ == "__main__":
    adam = {"optimizer_str": "adam", "rl_learning_rate": 1e-3, "sl_learning_rate": 1e-3, "learn_every": 8}
    learners = {f"`{name}` | ours": partial(ours, name) for name in ("fictitious", "psro", "ppo")}
    learners |= {"NFSP | OpenSpiel": their_nfsp}
    learners |= {"NFSP, Adam at 0.001, learns every 8 steps | OpenSpiel": partial(their_nfsp, **adam)}
    learners |= {f"PSRO with DQN, {n} rounds | OpenSpiel": partial(their_psro, rounds=n) for n in (12, 24, 48)}
    exact = {f"exact fictitious play, {n} rounds | OpenSpiel": partial(exact_play, rounds=n) for n in (12, 24, 48)}
    print("| algorithm | whose | NashConv (gems) | CPU seconds |\n| --- | --- | --- | --- |", flush=True)
    for name, learn in (learners | exact).items():
        start = process_time()
        with redirect_stdout(None):  # prints of PSRO
            gaps = [learn(int((sys.argv[1:] or [100_000])[0]), seed) for seed in range(3)]
        gap = plus_minus(mean_of_tables(gaps, [1] * len(gaps)), 3)
        print(f"| {name} | {gap} | {(process_time() - start) / 3:.0f} |", flush=True)
