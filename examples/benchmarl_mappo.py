"""BenchMARL: MAPPO, or QMIX on the score, on the PettingZoo environment.

Install: pip install -e . benchmarl "torchrl<0.12" torch==2.13.0   (in a venv of its own)
Run:     python -m examples.benchmarl_mappo --steps 10000
         python -m examples.benchmarl_mappo --algorithm qmix --steps 10000

Mask: in the infos (mask="info", the default); TorchRL's wrapper moves it to ("player", "action_mask").
Idle seats: rows with the mask [1, 0]. The critic of MAPPO and the mixer of QMIX see `state()`.
Mind: QMIX maximises what all seats earn together. Here that is the sum of the scores, so this is another, cooperative
game and not Diamant: its policy is not comparable. MAPPO is paid by seat, for winning.
"""

import argparse
import tempfile

import torch
from benchmarl.algorithms import MappoConfig, QmixConfig
from benchmarl.environments.common import TaskClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from tensordict import TensorDict
from torchrl.data import Composite
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import ExplorationType, set_exploration_type

from diamant_env import diamant_v0
from examples.judge import report

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10_000)
parser.add_argument("--algorithm", choices=["mappo", "qmix"], default="mappo")
args = parser.parse_args()


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


cooperative = args.algorithm == "qmix"
task = Diamant("diamant", {"num_players": 4, "reward": "score" if cooperative else "win"})
settings = ExperimentConfig.get_from_yaml()
settings.loggers, settings.create_json, settings.evaluation, settings.render = [], False, False, False
settings.save_folder = tempfile.mkdtemp()
settings.max_n_frames, settings.gamma, settings.lr = args.steps, 0.99, 1e-3
frames = min(1000, args.steps)
settings.on_policy_collected_frames_per_batch = settings.off_policy_collected_frames_per_batch = frames
settings.on_policy_n_envs_per_worker = settings.off_policy_n_envs_per_worker = 2
settings.on_policy_n_minibatch_iters, settings.on_policy_minibatch_size = 4, 250
settings.off_policy_n_optimizer_steps = 20
layers = MlpConfig(num_cells=[64, 64], layer_class=torch.nn.Linear, activation_class=torch.nn.Tanh)
algorithm = (QmixConfig if cooperative else MappoConfig).get_from_yaml()
experiment = Experiment(
    task=task, algorithm_config=algorithm, model_config=layers, critic_model_config=layers, seed=0, config=settings
)
experiment.run()


def choose(observations):
    """Ask the policy, which wants four seats: every observation is shown four times."""
    rows = torch.as_tensor(observations).unsqueeze(1).expand(-1, 4, -1).contiguous()
    legal = torch.ones(*rows.shape[:2], 2, dtype=torch.bool)
    seats = TensorDict({"observation": rows, "action_mask": legal}, batch_size=rows.shape[:2])
    how = ExplorationType.DETERMINISTIC if cooperative else ExplorationType.RANDOM
    with torch.no_grad(), set_exploration_type(how):
        told = experiment.policy(TensorDict({"player": seats}, batch_size=len(rows)))
    return told["player", "action"][:, 0].numpy()


report("benchmarl", experiment.total_frames, choose)
