"""Runs are kept line by line, and whatever else stands in the file is passed over."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace

import numpy as np
import pytest

from tests.warm import WarmProcess
from understudy._core.errors import OutputError
from understudy.rehearsal import RunStore, fingerprint, table_hash
from understudy.schema import Attribute, Domain
from understudy.tables import Table


@pytest.mark.parametrize(
    "line",
    [b"\xff\xfe", b"[]", b"7", b'{"key": "x"}', b'{"key": "x", "values": {"2-way": NaN}}', b"\n\n", b"\x00" * 50],
)
def test_lines_that_are_no_runs_are_passed_over(tmp_path, line):
    store = RunStore.open(tmp_path / "c")
    store.add("a", {}, {"2-way": 0.5})
    with store.path.open("ab") as file:
        file.write(line)
    store.add("b", {}, {"2-way": 0.25})
    assert RunStore.open(tmp_path / "c").values == {"a": {"2-way": 0.5}, "b": {"2-way": 0.25}}


WRITER = """
import sys
from pathlib import Path
from understudy.rehearsal import RunStore
store = RunStore.open(Path(sys.argv[1]))
for i in range(100):
    store.add(f"{sys.argv[2]}-{i}", {"filler": "x" * 5000}, {"2-way": i / 100})
"""


def test_two_processes_at_once_spoil_nothing(tmp_path):
    writers = [WarmProcess([str(tmp_path / "c"), name], code=WRITER) for name in ("a", "b")]
    assert [(*writer.communicate(timeout=600), writer.returncode) for writer in writers] == [("", "", 0)] * 2
    assert len(RunStore.open(tmp_path / "c").values) == 200
    lines = (tmp_path / "c" / "runs.jsonl").read_text().splitlines()
    assert all(json.loads(line) for line in lines)


def test_fingerprints_do_not_depend_on_order_and_tables_of_other_columns_differ():
    assert fingerprint(a=1, b=2) == fingerprint(b=2, a=1)
    domain = Domain((Attribute(name="sex", size=2),))
    table = Table(domain, (np.array([0, 1]),))
    assert table_hash(table) != table_hash(Table(Domain((replace(domain[0], name="gender"),)), table.columns))


def test_runs_can_be_forgotten_and_done_again(tmp_path):
    store = RunStore.open(tmp_path / "c")
    store.add("a", {"seconds": 2}, {"2-way": 0.5})
    store.add("b", {}, {"2-way": 0.25})
    store.forget("a")
    assert RunStore.open(tmp_path / "c").values == store.values == {"b": {"2-way": 0.25}}
    store.add("a", {"seconds": 3}, {"2-way": 0.75})
    again = RunStore.open(tmp_path / "c")
    assert again.values == {"b": {"2-way": 0.25}, "a": {"2-way": 0.75}}
    assert (again.seconds("a"), again.seconds("b")) == (3.0, 0.0)


def test_a_full_disk_is_told_with_what_is_kept(tmp_path, monkeypatch):
    store = RunStore.open(tmp_path / "c")
    store.add("a", {}, {"2-way": 0.5})
    monkeypatch.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "no space")))
    with pytest.raises(OutputError, match=r"the disk is full\. Finished runs are kept, and the same command goes on"):
        store.add("b", {}, {"2-way": 0.25})
    monkeypatch.undo()
    assert RunStore.open(tmp_path / "c").values == {"a": {"2-way": 0.5}}
