"""What the commands of `train/` refuse: status 2, one line that says why, and nothing is written."""

import pytest

from train import benchmark, best_response, ppo

REFUSED = {
    ppo: [
        (["--config", "nowhere.toml"], "no configuration file nowhere.toml"),
        (["--config", "README.md"], "README.md is no TOML file"),
        (["--set", "ppo.speed=3"], "unknown key 'ppo.speed'"),
        (["--set", "ppo.games=0"], "ppo.games = 0: Input should be greater than or equal to 1"),
        (["--set", "game.num_players=[9]"], "game.num_players.0 = 9: Input should be less than or equal to 8"),
        (["--set", "game.edition=atlantis"], "unknown edition 'atlantis'; published editions: iello-2016"),
        (["--set", 'game.editions=["everdeck", "monopoly"]'], "unknown edition 'monopoly'; published editions"),
        (["--set", "seed=true"], "seed = True: neither true nor false is allowed here"),
        (["--set", "game.num_players=[3, true]"], "game.num_players = [3, True]: neither true nor false"),
        (["--set", "opponents.learner=0.5"], "the shares must add up to 1"),
        (["--set", "seed"], "expected section.key=value"),
        (["--set", "ppo.learning_rate=inf"], "ppo.learning_rate = inf"),
        (["--set", "judge.num_players=1"], "judge.num_players = 1"),
        (["--set", "game.num_players=[3,4,5]", "--set", "ppo.games=2"], "ppo.games = 2 is less than the 3 table sizes"),
        (["--resume", "nowhere"], "nowhere is no run folder: it has no config.toml"),
        (["--set", "start=bag:18"], "start = 'bag:18' is no network that a policy could start from"),
        (["--set", "start=ninja"], "unknown agent 'ninja'"),
        (["--set", "start=nowhere/seed{seed}.safetensors"], "nowhere/seed0.safetensors"),
        (
            ["--set", "start=champion"],
            "start = 'champion' needs network.hidden = [128, 128], activation = 'relu', inputs = ",
        ),
    ],
    best_response: [
        (["nobody"], "unknown agent 'nobody'"),
        (["bag", "--set", "game.num_players=[1]"], "one table size of 2 to 8 is needed"),
        (["bag", "--set", "game.num_players=[3, 4]"], "one table size of 2 to 8 is needed"),
        (["bag", "--set", "ppo.decision=1"], "unknown key 'ppo.decision'"),
        (["bag", "--resume", "nowhere"], "--resume goes on with what the folders say"),
        (["--config", "configs/best_response.toml", "--resume", "nowhere"], "no agent, no pool, no --config"),
        (["--resume", "nowhere"], "nowhere is no run folder"),
    ],
    benchmark: [
        (["--tasks", "chess"], "unknown task 'chess'"),
        (["--algorithms", "sarsa"], "unknown algorithm 'sarsa'"),
        (["--set", "games=1"], "greater than or equal to 100"),
    ],
}


@pytest.mark.parametrize(
    ("command", "arguments", "reason"), [(command, *row) for command, rows in REFUSED.items() for row in rows]
)
def test_what_is_refused(command, arguments, reason, tmp_path, capsys):
    assert command.main([*arguments, "--out", str(tmp_path / "runs")]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith(f"python -m {command.__name__}: error: ")
    assert errors.count("\n") == 1
    assert reason in errors
    assert not list(tmp_path.iterdir())
