"""Single-file PPO in PyTorch in the style of CleanRL, on the native Gymnasium VectorEnv.

Install: pip install -c constraints.txt -e ".[evaluation]" torch
Run:     python examples/cleanrl_style.py --steps 300000

Decisions counted: every step of every game.
Mask: not needed. Idle seats: none; one seat learns, and the environment plays the turns for which it is in camp. The
opponents are a function that evaluates the network being trained: self-play.
Limits: three of four seats' decisions are not learned from. With SameStep the observation after an end is the next
game's first, so bootstrapping must stop at `terminations`; games are never truncated. With NextStep, the default, one
step per game would be a reset without a decision.
"""

import argparse

import gymnasium
import torch
from torch import nn

import diamant_env
from diamant_env.evaluation import evaluate

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300_000, help="decisions")
parser.add_argument("--games", type=int, default=20_000, help="games of the evaluation")
parser.add_argument("--num-envs", type=int, default=128)
parser.add_argument("--horizon", type=int, default=64)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--minibatches", type=int, default=8)
parser.add_argument("--learning-rate", type=float, default=1e-3)
parser.add_argument("--gae-lambda", type=float, default=0.95)
parser.add_argument("--clip", type=float, default=0.2)
parser.add_argument("--entropy", type=float, default=0.005)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

torch.manual_seed(args.seed)
torch.set_num_threads(1)
features = diamant_env.NUM_FEATURES
actor = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
critic = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
parameters = [*actor.parameters(), *critic.parameters()]
optimizer = torch.optim.Adam(parameters, lr=args.learning_rate)


def decisions(states):
    """Return the distribution over CONTINUE and LEAVE."""
    return torch.distributions.Categorical(logits=actor(states))


def leave_probability(obs):
    """Return P(LEAVE) by the network being trained, for the three opponents and for the evaluation."""
    with torch.no_grad():
        return decisions(torch.as_tensor(obs.flat)).probs[:, 1].numpy()


envs = gymnasium.make_vec(
    "diamant_env/Diamant-v0",
    num_envs=args.num_envs,
    reward="win",
    opponents=leave_probability,
    autoreset_mode="SameStep",
)

shape = (args.horizon, args.num_envs)
observations = torch.zeros(*shape, features)
actions, logprobs, rewards, ends = (torch.zeros(shape) for _ in range(4))
values = torch.zeros(args.horizon + 1, args.num_envs)
current = torch.as_tensor(envs.reset(seed=args.seed)[0])
updates = max(1, round(args.steps / (args.horizon * args.num_envs)))
for _ in range(updates):
    # Play.
    for step in range(args.horizon):
        with torch.no_grad():
            distribution = decisions(current)
            action = distribution.sample()
            values[step] = critic(current).squeeze(-1)
        observations[step], actions[step], logprobs[step] = current, action, distribution.log_prob(action)
        next_observation, reward, terminations, _, _ = envs.step(action.numpy())
        rewards[step], ends[step] = torch.as_tensor(reward), torch.as_tensor(terminations)
        current = torch.as_tensor(next_observation)

    # Generalised advantage estimation with gamma 1, since games are short and always terminate.
    with torch.no_grad():
        values[-1] = critic(current).squeeze(-1)
    advantages = torch.zeros(shape)
    advantage = torch.zeros(args.num_envs)
    for step in reversed(range(args.horizon)):
        continues = 1 - ends[step]
        error = rewards[step] + continues * values[step + 1] - values[step]
        advantage = error + continues * args.gae_lambda * advantage
        advantages[step] = advantage
    returns = advantages + values[:-1]

    # Learn.
    rows = observations.flatten(0, 1)
    targets = [array.flatten() for array in (actions, logprobs, advantages, returns)]
    for _ in range(args.epochs):
        for chosen in torch.randperm(len(rows)).chunk(args.minibatches):
            action, before, gain, target = (array[chosen] for array in targets)
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            distribution = decisions(rows[chosen])
            ratio = (distribution.log_prob(action) - before).exp()
            policy_loss = -torch.min(ratio * gain, ratio.clamp(1 - args.clip, 1 + args.clip) * gain).mean()
            value_loss = (critic(rows[chosen]).squeeze(-1) - target).square().mean()
            loss = policy_loss + 0.5 * value_loss - args.entropy * distribution.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 0.5)
            optimizer.step()


print(evaluate(("cleanrl_style", leave_probability), against="held-out", games=args.games))
