"""A runner of `train.rllib`: a process that plays many games side by side with the learner's policy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import ray
import torch
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
from ray.rllib.core import COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES, INPUT_ENV_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.utils.checkpoints import Checkpointable
from ray.rllib.utils.metrics import (
    NUM_ENV_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    NUM_EPISODES,
    NUM_MODULE_STEPS_SAMPLED,
    WEIGHTS_SEQ_NO,
)

from diamant_env.judging.games import seeds_for
from diamant_env.opponents.inputs import INPUTS, Inputs
from diamant_env.opponents.network import Layers
from diamant_env.sb3 import DiamantVecEnv
from train.learning.league import League, tables_of
from train.learning.rollout import NOTHING_PENDING, DecisionBuffer, play_turn
from train.runs.config import RayRun


class SelfPlayRunner(EnvRunner, Checkpointable):
    """Plays its share of the games; an environment step of RLlib's is one decision of a learning seat.

    The games, who sits in them and the decisions that are still open stay here between two samples.
    """

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        self.run = RayRun.model_validate(config.env_config)
        self.inputs = INPUTS[self.run.network.inputs]
        if self.worker_index:
            torch.set_num_threads(1)
        self._weights_seq_no = 0
        self.make_module()

    def make_module(self) -> None:
        """Make the policy; its weights come from the learner."""
        spec = self.config.get_rl_module_spec(spaces=self.get_spaces(), inference_only=True)
        self.module = spec.build()

    def get_spaces(self) -> dict[str, tuple]:
        """See `EnvRunner.get_spaces`."""
        return dict.fromkeys(
            (INPUT_ENV_SPACES, INPUT_ENV_SINGLE_SPACES, DEFAULT_MODULE_ID), (self.inputs.space, Discrete(2))
        )

    def join(self, decisions: int, networks: list[Layers | None]) -> None:
        """Begin new games, which no other runner plays nor this one at another time of the run."""
        run, runners = self.run, max(1, self.run.ray.runners)
        league_seed, game_seed = seeds_for(run.seed, "runner", self.worker_index, decisions).spawn(2)
        own = slice(max(0, self.worker_index - 1), None, runners)
        every_table, every_edition = tables_of(run)
        players, editions = every_table[own], every_edition[own]
        self.league = League(run.opponents, players, league_seed, every_edition, run.game.blank)
        self.seat_networks(networks)
        self.env = DiamantVecEnv(
            len(players), players, editions, run.game.reward, self.league.agents, self.league.seating, run.game.blank
        )
        self.env.seed(int(game_seed.generate_state(1, np.uint32)[0]))
        self.observations = self.env.reset()
        self.buffer = DecisionBuffer(run.ppo.turns, self.inputs.space, Discrete(2), n_envs=self.env.num_envs)

    def seat_networks(self, networks: list[Layers | None]) -> None:
        """Seat earlier versions of the learner."""
        self.league.seat_networks(networks, self.run.network)

    def sample(self, **kwargs: Any) -> list[SingleAgentEpisode]:
        """Play `ppo.turns` turns of all games; return the decisions whose outcome is known."""
        self.buffer.start_rollout()
        for _ in range(self.run.ppo.turns):
            self.observations, _ = play_turn(
                self.env, self.buffer, self.observations, self.inputs, self.evaluate, self.run.ppo.reward_scale
            )
        episodes = list(episodes_of(self.buffer, self.observations, self.inputs))
        self._log(sum(map(len, episodes)), sum(episode.is_terminated for episode in episodes))
        return episodes

    def evaluate(self, seen: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return log-probabilities (rows, 2), and values that are 0: the learner computes those."""
        with torch.no_grad():
            batch = {Columns.OBS: torch.from_numpy(seen)}
            logits = self.module.forward_exploration(batch)[Columns.ACTION_DIST_INPUTS]
            log_probs = torch.log_softmax(logits, dim=1).numpy()
        return log_probs, np.zeros(len(seen), np.float32)

    def _log(self, decisions: int, games: int) -> None:
        for name in (NUM_ENV_STEPS_SAMPLED, (NUM_MODULE_STEPS_SAMPLED, DEFAULT_MODULE_ID)):
            self.metrics.log_value(name, decisions, reduce="sum")
        self.metrics.log_value(NUM_EPISODES, games, reduce="sum")
        self.metrics.log_value(NUM_ENV_STEPS_SAMPLED_LIFETIME, decisions, reduce="lifetime_sum")

    def get_metrics(self) -> Any:
        """Return what was logged since the last call."""
        return self.metrics.reduce()

    def get_state(self, components: Any = None, *, not_components: Any = None, **kwargs: Any) -> dict[str, Any]:
        """Return the weights and their number; the games are no part of a checkpoint."""
        if not self._check_component(COMPONENT_RL_MODULE, components, not_components):
            return {}
        return {COMPONENT_RL_MODULE: self.module.get_state(), WEIGHTS_SEQ_NO: self._weights_seq_no}

    def set_state(self, state: dict[str, Any]) -> None:
        """Take over the learner's weights."""
        if COMPONENT_RL_MODULE in state:
            weights = state[COMPONENT_RL_MODULE]
            if isinstance(weights, ray.ObjectRef):
                weights = ray.get(weights)
            self.module.set_state(weights.get(DEFAULT_MODULE_ID, weights))
            self._weights_seq_no = state.get(WEIGHTS_SEQ_NO, 0)

    def get_ctor_args_and_kwargs(self) -> tuple[tuple, dict[str, Any]]:
        """See `Checkpointable.get_ctor_args_and_kwargs`."""
        return (), {"config": self.config}

    def assert_healthy(self) -> None:
        """Check that there is a policy."""
        assert self.module is not None


