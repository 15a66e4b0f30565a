"""Every agent by its text, and the pools."""

import pytest

from diamant_env.opponents import FAMILIES, make
from diamant_env.opponents.pools import POOLS, load_pool
from diamant_env.opponents.registry import DATA

WEAK = ("random", "continue")  # in a pool as the floor of a ranking


def families_of(name):
    return [text.split(":")[0] for text in load_pool(name)]


def test_pools_have_the_size_and_the_families_they_should():
    assert 8 <= len(load_pool("pool")) <= 10
    assert 6 <= len(load_pool("held_out")) <= 8
    assert set(WEAK) <= set(families_of("pool"))
    assert not set(families_of("pool")) & set(families_of("held_out"))
    assert set(families_of("pool")) | set(families_of("held_out")) <= set(FAMILIES)
    assert min(len(set(families_of(name))) for name in POOLS) >= 5


@pytest.mark.parametrize("name", POOLS)
def test_every_member_wins_its_part(name):
    texts = load_pool(name)
    found = pytest.importorskip("diamant_env.judging").hold_tournament(texts, 6_000, seed=7, rated_games=1)
    shares = {standing.agent: standing.win_share.mean for standing in found.standings}
    error = (0.18 * 0.82 / (6_000 * 4 / len(texts))) ** 0.5
    too_weak = {text: share for text, share in shares.items() if share < 0.18 - error and not text.startswith(WEAK)}
    assert too_weak == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("agents = [", "damaged"),
        ("agents = []", "list of at least one text"),
        ("agents = ['bag', 3]", "list of at least one text"),
        ("agents = ['bag', 'sack:3']", "unknown agent 'sack:3'"),
        ("agents = ['bag:7', 'traps', 'bag:7.0']", "'bag:7.0' and 'bag:7' are the same agent"),
        ("agents = ['gone.safetensors']", "no file gone.safetensors"),
    ],
)
def test_pool_files_that_are_wrong(tmp_path, content, message):
    file = tmp_path / "mine.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as error:
        load_pool(file)
    assert "mine.toml" in str(error.value)


def test_a_pool_by_its_name_and_by_its_path(tmp_path):
    assert load_pool(str(DATA / "pool.toml")) == load_pool("pool")
    (tmp_path / "mine.toml").write_text("agents = ['bag:7']", encoding="utf-8-sig")  # with a byte-order mark
    assert load_pool(tmp_path / "mine.toml") == ["bag:7"]
    with pytest.raises(ValueError, match=r"no pool 'pond'.*pools: held_out, pool"):
        load_pool("pond")


def test_a_policy_by_its_file_and_by_the_folder_of_its_run(tmp_path, monkeypatch):
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag" / "policy.safetensors").write_bytes((DATA / "champion.safetensors").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert str(make("./bag")) == "bag"
    assert str(make("bag/policy.safetensors")) == "bag/policy.safetensors"
    assert str(make("bag:7")) == "bag:7"  # a folder named as a family hides nothing
    with pytest.raises(ValueError, match=r"no trained policy .*there is no file gone\.safetensors"):
        make("gone.safetensors")
