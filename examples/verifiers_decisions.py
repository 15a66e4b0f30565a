"""Diamant for `verifiers` (0.4): language models that are trained or judged by what each decision loses.

Install ``pip install verifiers==0.4.0 -e ".[judge]"`` and put this folder on the path: the taskset is
`verifiers_decisions`. A task is one decision of an expedition; its reward is what the choice loses in gems against the
equilibrium, exactly (`diamant_env.exact`), 0 at best. With ``whole_games`` a task is a game, paid its win share. An
answer that is neither LEAVE nor CONTINUE is counted as ``illegal`` and loses what the worse choice loses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire

from diamant_env import CONTINUE, LEAVE, Batch, Game, Observations, exact, from_observation
from diamant_env.editions import find_edition
from diamant_env.opponents import Table, make
from diamant_env.opponents.language import CHOICES, parse_answer, rules_in_words, state_in_words

__all__ = ["Asker", "DiamantEnv", "DiamantTaskset"]


class Asker(vf.Harness[vf.HarnessConfig]):
    """One chat completion for each message, in this process."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        """Ask once."""
        prompt = data.prompt
        talk = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else [*map(message_to_wire, prompt)]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(model=ctx.model, messages=talk)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class DiamantConfig(vf.TasksetConfig):
    """What is played; `plays` makes the decisions that lead to a task, the others play the equilibrium."""

    games: int = 100
    players: int = 2
    edition: str = "iello-2016-fr"
    plays: str = "ev"
    seed: int = 0
    whole_games: bool = False
    rivals: str = "ev"


class DiamantData(vf.TaskData):
    """The gems that CONTINUE and LEAVE bring, or the seed of a whole game."""

    values: tuple[float, float] | None = None
    seed: int = 0


class DiamantTask(vf.Task[DiamantData, vf.State, vf.TaskConfig]):
    """One decision, or a game, which `DiamantEnv` scores."""

    @vf.reward
    async def gems(self, trace: vf.Trace) -> float:
        """Return what the choice brings less what the better one brings."""
        if self.data.values is None:
            return 0.0
        leave = parse_answer(trace.last_reply)
        best, worst = max(self.data.values), min(self.data.values)
        return (worst if leave is None else self.data.values[LEAVE if leave else CONTINUE]) - best

    @vf.metric
    async def illegal(self, trace: vf.Trace) -> float:
        """Return how many answers were neither of the two words."""
        return float(sum(parse_answer(str(message.content)) is None for message in trace.assistant_messages))


class DiamantTaskset(vf.Taskset[DiamantTask, DiamantConfig]):
    """Decisions in `games` expeditions, in the order of play; or `games` whole games."""

    def load(self) -> Iterator[DiamantTask]:
        """Yield the tasks."""
        given, played = self.config, find_edition(self.config.edition, hidden_chests=False)
        if given.whole_games:
            for seed in range(given.seed, given.seed + given.games):
                yield DiamantTask(DiamantData(prompt=None, seed=seed), given.task)
            return
        played, n = replace(played, expeditions=1), given.players
        solution, batch = exact.solve_equilibrium(n, find_edition(given.edition)), Batch(given.games, n, played)
        seating = np.arange(n) != np.arange(given.games)[:, None] % n
        table = Table(batch, [make(given.plays), make(f"equilibrium:{given.edition}")], seating.astype(int))
        rows, actions = batch.reset(given.seed), np.zeros(seating.shape, np.int8)
        while not batch.over.all():
            asked = rows[batch.must_decide & ~seating]
            values = solution.action_values(from_observation(asked, np.zeros(len(asked), np.uint64), played))
            for row, pair in zip(asked, values.tolist(), strict=True):
                words = rules_in_words(played, 1, "score"), state_in_words(Observations(row), played), CHOICES
                yield DiamantTask(DiamantData(prompt="\n\n".join(words), values=tuple(pair)), given.task)
            table.decide(rows, actions)
            batch.step(actions, rows)


class DiamantEnvConfig(vf.EnvConfig):
    """The one who is asked."""

    player: vf.AgentConfig = vf.AgentConfig(runtime={"type": "subprocess"})


class DiamantEnv(vf.Env[DiamantEnvConfig]):
    """One answer to a decision; or a game, in which the model sits at seat 0 and is asked turn by turn."""

    async def run(self, task: DiamantTask, agents: vf.Agents) -> None:
        """Play the task."""
        if task.data.values is not None:
            await agents.player.run(task)
            return
        given = self.taskset.config
        game = Game(given.players, given.edition, seed=task.data.seed)
        rivals = [make(given.rivals, seed) for seed in range(1, given.players)]
        rules = rules_in_words(game.edition, game.edition.expeditions, "win")
        random, first = np.random.default_rng(task.data.seed), np.zeros(1, np.bool_)
        async with agents.player.interaction(task) as asked:
            while game.phase != "over":
                if game.phase == "reveal":
                    game.reveal(game.draw())
                    continue
                rows = [Observations(game.observe(seat)[None]) for seat in range(given.players)]
                leave = [float(rival.act(row, first)[0]) for rival, row in zip(rivals, rows[1:], strict=True)]
                actions = np.concatenate([[0], random.random(len(leave)) < leave]).astype(np.int8)
                if game.must_decide[0]:
                    seen = state_in_words(Observations(rows[0].flat[0]), game.edition)
                    segment = await asked.turn(f"{rules}\n\n{seen}\n\n{CHOICES}")
                    actions[0] = parse_answer(segment.last_reply or "") is not False
                game.decide(actions)
        asked.trace.record_reward("win_share", float(game.returns("win")[0]), 1.0)
