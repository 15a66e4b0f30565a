"""BenchMARL: MAPPO on the PettingZoo environment, one policy, and critics that see the whole table.

Install: pip install -e . benchmarl "torchrl<0.12" scipy torch==2.13.0   (in a venv of its own)
Run:     python -m examples.benchmarl_mappo --steps 300000

Counted: rows whose seat must decide; the library counts turns of a table as frames, and a turn has about 3.1 decisions.
Mask: in the infos (mask="info", the default); TorchRL's wrapper moves it to ("player", "action_mask").
Idle seats: rows with the mask [1, 0], which still enter the value loss. Each seat has a critic that sees `state()`.
What it can't do: play many games in one call; TorchRL steps one wrapped game after the other. Its QMIX and VDN maximise
what all seats earn together, which is another, cooperative game; MAPPO is paid by seat, for winning. It wants a task of
its own kind, hence the class below.
"""

import argparse
import tempfile
import time

import torch
from benchmarl.algorithms import MappoConfig
from benchmarl.environments.common import TaskClass
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from tensordict import TensorDict
from torchrl.data import Composite
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import ExplorationType, set_exploration_type

from diamant_env import diamant_v0
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
turns = int(parser.parse_args().steps / 3.1)


class Diamant(TaskClass):
    """What BenchMARL wants to know about a task."""

    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        """Return a function that makes one environment."""
        return lambda: PettingZooWrapper(
            diamant_v0.parallel_env(**self.config),
            return_state=True,
            categorical_actions=True,
            seed=seed,
            device=device,
        )

    def supports_continuous_actions(self):
        """Decisions are discrete."""
        return False

    def supports_discrete_actions(self):
        """CONTINUE and LEAVE."""
        return True

    def has_render(self, env):
        """Nothing is drawn here."""
        return False

    def max_steps(self, env):
        """More turns than a game has."""
        return 200

    def group_map(self, env):
        """All seats are one group."""
        return env.group_map

    def action_spec(self, env):
        """As the environment says."""
        return env.full_action_spec

    def observation_spec(self, env):
        """What a seat sees."""
        return self.part(env, "observation")

    def action_mask_spec(self, env):
        """Which actions are legal."""
        return self.part(env, "action_mask")

    def info_spec(self, env):
        """Nothing else is needed."""
        return None

    def state_spec(self, env):
        """What the centralised critic sees."""
        return Composite({"state": env.observation_spec["state"].clone()})

    def part(self, env, name):
        """Return one entry of the group's specification."""
        group = env.observation_spec["player"]
        return Composite({"player": Composite({name: group[name].clone()}, shape=group.shape)})

    @staticmethod
    def env_name():
        """The environment's name in logs."""
        return "diamant"


class Decisions(Callback):
    """Counts decisions."""

    count = 0

    def on_batch_collected(self, batch):
        """Count the rows whose seat had to decide."""
        self.count += int(batch["player", "observation"][..., 0].sum())


torch.set_num_threads(1)
settings = ExperimentConfig.get_from_yaml()
settings.loggers, settings.create_json, settings.evaluation, settings.render = [], False, False, False
settings.save_folder = tempfile.mkdtemp()
settings.max_n_frames, settings.gamma, settings.lr, settings.clip_grad_val = turns, 1.0, 1e-3, 0.5
settings.on_policy_collected_frames_per_batch = min(2048, turns)
settings.on_policy_n_envs_per_worker = 8
settings.on_policy_n_minibatch_iters, settings.on_policy_minibatch_size = 4, 256
algorithm = MappoConfig.get_from_yaml()
algorithm.lmbda, algorithm.entropy_coef = 0.95, 0.005
algorithm.share_param_critic = False  # a shared one gives all seats the same value, and the wins of a table add up to 1
layers = MlpConfig(num_cells=[64, 64], layer_class=torch.nn.Linear, activation_class=torch.nn.Tanh)
decisions = Decisions()
experiment = Experiment(
    task=Diamant("diamant", {"num_players": 4, "reward": "win"}),
    algorithm_config=algorithm,
    model_config=layers,
    critic_model_config=layers,
    seed=0,
    config=settings,
    callbacks=[decisions],
)
start = time.perf_counter()
experiment.run()
seconds = time.perf_counter() - start


def choose(observations):
    """Ask the policy, which wants four seats: every observation is shown four times."""
    rows = torch.as_tensor(observations).unsqueeze(1).expand(-1, 4, -1).contiguous()
    legal = torch.ones(*rows.shape[:2], 2, dtype=torch.bool)
    seats = TensorDict({"observation": rows, "action_mask": legal}, batch_size=rows.shape[:2])
    with torch.no_grad(), set_exploration_type(ExplorationType.RANDOM):
        told = experiment.policy(TensorDict({"player": seats}, batch_size=len(rows)))
    return told["player", "action"][:, 0].numpy()


report("benchmarl", decisions.count, seconds, choose)
