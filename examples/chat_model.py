"""Language model as a player: a function of the observation that asks a model for LEAVE or CONTINUE.

python -m examples.chat_model                     # with a stub in place of a model
python -m examples.chat_model --url http://localhost:8000/v1/chat/completions --model NAME --games 20
"""

from __future__ import annotations

import argparse
import json
import os
import re
import urllib.request
from collections.abc import Callable, Sequence

import numpy as np

from diamant_env import Batch, Edition, Observations
from diamant_env.opponents import SeatedAgents, make_agent

RULES = """\
You play Diamant (Incan Gold), a game of pushing your luck. In each of {expeditions} expeditions all players enter a \
cave, and cards come up from a shuffled deck, one each turn.
- Treasure: its gems are shared equally among the players inside, in whole gems, into their bags. The rest lies on the \
path.
- Trap: the second card of the same kind ends the expedition, and all inside lose their bags.
- Relic: it lies on the path until someone leaves alone, who takes it.
After each card all inside choose at the same time. A player who leaves is safe until the next expedition: the bag \
goes into the chest, and those who leave in the same turn share the gems on the path. The fullest chest wins."""
QUESTION = "Answer with one word alone: LEAVE or CONTINUE."


def prompt(obs: Observations, row: int, edition: Edition) -> str:
    """Return one row of a batch of observations in words."""
    values = {name: int(obs[name][row]) for name in ("expedition", "num_players", "num_inside", "bag", "chest")}
    values |= {name: int(obs[name][row]) for name in ("path_gems", "path_relics", "path_relic_value")}
    rivals = np.flatnonzero(obs["rival_present"][row])
    chests = [f"{obs['rival_chest'][row, rival]:.0f}" for rival in rivals]
    traps = [edition.traps[kind] for kind in np.flatnonzero(obs["traps_on_path"][row])]
    state = f"""\
Expedition {values["expedition"]}. Inside: {values["num_inside"]} of {values["num_players"]} players, you among them.
Your bag: {values["bag"]} gems. Your chest: {values["chest"]} gems. \
The others' chests: {"hidden" if edition.hidden_chests else ", ".join(chests) or "none"}.
On the path: {values["path_gems"]} gems, {values["path_relics"]} relics worth {values["path_relic_value"]}; \
traps: {", ".join(traps) or "none"}.
The next card ends the expedition with a chance of {obs["bust_chance"][row]:.1%}; on average it brings each player \
inside {obs["expected_share"][row]:.2f} gems."""
    return f"{RULES.format(expeditions=edition.expeditions)}\n\n{state}\n\n{QUESTION}"


def leaves(answer: str) -> bool:
    """Return whether the last LEAVE or CONTINUE of an answer is LEAVE; an answer with neither continues."""
    return re.findall("LEAVE|CONTINUE", answer.upper())[-1:] == ["LEAVE"]


def player(ask: Callable[[str], str]) -> Callable[[Observations], np.ndarray]:
    """Return an agent that asks a model, a function from a prompt to its answer, at each of its decisions."""

    def leave(obs: Observations) -> np.ndarray:
        decisions = np.zeros(len(obs.flat), np.float32)
        for edition, rows in obs.by_edition():
            decisions[rows] = [leaves(ask(prompt(obs, row, edition))) for row in rows]
        return decisions

    return leave


def stub(text: str) -> str:
    """Answer as a model that leaves with 12 gems in the bag."""
    return "LEAVE" if int(re.search(r"Your bag: (\d+)", text)[1]) >= 12 else "CONTINUE"


def chat_model(url: str, model: str) -> Callable[[str], str]:
    """Return a function that sends a prompt to a chat-completions API; the key, if any, is in ``API_KEY``."""
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("API_KEY"):
        headers["Authorization"] = f"Bearer {key}"

    def ask(text: str) -> str:
        message = {"model": model, "messages": [{"role": "user", "content": text}], "temperature": 0}
        request = urllib.request.Request(url, json.dumps(message).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]

    return ask


def main(argv: Sequence[str] | None = None) -> None:
    """Play games against copies of an agent, and print the win share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="endpoint of a chat-completions API (a stub answers)")
    parser.add_argument("--model", default="default", help="name of the model on the server (%(default)s)")
    parser.add_argument("--against", default="ev", metavar="AGENT", help="agent in the other seats (%(default)s)")
    parser.add_argument("--games", type=int, default=20, help="each of about 20 decisions (%(default)s)")
    parser.add_argument("--players", type=int, default=3, help="players at the table (%(default)s)")
    args = parser.parse_args(argv)
    agent = make_agent(player(chat_model(args.url, args.model) if args.url else stub))
    # Not `evaluate`: its tables go on with games that don't count, which would cost requests.
    batch = Batch(args.games, args.players, reward="win")
    seating = (np.arange(args.players) != np.arange(args.games)[:, None] % args.players).astype(int)
    batch.reset(0)
    won = SeatedAgents(batch, [agent, make_agent(args.against)], seating).play_out()[seating == 0]
    print(f"win share {won.mean():.3f} ± {1.96 * won.std() / args.games**0.5:.3f}, fair {1 / args.players:.3f}")


if __name__ == "__main__":
    main()
