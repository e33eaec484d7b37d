"""Import of SDV metadata."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from understudy._core.errors import SchemaError
from understudy.schema import Schema, import_sdv
from understudy.tables import draft_schema

COLUMNS = {
    "id": {"sdtype": "id"},
    "age": {"sdtype": "numerical", "computer_representation": "Int64"},
    "weight": {"sdtype": "numerical", "computer_representation": "Float"},
    "joined": {"sdtype": "datetime", "datetime_format": "%d/%m/%Y"},
    "seen": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d %H:%M:%S"},
    "smoker": {"sdtype": "boolean"},
    "city": {"sdtype": "categorical"},
    "grade": {"sdtype": "categorical", "order": ["low", "high"]},
}
SINGLE = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "primary_key": "id", "columns": COLUMNS}


@pytest.mark.parametrize("content", [SINGLE, {"METADATA_SPEC_VERSION": "V1", "tables": {"people": SINGLE}}])
def test_types_come_over_and_every_field_is_a_draft(tmp_path: Path, content: dict[str, object]) -> None:
    path = tmp_path / "metadata.json"
    path.write_text(json.dumps(content))
    schema = import_sdv(path)
    assert [f.type for f in schema.fields] == [
        "string", "integer", "number", "date", "datetime", "boolean", "string", "string",
    ]  # fmt: skip
    assert schema.draft_fields == schema.names
    assert [s.split("'")[1] for s in schema.incomplete] == ["id", "age", "weight", "joined", "seen", "city"]
    assert schema["grade"].labels == ("low", "high")
    with pytest.raises(SchemaError, match=r"field 'age' .* has no public domain"):
        _ = schema.domain
    schema.save(tmp_path / "s.yaml")
    assert "remove the column" in (tmp_path / "s.yaml").read_text()
    assert Schema.load(tmp_path / "s.yaml").fields == schema.fields


def test_a_table_completes_it() -> None:
    table = pa.table({"joined": ["01/02/2020", "03/04/2021"] * 20, "age": ["1", "2"] * 20, "city": ["5", "7"] * 20})
    columns = {name: COLUMNS[name] for name in ("joined", "age", "city")}
    schema = draft_schema(table, sdv={"columns": columns})
    assert schema["joined"].form.format == "%d/%m/%Y"
    assert schema["city"].type == "string"
    assert schema["city"].labels == ("5", "7")
    assert schema.incomplete == ()
    assert schema.draft_fields == ("joined", "age", "city")


def test_what_is_no_metadata_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("[")
    with pytest.raises(SchemaError, match="not SDV metadata"):
        import_sdv(tmp_path / "m.json")
    with pytest.raises(SchemaError, match="there is no"):
        import_sdv(tmp_path / "none.json")
    with pytest.raises(SchemaError, match="several tables"):
        import_sdv({"tables": {"a": SINGLE, "b": SINGLE}})
    with pytest.raises(SchemaError, match="no columns"):
        import_sdv({})
