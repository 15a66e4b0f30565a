"""TorchRL: PPO with shared parameters on the PettingZoo environment.

Install: pip install -c constraints.txt ".[sb3,evaluation]" torchrl==0.14.1
Run:     python examples/torchrl_ppo.py --steps 300000

Decisions counted: rows whose seat must decide; the library counts turns of a table, with a row for every seat.
Mask: in the infos (mask="info", the default); `PettingZooWrapper` moves it to ("player", "action_mask").
Idle seats: rows with the mask [1, 0]; `MaskedCategorical` gives their only action probability 1, hence no policy
gradient. All seats stay until the end, so no `use_mask` is needed.
Limits: no batched environment. `SerialEnv` steps one wrapped game after the other, and its tensors cost more than the
game. `rollout` takes the most probable actions unless `ExplorationType.RANDOM` is set. Infos must be numbers with the
same keys at every step; the seats form one group, "player".
"""

import argparse

import torch
from tensordict.nn import TensorDictModule
from torchrl.envs import PettingZooWrapper, SerialEnv
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MaskedCategorical, MultiAgentMLP, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss, ValueEstimators

from diamant_env import diamant_v0
from diamant_env.evaluation import evaluate

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
parser.add_argument("--games", type=int, default=20_000, help="games of the evaluation")
args = parser.parse_args()

torch.manual_seed(0)
torch.set_num_threads(1)


def make_env():
    """Return one table."""
    return PettingZooWrapper(diamant_v0.parallel_env(num_players=4, reward="win"), categorical_actions=True)


env = SerialEnv(8, make_env)
env.set_seed(0)
features = env.observation_spec["player", "observation"].shape[-1]


def network(outputs):
    """Return one network for all four seats, each of which sees its own observation."""
    return MultiAgentMLP(features, outputs, n_agents=4, centralized=False, share_params=True, depth=2, num_cells=64)


logits = TensorDictModule(network(2), in_keys=[("player", "observation")], out_keys=[("player", "logits")])
actor = ProbabilisticActor(
    logits,
    in_keys={"logits": ("player", "logits"), "mask": ("player", "action_mask")},
    out_keys=[("player", "action")],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
    log_prob_key=("player", "log_prob"),
)
critic = TensorDictModule(network(1), in_keys=[("player", "observation")], out_keys=[("player", "state_value")])
loss = ClipPPOLoss(
    actor, critic, entropy_coeff=0.005, critic_coeff=0.5, loss_critic_type="l2", normalize_advantage=True
)
loss.set_keys(
    action=("player", "action"),
    sample_log_prob=("player", "log_prob"),
    value=("player", "state_value"),
    advantage=("player", "advantage"),
    value_target=("player", "value_target"),
    reward=("player", "reward"),
    done=("player", "done"),
    terminated=("player", "terminated"),
)
loss.make_value_estimator(ValueEstimators.GAE, gamma=1.0, lmbda=0.95)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)

turns, decisions = min(256, args.steps), 0
while decisions < args.steps:
    with torch.no_grad(), set_exploration_type(ExplorationType.RANDOM):
        batch = env.rollout(turns, actor, break_when_any_done=False)  # (games, turns)
        loss.value_estimator(batch, params=loss.critic_network_params, target_params=loss.target_critic_network_params)
    decisions += int(batch["player", "observation"][..., 0].sum())
    rows = batch.reshape(-1)
    for _ in range(4):
        for chosen in torch.randperm(len(rows)).chunk(8):
            losses = loss(rows[chosen])
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            torch.nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()


def leave_probability(obs):
    """Return P(LEAVE); every observation is repeated for the four seats that the network expects."""
    with torch.no_grad():
        rows = torch.as_tensor(obs.flat).unsqueeze(1).expand(-1, 4, -1)
        return logits.module(rows)[:, 0].softmax(-1)[:, 1].numpy()


print(evaluate(("torchrl_ppo", leave_probability), against="held-out", games=args.games))
