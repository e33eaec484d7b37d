"""Groups and their file: a partition that keeps its bound, and nothing that anybody could take for something else."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from understudy._core.errors import OptionError, OutputError, TableError
from understudy.correlate import Groups, Links, read_groups, write_groups


def recognised() -> Groups:
    links = Links.of_pairs(5, [0, 1, 3], [3, 2, 4], [0.9, -0.7, 0.8])
    fields = ("name", "birthday")
    return Groups(
        of_row=np.array([0, 1, 1, 0, 0]), max_rows=3, origin="recognised", links=links, threshold=0.6, fields=fields
    )


@given(st.lists(st.integers(-3, 3), max_size=12))
def test_groups_are_a_partition_whatever_their_numbers(numbers: list[int]) -> None:
    groups = Groups(of_row=np.array(numbers, dtype=np.int64), max_rows=12)
    members = [rows.tolist() for rows in groups.members()]
    assert sorted(row for rows in members for row in rows) == list(range(len(numbers)))
    assert [len(rows) for rows in members] == groups.sizes.tolist()
    assert groups.n_groups == len(set(numbers)) == len(members)
    for rows in members:
        assert len({numbers[row] for row in rows}) == 1


@given(st.integers(2, 7).flatmap(lambda n: st.tuples(st.just(n), _pairs(n))))
def test_links_are_symmetric_with_ones_on_the_diagonal(case: tuple[int, dict[tuple[int, int], float]]) -> None:
    n, pairs = case
    links = Links.of_pairs(n, [a for a, _ in pairs], [b for _, b in pairs], list(pairs.values()))
    dense = links.dense()
    assert np.array_equal(dense, dense.T)
    assert (np.diag(dense) == 1).all()
    first, second, degrees = links.pairs()
    assert dict(zip(zip(first.tolist(), second.tolist(), strict=True), degrees.tolist(), strict=True)) == pairs


def _pairs(n: int) -> Any:
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1])
    return st.dictionaries(pair, st.sampled_from([-1.0, -0.75, 0.5, 0.75, 1.0]), max_size=9)


@pytest.mark.parametrize(
    ("indptr", "indices", "degrees", "message"),
    [
        ([0, 1], [1], [0.5], "not among"),
        ([0, 1, 1], [1], [0.5], "symmetric"),
        ([0, 1, 2], [1, 0], [0.5, 0.6], "symmetric"),
        ([0, 1, 2], [0, 1], [0.5, 0.5], "itself"),
        ([0, 1, 2], [1, 0], [1.5, 1.5], "outside"),
        ([0, 1, 2], [1, 0], [0.0, 0.0], "outside"),
        ([0, 1, 2], [1, 0], [np.nan, np.nan], "outside"),
        ([0, 2, 4], [1, 1, 0, 0], [0.5] * 4, "twice"),
        ([1, 1, 2], [1, 0], [0.5, 0.5], "fit together"),
        ([0, 2, 1], [1, 0], [0.5, 0.5], "fit together"),
    ],
)
def test_links_that_are_no_such_matrix_are_refused(indptr: Any, indices: Any, degrees: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Links(np.array(indptr), np.array(indices), np.array(degrees))


def test_a_group_never_exceeds_the_declared_bound() -> None:
    with pytest.raises(TableError, match="more rows than the declared bound of 2"):
        Groups(of_row=np.array([0, 0, 0]), max_rows=2)
    with pytest.raises(OptionError, match="max_rows"):
        Groups(of_row=np.array([0]), max_rows=0)
    with pytest.raises(OptionError, match="threshold"):
        Groups(of_row=np.array([0]), max_rows=1, threshold=0.0)
    with pytest.raises(ValueError, match="origin"):
        Groups(of_row=np.array([0]), max_rows=1, origin="guessed")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="links of 2"):
        Groups(of_row=np.array([0]), max_rows=1, links=Links.of_pairs(2, [0], [1], [1]))


def test_a_file_of_groups_reads_as_it_was_written(tmp_path: Path) -> None:
    groups, path = recognised(), tmp_path / "groups.parquet"
    write_groups(path, groups)
    again = read_groups(path, n_rows=5)
    assert again.of_row.tolist() == groups.of_row.tolist()
    assert (again.max_rows, again.origin, again.threshold, again.fields) == (3, "recognised", 0.6, ("name", "birthday"))
    assert groups.links is not None
    assert again.links is not None
    assert np.array_equal(again.links.dense(), groups.links.dense())


def test_the_file_is_as_other_programs_expect_it(tmp_path: Path) -> None:
    path = tmp_path / "groups.parquet"
    write_groups(path, recognised())
    table = parquet.read_table(path)
    assert table.schema.names == ["row", "group", "linked", "degree"]
    assert [str(kind) for kind in table.schema.types[:2]] == ["int64", "int64"]
    assert table["row"].to_pylist() == [0, 1, 2, 3, 4]
    assert table["linked"].to_pylist() == [[3], [2], [1], [0, 4], [3]]
    said = json.loads(table.schema.metadata[b"understudy"])
    assert {"kind": "groups", "private": True, "max_rows": 3, "origin": "recognised"}.items() <= said.items()


def test_nobody_else_may_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "groups.parquet"
    write_groups(path, recognised())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_groups_are_not_written_into_a_release(tmp_path: Path) -> None:
    (tmp_path / "release" / "sub").mkdir(parents=True)
    (tmp_path / "release" / "privacy.json").write_text("{}")
    (tmp_path / "way").symlink_to(tmp_path / "release" / "sub")
    for folder in (tmp_path / "release", tmp_path / "release" / "sub", tmp_path / "way"):
        with pytest.raises(OutputError, match="private"):
            write_groups(folder / "groups.parquet", recognised())
    assert sorted(path.name for path in tmp_path.rglob("*.parquet")) == []


def test_groups_are_written_as_parquet_only(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"End it in \.parquet"):
        write_groups(tmp_path / "groups.csv", recognised())


def test_groups_made_by_hand_need_a_declared_bound(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("group,row\nsmith,1\nsmith,0\njones,2\n", encoding="utf-8")
    with pytest.raises(OptionError, match="--max-rows"):
        read_groups(path)
    groups = read_groups(path, n_rows=3, max_rows=2)
    assert groups.of_row.tolist() == [0, 0, 1]
    assert (groups.origin, groups.links, groups.max_rows) == ("declared", None, 2)


def test_a_bound_that_is_given_stands_in_for_the_one_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "groups.parquet"
    write_groups(path, recognised())
    assert read_groups(path, max_rows=7).max_rows == 7
    with pytest.raises(TableError, match="bound of 2"):
        read_groups(path, max_rows=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("row,group\n0,a\n0,b\n1,a\n", "row 0 more than once"),
        ("row,group\n0,a\n2,b\n", "row 1 has no group"),
        ("row,group\n0,a\n1,b\n", "row 2 has no group"),
        ("row,group\n0,a\n1,b\n2,b\n3,b\n", "names row 3"),
        ("row,group\n-1,a\n1,b\n2,b\n", "names row -1"),
        ("row,group\n0,a\n1,b\n2.5,b\n", "whole numbers"),
        ("row,group\n0,a\n1,b\nx,b\n", "whole numbers"),
        ("row,group\n", "names no rows"),
        ("row,group,name\n0,a,b\n", "no others"),
        ("row,cluster\n0,a\n", "no others"),
        ("row,group\n0,a\n1,\n2,b\n", "empty cells"),
        ("row,group\n0,a\n1,a\n2,a\n", "bound of 2"),
    ],
)
def test_a_file_that_is_no_partition_of_the_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "groups.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=message) as caught:
        read_groups(path, n_rows=3, max_rows=2)
    assert str(path) in str(caught.value)


_SAID: dict[str, object] = {
    "kind": "groups",
    "format": "understudy-groups/1",
    "origin": "recognised",
    "max_rows": 2,
    "threshold": 0.6,
    "fields": [],
}


@pytest.mark.parametrize(
    "said",
    [
        b"{}",
        b"[" * 100_000,
        b"\xff",
        json.dumps({**_SAID, "kind": "table"}).encode(),
        json.dumps({**_SAID, "origin": "x"}).encode(),
        json.dumps({**_SAID, "max_rows": True}).encode(),
        json.dumps({**_SAID, "max_rows": 0}).encode(),
        json.dumps({**_SAID, "format": "understudy-groups/9"}).encode(),
        json.dumps({**_SAID, "threshold": 6}).encode(),
        json.dumps({**_SAID, "fields": [1]}).encode(),
    ],
    ids=range(10),
)
def test_a_file_that_lies_about_itself_is_refused(tmp_path: Path, said: bytes) -> None:
    path = tmp_path / "groups.parquet"
    parquet.write_table(pa.table({"row": [0], "group": [0]}).replace_schema_metadata({"understudy": said}), path)
    with pytest.raises(TableError, match="not a file of groups"):
        read_groups(path)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("linked", [[3], [2], [1], [0, 4], []]),
        ("linked", [[3], [2], [1], [0, 4], None]),
        ("linked", [[3], [2], [1], [0, 9], [3]]),
        ("degree", [[0.9], [-0.7], [-0.7], [0.9, 0.8], [0.7]]),
        ("degree", [[0.9], [-0.7], [-0.7], [0.9, 0.8], [None]]),
    ],
)
def test_links_that_were_changed_are_noticed(tmp_path: Path, column: str, values: list[Any]) -> None:
    path = tmp_path / "groups.parquet"
    write_groups(path, recognised())
    table = parquet.read_table(path)
    place = table.schema.get_field_index(column)
    parquet.write_table(table.set_column(place, column, pa.array(values, table.schema.types[place])), path)
    with pytest.raises(TableError, match="changed after it was made"):
        read_groups(path)
