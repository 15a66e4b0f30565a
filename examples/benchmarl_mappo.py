"""BenchMARL: MAPPO or IPPO, one policy for all seats; a critic observes `state()` (MAPPO) or its seat (IPPO).

Install: pip install -e ".[evaluation]" benchmarl "torchrl<0.12" torch==2.13.0   (in a separate venv)
Run:     python examples/benchmarl_mappo.py --turns 100000
         python examples/benchmarl_mappo.py --turns 100000 --independent

Decisions counted: none; BenchMARL stops by turns of a table, its frames.
Mask: in the infos (mask="info", the default); TorchRL's wrapper moves it to ("player", "action_mask").
Idle seats: rows with the mask [1, 0], which still enter the value loss. In MAPPO each seat has its own critic: a shared
one would give all seats the same value, while their win shares sum to 1.
Limits: no batched environment; TorchRL steps one wrapped game after the other. QMIX and VDN maximise the sum of the
seats' rewards, which is another, cooperative game; MAPPO uses rewards by seat.
"""

import argparse
import itertools
from tempfile import TemporaryDirectory

import torch
from benchmarl.algorithms import IppoConfig, MappoConfig
from benchmarl.environments.common import TaskClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.data import Composite
from torchrl.envs import PettingZooWrapper

from diamant_env import diamant_v0
from diamant_env.evaluation import evaluate
from diamant_env.opponents.network import NetworkAgent

parser = argparse.ArgumentParser()
parser.add_argument("--turns", type=int, default=100_000, help="turns of a table, with about three decisions each")
parser.add_argument("--independent", action="store_true", help="IPPO instead of MAPPO")
parser.add_argument("--games", type=int, default=20_000, help="games of the evaluation")
args = parser.parse_args()
TABLES = 32  # side by side


class Diamant(TaskClass):
    """BenchMARL's description of a task."""

    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        """Return a factory of environments with distinct seeds."""
        seeds = itertools.count(seed)
        options = {"return_state": True, "categorical_actions": True, "device": device}
        return lambda: PettingZooWrapper(
            diamant_v0.parallel_env(num_players=4, reward="win"), seed=next(seeds), **options
        )

    def supports_continuous_actions(self):
        return False

    def supports_discrete_actions(self):
        return True

    def has_render(self, env):
        return False

    def max_steps(self, env):
        """Return an upper bound on the turns of a game."""
        return 200

    def group_map(self, env):
        return env.group_map

    def action_spec(self, env):
        return env.full_action_spec

    def observation_spec(self, env):
        return self.part(env, "observation")

    def action_mask_spec(self, env):
        return self.part(env, "action_mask")

    def info_spec(self, env):
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
        return "diamant"


torch.set_num_threads(1)
batch = TABLES * min(64, max(1, args.turns // (100 * TABLES)))  # turns
settings = ExperimentConfig.get_from_yaml()
settings.loggers, settings.create_json, settings.evaluation, settings.render = [], False, False, False
settings.max_n_frames, settings.gamma, settings.lr, settings.clip_grad_val = args.turns, 1.0, 1e-3, 0.5
settings.on_policy_collected_frames_per_batch, settings.on_policy_n_envs_per_worker = batch, TABLES
settings.on_policy_n_minibatch_iters, settings.on_policy_minibatch_size = 4, batch // 8
algorithm = (IppoConfig if args.independent else MappoConfig).get_from_yaml()
algorithm.lmbda, algorithm.entropy_coef, algorithm.share_param_critic = 0.95, 0.005, args.independent
layers = MlpConfig(num_cells=[64, 64], layer_class=torch.nn.Linear, activation_class=torch.nn.Tanh)
with TemporaryDirectory() as folder:
    settings.save_folder = folder
    experiment = Experiment(Diamant("diamant", {}), algorithm, layers, 0, settings)
    experiment.run()
tensors = [parameter.detach().numpy().copy() for parameter in experiment.group_policies["player"].parameters()]
agent = NetworkAgent(list(zip(tensors[::2], tensors[1::2], strict=True)), "tanh")
print(evaluate(("benchmarl_mappo", agent), against="held-out", games=args.games))
