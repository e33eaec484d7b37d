"""Import of SDV metadata. It has types but no categories and no bounds, so every field comes out as a draft."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from understudy._core.errors import SchemaError
from understudy.schema._documents import read_json, read_text
from understudy.schema._schema import Schema
from understudy.schema._values import directives

_TIME_DIRECTIVES = frozenset("HIMSfpTRXc")


def import_sdv(source: str | Path | Mapping[str, Any]) -> Schema:
    """A draft schema from SDV metadata JSON (single table, or `V1` with one table).

    `schema.incomplete` says what each field still lacks. `draft_schema(table, sdv=…)` fills it in from a table; either
    way a person has to review the result and write `origin: declared`.

    >>> metadata = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": {
    ...     "age": {"sdtype": "numerical", "computer_representation": "Int64"}, "smoker": {"sdtype": "boolean"}}}
    >>> schema = import_sdv(metadata)
    >>> schema.draft_fields
    ('age', 'smoker')
    >>> print(schema.incomplete[0])
    field 'age' (integer) has no public domain. Add constraints: {minimum: …, maximum: …}, or list its categories.
    """
    content = source if isinstance(source, Mapping) else _read(Path(source))
    name, table = _table(content)
    columns = table.get("columns")
    if not isinstance(columns, Mapping) or not columns:
        raise SchemaError("the SDV metadata lists no columns.")
    key = table.get("primary_key")
    comments: dict[str, list[str]] = {"": ["From SDV metadata, which has no categories and no bounds: add them."]}
    fields = []
    for column, described in columns.items():
        described = described if isinstance(described, Mapping) else {}
        field = _field(column, described)
        fields.append(field)
        if column == key or described.get("sdtype") in ("id", "text") or described.get("pii"):
            comments[column] = ["SDV says that this identifies people or is free text: remove the column."]
    return Schema.from_dict({"name": name, "fields": fields}, comments=comments)


def _read(path: Path) -> Mapping[str, Any]:
    text = read_text(path, f"there is no SDV metadata file {path}.")
    try:
        content = read_json(text)
    except ValueError as error:
        raise SchemaError(f"{path.name} is not SDV metadata: {error}") from None
    if not isinstance(content, Mapping):
        raise SchemaError(f"{path.name} is not SDV metadata: it holds no columns.")
    return content


def _table(content: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    if "tables" not in content:
        return "table", content
    tables = content["tables"]
    if isinstance(tables, Mapping) and not all(isinstance(table, Mapping) for table in tables.values()):
        raise SchemaError("the SDV metadata describes a table that is not a mapping with columns.")
    if not isinstance(tables, Mapping) or len(tables) != 1:
        names = ", ".join(map(str, tables)) if isinstance(tables, Mapping) else "?"
        raise SchemaError(f"the SDV metadata describes several tables ({names}); one is needed.")
    return next((str(name), table) for name, table in tables.items())


def _field(name: str, described: Mapping[str, Any]) -> dict[str, Any]:
    field: dict[str, Any] = {"name": name, "origin": "draft"}
    sdtype = described.get("sdtype")
    if sdtype == "numerical":
        whole = str(described.get("computer_representation", "")).lower().startswith(("int", "uint"))
        return field | {"type": "integer" if whole else "number"}
    if sdtype == "boolean":
        return field | {"type": "boolean"}
    if sdtype == "datetime":
        pattern = described.get("datetime_format")
        timed = not pattern or bool(_TIME_DIRECTIVES & set(directives(str(pattern))))
        return field | {"type": "datetime" if timed else "date"} | ({"format": pattern} if pattern else {})
    field |= {"type": "string"}
    if sdtype == "categorical" and isinstance(described.get("order"), list):
        field |= {"categories": list(described["order"]), "categoriesOrdered": True}
    return field
