"""Other ways through the same games: without observations, to their end, in threads, after pickling."""

from __future__ import annotations

import gc
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from diamant_env import Batch
from diamant_env.editions import EDITIONS
from diamant_env.engine.threads import ThreadTeam
from tests.faults.batches import copies
from tests.faults.child import in_child
from tests.faults.table import Effort

MIXED = {
    "num_players": [1, 2, 3, 4, 5, 6, 7, 8] * 5,
    "edition": [name for name in EDITIONS for _ in range(6)][:40],
}


def random_actions(batch, seed):
    return np.random.default_rng(seed).integers(0, 2, (batch.num_games, batch.seats)).astype(np.int8)


def mixed(reward="win", **arguments):
    if reward == "margin":
        arguments["num_players"] = [max(2, players) for players in MIXED["num_players"]]
    return Batch(40, **{**MIXED, **arguments}, reward=reward)


def as_bytes(arrays):
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize(("threads", "reward"), [(1, "score"), (2, "win"), (3, "margin"), (40, "score")])
def test_play_and_threads_change_no_byte(threads, reward, auto_reset):
    one, other, unseen = mixed(reward), mixed(reward, threads=threads), mixed(reward, threads=threads)
    final = np.zeros((2, *one.reset(1).shape), np.float32)
    finals = [{"auto_reset": True, "final_observations": rows} for rows in final] if auto_reset else [{}, {}]
    assert other.reset(1).tobytes() == unseen.reset(1).tobytes() == one.observe().tobytes()
    for turn in range(60):
        actions = random_actions(one, turn)
        expected = as_bytes(one.step(actions, **finals[0]))
        assert as_bytes(other.step(actions, **finals[1])) == expected
        assert as_bytes(unseen.play(actions, auto_reset=auto_reset)) == expected[1:]
        assert other.games.tobytes() == unseen.games.tobytes() == one.games.tobytes()
    assert final[0].tobytes() == final[1].tobytes()
    assert final.any() == auto_reset
    assert other.play_out().tobytes() == one.play_out().tobytes()


@pytest.mark.parametrize("leave", [0, 0.1, 0.5, 1])
def test_play_out_plays_the_decisions_that_are_drawn(leave):
    one, other = mixed(), mixed()
    one.reset(5)
    other.reset(5)
    chests = one.play_out(leave)
    probability = np.full((40, other.seats), leave, np.float32)
    actions = np.zeros((40, other.seats), np.int8)
    while not other.over.all():
        other.draw_decisions(probability, actions)
        other.step(actions)
    assert one.over.all()
    assert (chests.dtype, chests.shape) == (np.int16, (40, 8))
    assert chests.tobytes() == np.ascontiguousarray(other.games.chest).tobytes()
    assert one.games.tobytes() == other.games.tobytes()
    assert one.play_out(leave).tobytes() == chests.tobytes()  # a game that is over stays so


def test_threads_end_with_their_batch():
    before = set(threading.enumerate())
    batch = mixed(threads=3)
    batch.reset(0)
    batch.play_out()
    started = set(threading.enumerate()) - before
    assert len(started) == 2
    del batch
    gc.collect()
    for thread in started:
        thread.join(600)
        assert not thread.is_alive()


@pytest.mark.parametrize(("raising", "error"), [(1, ZeroDivisionError), (0, KeyboardInterrupt)])
def test_what_a_part_raises_reaches_the_caller_when_the_others_have_ended(raising, error):
    team, done = ThreadTeam(3, 3), []

    def task(part, workspace):
        if part.start == raising:
            raise error("in a part")
        time.sleep(0.1)
        done.append(part.start)

    for turns in (1, 2):  # and the team goes on
        with pytest.raises(error, match="in a part"):
            team.work(task)
        assert sorted(done) == sorted([part for part in range(3) if part != raising] * turns)


def test_a_wait_that_is_cut_off_ends_when_the_others_have_ended():
    team = ThreadTeam(2, 2)
    waits, cut_off, done = threading.Event(), threading.Event(), []

    def until_cut_off(part, workspace):
        if part.start == 0:
            waits.set()  # the caller has done its part and can only wait
        else:
            waits.wait()
            while not cut_off.wait(0.01):  # a signal that comes just before the wait begins does not end it
                signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)
            done.append("others")

    def interrupt(number, frame):
        cut_off.set()
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(TimeoutError):
            team.work(until_cut_off)
        assert done == ["others"]
    finally:
        signal.signal(signal.SIGALRM, before)
    team.work(lambda part, workspace: done.append(part.start))
    assert sorted(done[1:]) == [0, 1]


def test_forks_threads_and_copies_go_on_alike_and_apart(tmp_path):
    for row in copies(Effort(0.03, tmp_path)):
        assert row.passed, row


def test_a_fork_waits_for_a_turn_that_another_thread_plays():
    batch = mixed()
    batch.reset(7)
    playing, forking, done = threading.Event(), threading.Event(), []

    def play():
        with batch._core.lock:
            playing.set()
            forking.wait()
            done.append("turn")

    player = threading.Thread(target=play)
    player.start()
    playing.wait()
    forking.set()
    assert in_child(lambda: batch.step(random_actions(batch, 0))[2].any()).problem is None
    assert done == ["turn"]
    player.join()
    batch.step(random_actions(batch, 0))


@pytest.mark.parametrize("threads", [1, 2])
def test_several_python_threads_may_use_a_batch(threads):
    batches = [mixed(threads=threads) for _ in range(10)]
    for batch in batches:
        batch.reset(7)
    barrier = threading.Barrier(4)

    def play(_user):
        for batch in batches:
            barrier.wait()
            for turn in range(20):
                batch.step(random_actions(batch, turn), auto_reset=True)

    with ThreadPoolExecutor(4) as users:
        list(users.map(play, range(4)))
    for batch in batches:
        batch.restore(batch.games)  # which checks them
