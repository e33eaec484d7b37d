"""The α-way benchmark: its errors are what they are called, and its table goes where it belongs."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from benchmarks._data import Encoded
from benchmarks.alpha_way import CONTENDERS, PROMISES, Found, Task, as_table, their_row
from benchmarks.peers.setup import PEERS
from benchmarks.run import PAGES, put_between

from tests.docs.blocks import PROJECT

CUBE = np.array(list(product(range(2), repeat=4)))


def _task() -> Task:
    return Task(Encoded("nltcs", ("a", "b", "c", "d"), (2, 2, 2, 2), CUBE), (2, 3))


def test_a_table_is_no_distance_from_itself_in_any_order() -> None:
    assert _task().errors(CUBE[::-1]) == (0.0, 0.0)


def test_the_error_is_the_total_variation_distance_averaged_over_tables() -> None:
    same = np.zeros_like(CUBE)
    assert _task().errors(same) == pytest.approx((3 / 4, 7 / 8))


def test_every_contender_is_a_peer_and_stands_beside_a_promise_of_ours() -> None:
    assert {contender.peer for contender in CONTENDERS} <= set(PEERS)
    assert {contender.beside for contender in CONTENDERS} <= set(PROMISES)


def test_a_row_tells_ratios_and_why_a_run_is_absent() -> None:
    ours, theirs = Found(), Found()
    ours.add(0.2, 1.0, (0.1, 0.2))
    ours.add(1.0, 3.0, (0.05, 0.1))
    theirs.add(1.0, 20.0, (0.1, 0.3))
    theirs.absent[0.2] = "not run"
    row = their_row(_task(), CONTENDERS[0], theirs, ours)
    assert row[3:] == ("0, 1", "20 (7×)", "not run", "0.100, 0.300 (2.0×, 3.0×)")
    assert len(as_table([row, row]).splitlines()) == 4


def test_only_what_stands_between_the_marks_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    begin, end = "<!-- some table: begin -->\n", "<!-- some table: end -->\n"
    page.write_text(f"before\n{begin}old\n{end}after\n")
    put_between(page, "some table", "new\n")
    assert page.read_text() == f"before\n{begin}new\n{end}after\n"


@pytest.mark.parametrize(("page", "mark"), [(page, mark) for _, _, page, mark in PAGES])
def test_every_table_has_one_place_on_its_page(page: str, mark: str) -> None:
    text = (PROJECT / page).read_text(encoding="utf-8")
    begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->\n"
    assert text.count(begin) == text.count(end) == 1
    assert text.index(begin) < text.index(end)
