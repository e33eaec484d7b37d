"""Real rows that break what is declared: refused, dropped or mended, and what becomes of a row is its own affair."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import understudy.tables._broken as module
from understudy._core.errors import TableError
from understudy.schema import Schema
from understudy.tables import Table, check_table, keep_declared
from understudy.tables._dependency_checks import DependencyReader

SCHEMA = Schema.from_dict(
    {
        "fields": [
            {"name": "young", "type": "boolean"},
            {"name": "hours", "categories": ["few", "many"], "constraints": {"required": False}},
            {"name": "code", "categories": ["a1", "b1"]},
            {"name": "group", "categories": ["a", "b"]},
            {"name": "from", "type": "integer", "bins": 3, "constraints": {"minimum": 0, "maximum": 2}},
            {"name": "to", "type": "integer", "bins": 3, "constraints": {"minimum": 0, "maximum": 2}},
        ],
        "dependencies": [
            {"missing": "hours", "when": {"young": True}},
            {"determines": "code", "column": "group", "map": {"a1": "a", "b1": "b"}},
            {"impossible": {"code": "b1", "hours": "many"}},
            {"lower": "from", "upper": "to"},
        ],
    }
)
SIZES = [attribute.size for attribute in SCHEMA.domain]
ROWS = np.array(list(product(*map(range, SIZES))))


def table(rows: Any) -> Table:
    return Table(SCHEMA.domain, tuple(np.asarray(rows).reshape(-1, len(SIZES)).T))


def kept(rows: Any, policy: Any, *, dropping: bool = True) -> np.ndarray:
    found, _ = keep_declared(table(rows), SCHEMA.fields, SCHEMA.dependencies, policy, dropping=dropping)
    return np.stack(found.columns, axis=1).astype(int)


def keeps(row: Any) -> bool:
    young, hours, code, group, low, high = row
    return (hours == 2) == bool(young) and code == group and not (code == 1 and hours == 1) and low <= high


def test_rows_that_keep_everything_stay_as_they_are_and_others_go() -> None:
    good = [row for row in ROWS.tolist() if keeps(row)]
    for policy in ("refuse", "drop", "mend"):
        assert kept(good, policy).tolist() == good
    assert kept(ROWS, "drop").tolist() == good
    assert all(keeps(row) for row in kept(ROWS, "mend").tolist())


@pytest.mark.parametrize(
    ("row", "mended"),
    [
        ([1, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0]),  # young, and hours given: they become missing
        ([0, 0, 1, 0, 0, 0], [0, 0, 1, 1, 0, 0]),  # the group as the map has it
        ([0, 0, 0, 0, 2, 0], [0, 0, 0, 0, 2, 2]),  # the upper end raised
        ([1, 1, 1, 0, 1, 0], [1, 2, 1, 1, 1, 1]),  # all of it
        ([0, 2, 0, 0, 0, 0], None),  # hours are missing, and nobody knows them
        ([0, 1, 1, 1, 0, 0], None),  # hours would have to be missing, and must not be
    ],
)
def test_what_mending_does(row: list[int], mended: list[int] | None) -> None:
    rows = [[0, 0, 0, 0, 0, 0], row]
    assert kept(rows, "mend").tolist() == [rows[0], *([] if mended is None else [mended])]


def test_the_holder_is_told_which_rows_and_nothing_of_what_is_in_them() -> None:
    rows = [[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 2, 0], [0, 0, 0, 0, 2, 1]]
    with pytest.raises(TableError) as caught:
        kept(rows, "refuse")
    assert [fault.split("). ")[0] for fault in caught.value.faults] == [
        "1 row breaks the dependency hours missing exactly when young=true (row 2",
        "2 rows break the dependency from ≤ to (rows 2, 3",
    ]
    assert all("before the data are seen" in fault for fault in caught.value.faults)
    with pytest.raises(TableError, match="Nothing mends it"):
        kept([[0, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0]], "mend", dropping=False)


def test_that_no_row_is_left_is_no_fault_since_another_row_would_hide_it() -> None:
    for policy in ("drop", "mend"):
        assert kept([[0, 2, 0, 0, 0, 0]], policy).tolist() == []


def own_affair(policy: Any) -> bool:
    """Whether each row becomes the same whatever other rows there are: then neighbours become neighbours."""
    anchor = [0, 0, 0, 0, 0, 0]
    alone = {tuple(row): kept([anchor, row], policy)[1:].tolist() for row in ROWS.tolist()}
    whole = [made for row in ROWS.tolist() for made in alone[tuple(row)]]
    twice = [made for row in ROWS[::-1].tolist() for made in 2 * alone[tuple(row)]]
    return bool(
        kept(ROWS, policy).tolist() == whole and kept(np.repeat(ROWS[::-1], 2, axis=0), policy).tolist() == twice
    )


@pytest.mark.parametrize("policy", ["drop", "mend"])
def test_a_row_becomes_the_same_whatever_others_there_are(policy: Any) -> None:
    assert own_affair(policy)


def test_mending_by_what_other_rows_have_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_others(part: Any, fields: Any, dependency: Any, checks: Any) -> None:
        broken = np.any([check.broken(part) for check in checks], axis=0)
        part[5] = np.where(broken, part[5].max(), part[5])

    monkeypatch.setattr(module, "_mend", by_others)
    assert not own_affair("mend")


def as_frame(rows: Any) -> pd.DataFrame:
    """Rows of codes as the values that they stand for."""
    young, hours, code, group, low, high = np.asarray(rows).reshape(-1, len(SIZES)).T
    return pd.DataFrame(
        {
            "young": young == 1,
            "hours": [["few", "many", None][h] for h in hours],
            "code": [["a1", "b1"][c] for c in code],
            "group": [["a", "b"][g] for g in group],
            "from": low,
            "to": high,
        }
    )


def test_a_check_counts_the_rows_that_break_each_dependency_and_names_the_first() -> None:
    report = check_table(as_frame(ROWS), SCHEMA)
    breaks = [
        (ROWS[:, 1] == 2) != (ROWS[:, 0] == 1),
        ROWS[:, 2] != ROWS[:, 3],
        (ROWS[:, 2] == 1) & (ROWS[:, 1] == 1),
        ROWS[:, 4] > ROWS[:, 5],
    ]
    assert [one.broken for one in report.dependencies] == [int(flags.sum()) for flags in breaks]
    assert [list(one.rows) for one in report.dependencies] == [(np.flatnonzero(f)[:5] + 1).tolist() for f in breaks]
    assert not report.ok
    assert len(report.faults) == 4
    good = check_table(as_frame([row for row in ROWS.tolist() if keeps(row)]), SCHEMA)
    assert (good.ok, good.faults, [one.broken for one in good.dependencies]) == (True, (), [0] * 4)


@pytest.mark.parametrize("policy", ["drop", "mend"])
def test_rows_that_the_schema_says_what_becomes_of_are_told_and_no_fault(policy: Any) -> None:
    said = Schema.from_dict({**SCHEMA.to_dict(), "brokenRows": policy})
    report = check_table(as_frame([[0, 0, 0, 0, 2, 0]]), said)
    assert (report.ok, report.faults) == (True, ())
    assert f"(row 1). It will be {'left out' if policy == 'drop' else 'mended'}" in report.broken[0]


def test_cells_without_a_code_and_columns_that_are_not_there_break_no_dependency() -> None:
    frame = as_frame([[0, 0, 0, 0, 0, 0]] * 3 + [[0, 0, 0, 0, 2, 0]])
    frame["from"] = [99, 2, 0, 2]  # out of range, as if it were 0; out of order; in order; out of order
    report = check_table(frame.drop(columns="code"), SCHEMA)
    assert [(one.text, one.broken, one.rows) for one in report.dependencies] == [
        ("hours missing exactly when young=true", 0, ()),
        ("from ≤ to", 2, (2, 4)),
    ]


def test_a_map_that_is_not_declared_is_nothing_that_a_row_breaks() -> None:
    schema = Schema.from_dict(
        {
            "fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"],
            "dependencies": [{"determines": "a", "column": "b"}],
        }
    )
    report = check_table(pd.DataFrame({"a": list("xx"), "b": list("xy")}), schema)
    assert report.ok
    (found,) = report.to_dict()["dependencies"]
    assert found == {"dependency": "a → b", "broken": None, "first_rows": [], "strays": 1}
    assert report.dependencies[0].sentence("refuse").startswith("1 row has another value than most")


def test_rows_that_stray_from_a_declared_map_are_counted_over_batches() -> None:
    schema = Schema.from_dict(
        {
            "fields": [{"name": name, "categories": list("wxyz")} for name in "abc"],
            "dependencies": [{"determines": ["a", "b"], "column": "c"}],
        }
    )
    reader = DependencyReader(schema.fields, schema.dependencies)
    rng = np.random.default_rng(4)
    whole = pd.DataFrame({name: rng.choice(list("wxyz"), 200) for name in "abc"})
    for at in range(0, 200, 50):
        reader.read({name: pa.array(whole[name][at : at + 50]) for name in "abc"})
    counts = whole.groupby(["a", "b"])["c"].value_counts()
    assert reader.checks()[0].strays == 200 - int(counts.groupby(level=[0, 1]).max().sum())
