"""docs/task_pages.py: every task is measured, the figures come again, and a page's film and record are one game."""

import json

import pytest
import task_pages  # docs/task_pages.py

from diamant_env import list_tasks
from diamant_env.commands import diamant
from diamant_env.records import GameRecord

FIGURES = json.loads(task_pages.MEASURED.read_text(encoding="utf-8"))
TASKS = {task_pages.short(task): task for task in list_tasks()}


def test_every_task_is_measured():
    assert list(FIGURES) == list(TASKS)
    for figures in FIGURES.values():
        assert tuple(figures["agents"]) == task_pages.AGENTS
        assert all(low <= mean <= high for row in figures["agents"].values() for mean, low, high in row.values())


def test_figures_come_again(monkeypatch):
    monkeypatch.setattr(task_pages, "AGENTS", ("ev:0.75",))
    written = FIGURES["Diamant-Solitaire-v0"]
    found = task_pages.measure(*task_pages.played(TASKS["Diamant-Solitaire-v0"]))
    assert found == written | {"agents": {"ev:0.75": written["agents"]["ev:0.75"]}}


def test_the_figures_where_chests_are_hidden_are_those_of_the_command(tmp_path):
    written = FIGURES["Diamant-incan-gold-v0"]["agents"]["ev:0.75"]
    out = tmp_path / "judged.json"
    words = ["--against", "held-out", "--edition", "incan-gold", "--out", str(out)]
    assert diamant.main(["evaluate", "ev:0.75", *words]) == 0
    (row,) = json.loads(out.read_text())["results"]
    for name, figure in (("win", row["win_share"]), ("score", row["score"])):
        assert written[name] == [round(figure[part], 4) for part in ("mean", "low", "high")]
    sat = ", ".join(f"`{rival}`" for rival in row["rivals"])
    told = f"held-out agents that need no open chests ({sat}; not `catch-up:16,0.5`, `catch-up:22,1`)."
    assert told in (task_pages.ROOT / "docs" / "tasks.md").read_text()


@pytest.mark.parametrize("name", ["Diamant-OneExpedition-3p-v0", "Diamant-incan-gold-v0"])
def test_turns_and_busts_are_those_of_the_games(name):
    players, edition = task_pages.played(TASKS[name])
    records = [task_pages.record_of(players, edition, seed) for seed in range(20)]
    busts = [turn.bust for record in records for turn in record.turns]
    measured = task_pages.measure(players, edition, 20)
    assert measured["turns"] == (len(busts) - sum(busts)) / 20
    assert measured["busts"] == round(sum(busts) / 20 / edition.expeditions, 4)


def test_a_page_shows_the_game_of_its_film(tmp_path):
    pytest.importorskip("pygame")
    pytest.importorskip("PIL")
    task = TASKS["Diamant-OneExpedition-2p-v0"]
    record = task_pages.record_of(*task_pages.played(task))
    page = task_pages.page(task, FIGURES[task_pages.short(task)], record)
    assert GameRecord.from_text(page.split("```text\n")[1].split("```")[0]) == record
    task_pages.film(record, tmp_path / "game.gif")
    again = tmp_path / "again.gif"
    task_pages.film(record, again)
    assert (tmp_path / "game.gif").read_bytes() == again.read_bytes()
    assert 1_000 < again.stat().st_size < 150_000
