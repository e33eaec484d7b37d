"""Twice the columns, twice the work: counted in lines that the interpreter runs, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import understudy as us
from tests.promises import STRICT
from understudy.tables import read_loosely

pytestmark = pytest.mark.one_in(2)

PACKAGE = str(Path(us.__file__).parent)
FEW = 24


def schema_of(n_columns: int) -> us.Schema:
    return us.Schema.from_dict(
        {"name": "wide", "fields": [{"name": f"c{i}", "categories": ["x", "y"]} for i in range(n_columns)]}
    )


def write_table(path: Path, n_columns: int) -> None:
    rows = np.arange(12)
    columns = {f"c{i}": np.where((rows * (i + 3)) % 7 < 3, "x", "y") for i in range(n_columns)}
    pyarrow.csv.write_csv(pa.table(columns), path)


def steps_of(act: Callable[[], Any]) -> int:
    """How many lines of our own modules the interpreter runs; each turn of a loop within a line counts."""
    steps = 0

    def inside(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal steps
        steps += event == "line"
        return inside

    def entered(frame: FrameType, event: str, arg: object) -> Any:
        return inside if frame.f_code.co_filename.startswith(PACKAGE) else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        act()
    finally:
        sys.settrace(before)
    return steps


def publish(path: Path, schema: us.Schema) -> None:
    us.publish(
        path, schema=schema, epsilon=1, seed=1, method="independent", out=path.parent / "release", overwrite=True
    )


ACTS: dict[str, Callable[[Path, us.Schema], Any]] = {
    "publish": publish,
    "plan": lambda path, schema: us.plan(path, schema=schema, epsilon=1, method="independent", **STRICT),
    "check": us.check_table,
    "draft": lambda path, schema: us.draft_schema(path),
    "read loosely": read_loosely,
    "read a schema": lambda path, schema: us.Schema.from_dict(schema.to_dict()),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
def test_twice_the_columns_take_at_most_twice_the_steps(act: Callable[[Path, us.Schema], Any], tmp_path: Path) -> None:
    steps = []
    for n_columns in (2, FEW, 2 * FEW):  # the first time for what is done once, such as imports
        write_table(tmp_path / "wide.csv", n_columns)
        schema = schema_of(n_columns)
        steps.append(steps_of(lambda schema=schema: act(tmp_path / "wide.csv", schema)))
    assert steps[1] > 10 * FEW
    assert steps[2] < 2.05 * steps[1]


def test_more_than_linear_work_is_noticed() -> None:
    schema = schema_of(FEW), schema_of(2 * FEW)
    steps = [steps_of(lambda s=s: [s[name].labels for name in s.names for _ in s.names]) for s in schema]
    assert steps[1] > 3.5 * steps[0]
