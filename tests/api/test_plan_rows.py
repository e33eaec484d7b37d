"""How many rows a plan is for, counted from files that others made."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import understudy as us
from tests.promises import STRICT


def test_a_table_without_columns_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "none.arrow"
    empty = pa.schema([])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, empty) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays([], schema=empty))
    schema = {"fields": [{"name": "a", "categories": ["x", "y"]}]}
    with pytest.raises(us.UserError, match="no columns"):
        us.plan(path, schema=schema, epsilon=1, **STRICT)
    with pytest.raises(us.UserError, match="no columns"):
        us.draft_schema(path)
