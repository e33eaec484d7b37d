"""How large tables are: what the papers' tables of data sets are compared with."""

from __future__ import annotations

from pathlib import Path

import yaml

from research.tasks import TASKS


def test_rows_columns_and_possible_rows_are_counted(tmp_path: Path) -> None:
    fields = [
        {"name": "a", "type": "string", "categories": ["x", "y", "z"]},
        {"name": "b", "type": "string", "categories": list("01234567")},
    ]
    (tmp_path / "nltcs.schema.yaml").write_text(yaml.safe_dump({"name": "nltcs", "fields": fields}))
    (tmp_path / "nltcs.csv").write_text("a,b\nx,0\ny,7\n")
    found = TASKS["sizes"]({"dataset": "nltcs"}, 0, tmp_path)
    assert (found["rows"], found["columns"], found["bits"]) == (2, 2, 5)  # three values take two bits
    assert abs(2 ** found["domain"] - 24) < 1e-9
