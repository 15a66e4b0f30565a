"""PPO of RLlib on the self-play task: its configuration, its league, and the state beside the weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from ray.rllib.algorithms.ppo import PPO
from ray.rllib.algorithms.ppo import PPOConfig as RLlibConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.env_runner_group import EnvRunnerGroup
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME

from diamant_env.judging.games import seeds_for
from diamant_env.opponents.network import NetworkAgent
from train.distributed.module import DecisionModule
from train.distributed.runner import SelfPlayRunner
from train.learning.league import League
from train.runs.config import RayRun


class SelfPlay(PPO):
    """PPO whose runners play against earlier versions of the learner, which this process hands to them."""

    def setup(self, config: RLlibConfig) -> None:
        """Make everything and let the runners begin."""
        super().setup(config)
        self.run = RayRun.model_validate(config.env_config)
        tables = np.array(self.run.game.num_players)  # any would do: no game is played in this process
        seeds, game = seeds_for(self.run.seed, "league"), self.run.game
        self.league = League(self.run.opponents, tables, seeds, game.trained(), game.blank)
        self.next_snapshot = 0
        self._all_join()

    @property
    def decisions(self) -> int:
        """Decisions of learning seats that the learner has seen."""
        return int(self.metrics.peek((ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME), default=0))

    def agent(self, name: str) -> NetworkAgent:
        """Return a frozen copy of the policy."""
        return self.get_module().agent(name)

    def training_step(self) -> None:
        """Play, learn, and seat a new version of the learner where it is time."""
        super().training_step()
        if self.decisions >= self.next_snapshot:
            self.next_snapshot = self.decisions + self.run.opponents.snapshot_every
            self.league.add_snapshot(self.agent("snapshot"))
            self._call_runners("seat_networks", networks=self.league.networks())

    def restore_env_runners(self, env_runner_group: EnvRunnerGroup) -> list[int]:
        """Bring runners back that died; they begin new games."""
        restored = super().restore_env_runners(env_runner_group)
        if restored:
            self._all_join(restored)
        return restored

    def get_state(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return what a checkpoint holds."""
        own = {"league": self.league.state(self.agent("learner").weights()), "next_snapshot": self.next_snapshot}
        return {**super().get_state(*args, **kwargs), **own}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a value of `get_state`; the runners begin new games."""
        super().set_state(state)
        self.league.restore(state["league"], self.run.network)
        self.next_snapshot = state["next_snapshot"]
        self._all_join()

    def _all_join(self, runners: list[int] | None = None) -> None:
        self._call_runners("join", runners, decisions=self.decisions, networks=self.league.networks())

    def _call_runners(self, method: str, runners: list[int] | None = None, **arguments: Any) -> None:
        """Call a method of all runners or of some; `restore_env_runners` takes care of dead ones."""
        self.env_runner_group.foreach_env_runner(
            lambda runner: getattr(runner, method)(**arguments),
            remote_worker_ids=runners,
            local_env_runner=self.run.ray.runners == 0,
        )


def algorithm_config(run: RayRun) -> RLlibConfig:
    """Return what RLlib is told about a run."""
    ppo, learners = run.ppo, max(1, run.ray.learners)
    seed = int(seeds_for(run.seed, "learning").generate_state(1)[0]) >> 1  # RLlib adds to it and wants 32 bits
    return (
        RLlibConfig(algo_class=SelfPlay)
        .environment(env_config=run.model_dump(mode="json"))
        .env_runners(env_runner_cls=SelfPlayRunner, num_env_runners=run.ray.runners)
        .learners(num_learners=run.ray.learners, num_gpus_per_learner=0)
        .rl_module(
            rl_module_spec=RLModuleSpec(module_class=DecisionModule, model_config={"network": run.network.model_dump()})
        )
        .training(
            # One round of samples exceeds this, so each round makes one batch.
            train_batch_size_per_learner=ppo.minibatch // learners,
            minibatch_size=ppo.minibatch // learners,
            num_epochs=ppo.epochs,
            lr=[[0, ppo.learning_rate], [ppo.decisions, ppo.final_learning_rate]],
            entropy_coeff=[[0, ppo.entropy], [ppo.decisions, ppo.final_entropy]],
            gamma=ppo.gamma,
            lambda_=ppo.gae_lambda,
            clip_param=ppo.clip,
            vf_loss_coeff=ppo.value_weight,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=ppo.max_grad_norm,
            grad_clip_by="global_norm",
        )
        .fault_tolerance(restart_failed_env_runners=True, delay_between_env_runner_restarts_s=1.0)
        .debugging(seed=seed, log_level="ERROR")
    )
