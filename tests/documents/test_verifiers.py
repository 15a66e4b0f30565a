"""examples/verifiers_decisions.py against a scripted server: rewards are what `judge_decisions` calls a loss."""

import asyncio
import threading
from pathlib import Path

import numpy as np
import pytest

from diamant_env.judging import judge_decisions
from diamant_env.judging.intervals import mean_of_tables
from tests.documents.test_chat_model import Server
from tests.exact.test_exact import compiled_only
from tests.opponents.test_text_agent import ev

vf = pytest.importorskip("verifiers.v1")

pytestmark = compiled_only


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "examples")
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def episodes(server: Server, **settings) -> list:
    """Play all tasks of the taskset."""
    from verifiers.v1.utils.loaders import load_environment
    from verifiers_decisions import DiamantConfig

    taskset, agent = DiamantConfig(id="verifiers_decisions", **settings), vf.AgentConfig(runtime={"type": "subprocess"})
    env = load_environment(vf.SingleAgentEnvConfig(taskset=taskset, agent=agent))
    client = vf.EvalClientConfig(base_url=server.url.removesuffix("/chat/completions"), api_key_var="NO_KEY")
    context = vf.ModelContext(model="scripted", client=client)

    async def play() -> list:
        async with env.serving():
            return [await env.run_episode(task, context) for task in env.taskset]

    return asyncio.run(play())


def test_the_mean_reward_is_the_loss_of_a_decision(server):
    server.answer = ev
    played = episodes(server, games=12, seed=5)
    assert not [error for episode in played for error in episode.errors]
    rewards = [episode.traces[0].reward for episode in played]
    assert "expedition 1 of" not in played[0].traces[0].task.data.prompt_text
    assert max(rewards) <= 0
    judged = judge_decisions("ev", games=400, players=2).losses[0].loss
    ours = mean_of_tables(-np.array(rewards), np.ones(len(rewards)))
    assert judged.low - (ours.high - ours.mean) < ours.mean < judged.high + (ours.mean - ours.low)
    assert sum(episode.traces[0].metrics["illegal"] for episode in played) == 0


def test_a_whole_game_is_paid_its_win_share(server):
    server.answer = ev
    (episode,) = episodes(server, games=1, whole_games=True, players=3)
    assert not episode.errors
    trace = episode.traces[0]
    assert trace.reward in (0, 1 / 3, 1 / 2, 1)
    assert trace.metrics["illegal"] == 0
    assert len(server.sent) == len(trace.assistant_messages) >= 5