def episodes_of(
    buffer: DecisionBuffer, observations: NDArray[np.float32], inputs: Inputs
) -> Iterator[SingleAgentEpisode]:
    """Yield the decisions whose outcome is known, one episode per seat and game, in the order of time.

    A game that goes on ends for now with what the seat saw last: what it sees now, float32 (rows, NUM_FEATURES), if
    it must decide, else at its last decision, which stays in the buffer until its outcome is known.
    """
    buffer.pending[observations[:, 0] > 0] = NOTHING_PENDING
    decisions = buffer.decisions[: buffer.count]
    rows, terminal = decisions["row"], decisions["terminal"]
    order = np.argsort(rows, kind="stable")
    ends = np.flatnonzero((np.diff(rows[order], append=-1) != 0) | terminal[order]) + 1
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        chosen = order[start:end]
        row, terminated = rows[chosen[-1]], bool(terminal[chosen[-1]])
        seen = decisions["inputs"][chosen]
        if buffer.pending[row] == chosen[-1]:
            chosen = chosen[:-1]
        else:
            seen = np.concatenate([seen, inputs(observations[row : row + 1])])
        if len(chosen):
            yield episode_of(decisions[chosen], seen, terminated)


def episode_of(decisions: NDArray[np.void], seen: NDArray[np.float32], terminated: bool) -> SingleAgentEpisode:
    """Return one seat's decisions, `decision_dtype` records (n,), with its inputs, float32 (n + 1, width)."""
    log_probs = decisions["log_prob"].copy()
    actions = decisions["action"].astype(np.int64)
    both = np.log(np.maximum(-np.expm1(log_probs), 1e-12)).repeat(2).reshape(-1, 2)
    both[np.arange(len(actions)), actions] = log_probs
    return SingleAgentEpisode(
        observations=seen,
        actions=actions,
        rewards=decisions["reward"].copy(),
        infos=[{}] * len(seen),
        extra_model_outputs={Columns.ACTION_LOGP: log_probs, Columns.ACTION_DIST_INPUTS: both},
        terminated=terminated,
        len_lookback_buffer=0,
    )
