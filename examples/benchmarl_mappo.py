"""BenchMARL: MAPPO and IPPO, one policy for all seats; a critic observes `state()` (MAPPO) or its seat (IPPO).

Install: pip install -e ".[train]" benchmarl "torchrl<0.12" torch==2.13.0   (in a separate venv)
Run:     python -m examples.benchmarl_mappo --steps 300000
Enter:   python -m train.benchmark --algorithms benchmarl_mappo:mappo benchmarl_mappo:ippo --tasks expedition-2 --quick
         (in an empty folder, with a copy of this file)

Decisions counted: rows whose seat must decide. The library counts turns of a table as frames and stops by frames only;
here the task counts, and an exception stops the run before the budget is exceeded.
Mask: in the infos (mask="info", the default); TorchRL's wrapper moves it to ("player", "action_mask").
Idle seats: rows with the mask [1, 0], which still enter the value loss. In MAPPO each seat has its own critic.
Limits: no batched environment; TorchRL steps one wrapped game after the other. QMIX and VDN maximise the sum of the
seats' rewards, which is another, cooperative game; MAPPO uses rewards by seat. Checkpoints lack Adam's moments.
"""

import contextlib
import io
import itertools

import torch
from benchmarl.algorithms import IppoConfig, MappoConfig
from benchmarl.environments.common import TaskClass
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.data import Composite
from torchrl.envs import PettingZooWrapper, RewardScaling

from diamant_env.opponents.network import NetworkAgent

GAMES = 32  # side by side


class Diamant(TaskClass):
    """BenchMARL's description of a task."""

    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        """Return a factory of environments with distinct seeds."""
        task = self.config["task"]
        seeds = itertools.count(seed + task.budget - task.left)  # a resumed run gets other seeds
        options = {"return_state": True, "categorical_actions": True, "device": device}
        return lambda: PettingZooWrapper(task.parallel_env(), seed=next(seeds), **options)

    def get_env_transforms(self, env):
        """Return the scaling of gems by 1/16, as for every algorithm of the benchmark."""
        scale = 1 if self.config["task"].reward == "win" else 1 / 16
        return [RewardScaling(loc=0, scale=scale, in_keys=[("player", "reward")])]

    def supports_continuous_actions(self):
        """Return False: decisions are discrete."""
        return False

    def supports_discrete_actions(self):
        """Return True: CONTINUE and LEAVE."""
        return True

    def has_render(self, env):
        """Return False: no rendering."""
        return False

    def max_steps(self, env):
        """Return an upper bound on the turns of a game."""
        return 200

    def group_map(self, env):
        """Return one group of all seats."""
        return env.group_map

    def action_spec(self, env):
        """Return the environment's action specification."""
        return env.full_action_spec

    def observation_spec(self, env):
        """Return the observation specification of a seat."""
        return self.part(env, "observation")

    def action_mask_spec(self, env):
        """Return the specification of the action mask."""
        return self.part(env, "action_mask")

    def info_spec(self, env):
        """Return None: no further entries."""
        return None

    def state_spec(self, env):
        """Return the state specification for the centralised critic."""
        return Composite({"state": env.observation_spec["state"].clone()})

    def part(self, env, name):
        """Return one entry of the group's specification."""
        group = env.observation_spec["player"]
        return Composite({"player": Composite({name: group[name].clone()}, shape=group.shape)})

    @staticmethod
    def env_name():
        """Return the environment's name in logs."""
        return "diamant"


class Budget(Callback):
    """Callback that ends the run after the last batch within the budget."""

    def __init__(self, task):
        super().__init__()
        self.task, self.left = task, task.left

    def on_train_end(self, training_td, group):
        """Raise StopIteration if another batch of this size would exceed the budget."""
        before, self.left = self.left, self.task.left
        if self.left < before - self.left:
            raise StopIteration


def mappo(task, budget, seed, folder):
    """Train by MAPPO of BenchMARL."""
    # No shared critic: it would give all seats the same value, while their win shares sum to 1.
    return learn(MappoConfig.get_from_yaml(), False, task, budget, seed, folder)


def ippo(task, budget, seed, folder):
    """Train by IPPO of BenchMARL."""
    return learn(IppoConfig.get_from_yaml(), True, task, budget, seed, folder)


def learn(algorithm, share_critic, task, budget, seed, folder):
    """Train by self-play for the budget, from the last checkpoint if any; return the policy."""
    torch.set_num_threads(1)
    turns = GAMES * min(64, max(1, budget // (100 * GAMES)))  # per batch, at most one percent of the budget
    settings = ExperimentConfig.get_from_yaml()
    settings.loggers, settings.create_json, settings.evaluation, settings.render = [], False, False, False
    settings.max_n_frames, settings.gamma, settings.lr, settings.clip_grad_val = budget, 1.0, 1e-3, 0.5
    settings.on_policy_collected_frames_per_batch, settings.on_policy_n_envs_per_worker = turns, GAMES
    settings.on_policy_n_minibatch_iters, settings.on_policy_minibatch_size = 4, turns // 8
    settings.save_folder, settings.checkpoint_interval = str(folder), 10 * turns
    saved = sorted(folder.glob("*/checkpoints/*.pt"), key=lambda path: path.stat().st_mtime)
    settings.restore_file = str(saved[-1]) if saved else None
    algorithm.lmbda, algorithm.entropy_coef, algorithm.share_param_critic = 0.95, 0.005, share_critic
    layers = MlpConfig(num_cells=[64, 64], layer_class=torch.nn.Linear, activation_class=torch.nn.Tanh)
    game = Diamant(task.name, {"task": task})
    experiment = Experiment(game, algorithm, layers, seed, settings, callbacks=[Budget(task)])
    with contextlib.suppress(StopIteration), contextlib.redirect_stdout(io.StringIO()):  # logged as a failure
        if task.left >= turns * task.players:  # else the budget was spent before the interruption
            experiment.run()
    tensors = [each.detach().numpy().copy() for each in experiment.group_policies["player"].parameters()]
    return NetworkAgent(list(zip(tensors[::2], tensors[1::2], strict=True)), "tanh")


if __name__ == "__main__":
    from examples.judge import report_entry

    report_entry("benchmarl", mappo)
