"""Environment for `verifiers` (0.4): language models are trained or judged by the loss of each decision.

Install ``pip install verifiers==0.4.0 -e ".[judge]"``, put this folder on the path and name the taskset
`verifiers_decisions`, with ``--env.agent.runtime.type subprocess``. A task is one decision of an expedition among
equilibrium players; its reward is minus the exact loss in gems (`diamant_env.exact`). With ``whole_games`` a task is a
game and its reward the win share. An answer other than LEAVE or CONTINUE counts as ``illegal``.
"""

from dataclasses import replace

import numpy as np
import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire

from diamant_env import CONTINUE, LEAVE, Batch, Game, Observations, exact, from_observation
from diamant_env.editions import find_edition
from diamant_env.opponents import Table, make
from diamant_env.opponents.language import CHOICES, parse_answer, rules_in_words, state_in_words

__all__ = ["DecisionHarness", "DiamantEnv", "DiamantTaskset"]


class DecisionHarness(vf.Harness[vf.HarnessConfig]):
    """Harness that sends each message as one chat completion, in this process."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        """Send one message; return the answer."""
        client = AsyncOpenAI(base_url=endpoint, api_key=secret)
        await client.chat.completions.create(model=ctx.model, messages=[*map(message_to_wire, data.prompt)])
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class DiamantConfig(vf.TasksetConfig):
    """Settings; `plays` is the agent whose decisions are the tasks, or the opponent in whole games."""

    games: int = 100
    players: int = 2
    edition: str = "iello-2016-fr"
    plays: str = "ev"
    seed: int = 0
    whole_games: bool = False


class DiamantData(vf.TaskData):
    """Values of CONTINUE and LEAVE in gems, or the seed of a whole game."""

    values: tuple[float, float] | None = None
    seed: int = 0


class DiamantTask(vf.Task[DiamantData, vf.State, vf.TaskConfig]):
    """One decision, or a game, which `DiamantEnv` scores."""

    @vf.reward
    async def gems(self, trace: vf.Trace) -> float:
        """Return the value of the choice less that of the better one."""
        values, leave = self.data.values or (0, 0), parse_answer(trace.last_reply)
        return (min(values) if leave is None else values[LEAVE if leave else CONTINUE]) - max(values)

    @vf.metric
    async def illegal(self, trace: vf.Trace) -> float:
        """Return the number of invalid answers."""
        return float(sum(parse_answer(str(message.content)) is None for message in trace.assistant_messages))


class DiamantTaskset(vf.Taskset[DiamantTask, DiamantConfig]):
    """Tasks: decisions of `games` expeditions in the order of play, or `games` whole games."""

    def load(self):
        """Yield the tasks."""
        given, n = self.config, self.config.players
        if given.whole_games:
            yield from (DiamantTask(DiamantData(seed=given.seed + game), given.task) for game in range(given.games))
            return
        played = replace(find_edition(given.edition, hidden_chests=False), expeditions=1)
        solution, batch = exact.solve_equilibrium(n, given.edition), Batch(given.games, n, played)
        seating = (np.arange(n) != np.arange(given.games)[:, None] % n).astype(int)  # one seat plays `plays`
        table = Table(batch, [make(given.plays), make("equilibrium")], seating)
        batch.reset(given.seed)
        for turn in table.turns():
            asked = turn.observations[(turn.observations[:, :, 0] > 0) & (seating == 0)]
            values = solution.action_values(from_observation(asked, np.zeros(len(asked), np.uint64), played))
            for row, pair in zip(asked, values.tolist(), strict=True):
                words = rules_in_words(played, "score"), state_in_words(Observations(row), played), CHOICES
                prompt = [vf.UserMessage(content="\n\n".join(words))]
                yield DiamantTask(DiamantData(prompt=prompt, values=tuple(pair)), given.task)


class DiamantEnv(vf.Env[vf.SingleAgentEnvConfig]):
    """One decision, or a game in which the model has seat 0."""

    async def run(self, task: DiamantTask, agents: vf.Agents) -> None:
        """Play the task."""
        if task.data.values is not None:
            await agents.agent.run(task)
            return
        given, random = self.taskset.config, np.random.default_rng(task.data.seed)
        game, rival = Game(given.players, given.edition, seed=task.data.seed), make(given.plays)
        rules = rules_in_words(game.edition, "win")
        async with agents.agent.interaction(task) as asked:
            while game.phase != "over":
                if game.phase == "reveal":
                    game.reveal(game.draw())
                    continue
                rows = Observations(np.stack([game.observe(seat) for seat in range(given.players)]), game.edition)
                actions = (random.random(given.players) < rival.act(rows, np.zeros(given.players, np.bool_))).astype(
                    int
                )
                if game.must_decide[0]:
                    seen = state_in_words(Observations(rows.flat[0]), game.edition)
                    reply = await asked.turn(f"{rules}\n\n{seen}\n\n{CHOICES}")
                    actions[0] = parse_answer(reply.last_reply or "") is not False  # an illegal answer is LEAVE
                game.decide(actions)
        asked.trace.record_reward("win_share", float(game.returns("win")[0]), 1.0)
