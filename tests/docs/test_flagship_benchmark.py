"""The benchmark of the default release: errors are what they are called, limits hold, its table tells ratios."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from benchmarks._child import Limits, run_child
from benchmarks._flagship_runs import CONTENDERS, FIELD, Run, distances, sparse_distance, tables_of
from benchmarks._flagship_table import Cell, as_brief, as_table, cells_of, line_of
from benchmarks.flagship import keep, take_up
from benchmarks.peers.setup import PEERS

from understudy.rehearsal import RunStore
from understudy.schema import Attribute, Domain
from understudy.tables import Table

CUBE = np.array(list(product(range(3), repeat=3)))
DOMAIN = Domain(tuple(Attribute(name=name, size=3) for name in "abc"))


def _table(codes: np.ndarray) -> Table:
    return Table(DOMAIN, tuple(np.ascontiguousarray(column) for column in codes.T))


def test_counting_where_there_are_rows_gives_the_distance_of_counting_whole() -> None:
    rng = np.random.default_rng(5)
    real, other = (_table(rng.integers(3, size=(size, 3)) ** 2 % 3) for size in (40, 70))
    groups = tables_of(3, 2) + tables_of(3, 3)
    assert [sparse_distance(real, other, group) for group in groups] == pytest.approx(distances(real, other, groups))


def test_a_distance_is_half_the_sum_of_differences_in_shares() -> None:
    all_zero = _table(np.zeros_like(CUBE))
    assert sparse_distance(_table(CUBE), all_zero, (0, 1)) == pytest.approx(8 / 9)


def test_few_tables_are_all_taken_and_many_are_drawn_the_same_each_time() -> None:
    assert len(tables_of(50, 3)) == 19_600
    assert len(tables_of(500, 3)) == 2_000
    assert tables_of(500, 3) == tables_of(500, 3)


@pytest.mark.parametrize(
    ("code", "limits", "told"),
    [
        ("pass", Limits(), None),
        ("raise SystemExit('no such thing')", Limits(), "it failed with: no such thing"),
        ("while True: pass", Limits(cpu=0.2), "no result within 0.2 CPU s"),
        ("import time; time.sleep(60)", Limits(clock=0.3), "no result within 0.3 s"),
        (
            "x = bytearray(300_000_000); import time; time.sleep(60)",
            Limits(memory_mb=200),
            "stopped at 0.2 GB of memory",
        ),
    ],
)
def test_a_process_is_stopped_at_its_limits_and_its_failure_is_told(
    code: str, limits: Limits, told: str | None
) -> None:
    child = run_child([sys.executable, "-c", code], limits=limits)
    assert child.problem == told
    assert child.cpu > 0
    assert child.peak_mb > 1


def test_every_contender_has_an_environment_and_a_key_of_its_own() -> None:
    assert {contender.peer for contender in CONTENDERS.values()} <= set(PEERS)
    assert len({Run("nltcs", name, 1.0, 0).key for name in CONTENDERS}) == len(CONTENDERS)


def _cell(method: str, *errors: float, problem: str | None = None) -> Cell:
    values = tuple({"2-way": error, "cpu": 2.0, "peak_mb": 100.0} for error in errors)
    return Cell("demo", method, FIELD, 1.0, values, problem)


def test_a_line_tells_whether_the_target_is_met_and_how_many_times_our_error_a_peer_has() -> None:
    cells = [_cell("adaptive", 0.02, 0.04), _cell("mbi-mst", 0.06), _cell("mbi-aim", problem="stopped at 12 GB")]
    ours, peer, failed = (line_of(cell, cells) for cell in cells)
    assert (ours.met, ours.target) == (True, "at most 0.04")
    assert "0.0300 ± 0.0100" in ours.ours
    assert peer.ratio == pytest.approx(2.0)
    assert "stopped at 12 GB" in failed.other
    assert "0.0600 (2.00×)" in as_table(cells)


def test_runs_that_gave_nothing_are_no_part_of_a_mean() -> None:
    store = RunStore()
    runs = [Run("demo", "mbi-mst", 1.0, seed) for seed in (1, 2)]
    store.add(runs[0].key, {"problem": "it failed"}, {"cpu": 1.0})
    store.add(runs[1].key, {"problem": None}, {"cpu": 3.0, "2-way": 0.5})
    (cell,) = cells_of(runs, store)
    assert cell.mean("cpu") == 3.0
    assert cell.problem == "it failed"


def test_peers_runs_are_kept_and_taken_up_again_but_none_of_ours(tmp_path: Path) -> None:
    store, again = RunStore(), RunStore()
    for method in ("mbi-mst", "adaptive"):
        store.add(method, {"method": method, "problem": None}, {"cpu": 3.0})
    keep(store, tmp_path / "runs.jsonl")
    take_up(again, tmp_path / "runs.jsonl")
    assert again.values == {"mbi-mst": {"cpu": 3.0}}
    assert again.facts["mbi-mst"]["method"] == "mbi-mst"


def test_the_brief_table_has_a_row_a_table_with_ratios_and_what_was_used() -> None:
    cells = [_cell("adaptive", 0.02, 0.04), _cell("mbi-mst", 0.06), _cell("mbi-aim", problem="stopped at 12 GB")]
    (*_, row) = as_brief(cells).splitlines()
    assert row == "| the demo, 2-way | 0.0300 | none | 2.0× |  | 2.0 / – / 2.0 / – | 100 / – / 100 / – |"
    (*_, row) = as_brief([*cells, _cell("dpsynth-swift", 0.045)]).splitlines()
    assert row == "| the demo, 2-way | 0.0300 | none | 2.0× | 1.5× | 2.0 / – / 2.0 / 2.0 | 100 / – / 100 / 100 |"
