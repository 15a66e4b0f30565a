"""Agents and pools by text and by file."""

import pytest

from diamant_env.opponents import make_agent
from diamant_env.opponents.pools import POOLS, load_pool
from diamant_env.opponents.registry import DATA


@pytest.mark.parametrize(
    "content",
    [
        "agents = [",
        "agents = []",
        "agents = ['bag', 3]",
        "agents = ['bag', 'sack:3']",
        "agents = ['gone.safetensors']",
    ],
)
def test_invalid_pool_file_is_refused(tmp_path, content):
    file = tmp_path / "mine.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine\.toml"):
        load_pool(file)


def test_pool_by_name_and_path(tmp_path):
    assert load_pool(str(DATA / "pool.toml")) == load_pool("pool")
    (tmp_path / "mine.toml").write_text("agents = ['bag:7']", encoding="utf-8-sig")  # with a byte-order mark
    assert load_pool(tmp_path / "mine.toml") == ["bag:7"]
    with pytest.raises(ValueError, match="pond"):
        load_pool("pond")


def test_held_out_agents_are_of_other_families():
    pool, held_out = ({text.partition(":")[0] for text in load_pool(name)} for name in POOLS)
    assert pool.isdisjoint(held_out)


def test_policy_by_file_and_run_folder(tmp_path, monkeypatch):
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag" / "policy.safetensors").write_bytes((DATA / "champion.safetensors").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert str(make_agent("./bag")) == "bag"
    assert str(make_agent("bag/policy.safetensors")) == "bag/policy.safetensors"
    assert str(make_agent("bag:7")) == "bag:7"  # not shadowed by the folder
