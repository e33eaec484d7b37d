"""Synthetic rows in the column types of the DataFrame that a model was fitted on, as far as the schema has room.

Whether a column gets its type back follows from that type and the schema, never from rows: of a sample without an empty
cell, and of one with some, it is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from understudy.schema import Field, Schema, order_edges

_SHORT = ("float32", "Float32")
_SHORT_POINTS = 1 << 24
"""Whole numbers up to it are all doubles of 32 bits."""


def remembered_types(table: object) -> dict[str, Any]:
    """The column types of a pandas DataFrame by name; none of anything else.

    >>> import pandas as pd
    >>> {name: str(kind) for name, kind in remembered_types(pd.DataFrame({"a": [True]})).items()}
    {'a': 'bool'}
    >>> remembered_types("people.csv")
    {}
    """
    if type(table).__module__.partition(".")[0] != "pandas" or not hasattr(table, "dtypes"):
        return {}
    return {str(name): kind for name, kind in zip(table.columns, table.dtypes, strict=True)}  # type: ignore[attr-defined]


def in_remembered_types(frame: Any, types: Mapping[str, Any], schema: Schema) -> Any:
    """A DataFrame of decoded rows, in which columns have the remembered types that hold all the schema allows.

    Categorical columns get the categories of the schema, in its order; whole numbers and booleans a nullable type
    (`Int8`, `boolean`) where the field allows an empty cell. Anything else stays as it is.

    >>> import pandas as pd
    >>> fields = [{"name": name, "type": "integer", "categories": [0, 1]} for name in "abc"]
    >>> schema = Schema.from_dict({"fields": fields})
    >>> types = pd.DataFrame({"a": [True], "b": [1], "c": [1]}).astype({"b": "int8", "c": "category"}).dtypes
    >>> rows = pd.DataFrame({"a": [0, 1], "b": [0, 1], "c": [0, 1]})
    >>> [str(kind) for kind in in_remembered_types(rows, dict(types), schema).dtypes]
    ['bool', 'int8', 'category']
    """
    wanted = {field.name: _type(field, types[field.name]) for field in schema.fields if field.name in types}
    for name in _short_beside_long(schema, wanted):
        wanted[name] = None
    return frame.astype({name: kind for name, kind in wanted.items() if kind is not None})


def _short_beside_long(schema: Schema, wanted: Mapping[str, Any]) -> set[str]:
    """Columns that are to be in short doubles, but are in a declared order with one that is not.

    0.1 is more in 32 bits than in 64, so that equal values would come out of order.
    """
    short = {a for a, field in enumerate(schema.fields) if str(wanted.get(field.name)) in _SHORT}
    kept, edges = set(short), order_edges(schema)
    while odd := {a for edge in edges if len(kept & set(edge)) == 1 for a in kept & set(edge)}:
        kept -= odd
    return {schema.fields[a].name for a in short - kept}


def _short_holds(field: Field) -> bool:
    """Whether doubles of 32 bits tell all numbers of the column apart, and none of them lies beyond its range."""
    listed = [float(one.value) for one in (*field.categories, *field.special)]
    if any(float(np.float32(value)) != value for value in listed):
        return False
    if field.bins is None:
        return True
    ends = np.array([field.bins.grid[0][0], field.bins.grid[1][-1]])
    low, high = field.bins.values(ends).astype(np.float32).tolist()
    return bool(np.abs(ends).max() <= _SHORT_POINTS and low >= field.bins.minimum and high <= field.bins.maximum)


def _type(field: Field, kind: Any) -> Any:
    """The type of a column that had this one; None where the default stays."""
    name = str(kind.name)
    if name == "category":
        return _categorical(field)
    if name in ("bool", "boolean"):
        truths = field.type == "boolean" or (field.type == "integer" and set(_numbers(field)) <= {0, 1})
        return ("boolean" if may_be_empty(field) else "bool") if truths else None
    if name.lower().startswith(("int", "uint")) and name.lower().lstrip("uint") in ("8", "16", "32", "64"):
        return _whole(field, name)
    if name == "Float64" and field.type == "number":
        return kind
    if name in _SHORT and field.type == "number":
        return kind if _short_holds(field) else None
    if name == "string" and field.type == "string":
        return kind
    return None


def _categorical(field: Field) -> Any:
    import pandas

    if field.bins is not None or not (field.categories or field.type == "boolean"):
        return None
    if field.type == "string":
        return pandas.CategoricalDtype(texts_of(field), ordered=field.ordered)
    if field.type == "boolean":
        return pandas.CategoricalDtype([False, True], ordered=field.ordered)
    if field.type in ("integer", "year"):
        return pandas.CategoricalDtype(_numbers(field), ordered=field.ordered)
    if field.type == "number":
        return pandas.CategoricalDtype([float(end) for end in _numbers(field)], ordered=field.ordered)
    return None


def _whole(field: Field, name: str) -> str | None:
    """A type of whole numbers, nullable where a cell may be empty; None if it does not hold the domain."""
    if field.type == "boolean":
        ends = [0, 1]
    elif field.type in ("integer", "year"):
        ends = whole_ends(field)
    else:
        return None
    room: np.iinfo[Any] = np.iinfo(name.lower())
    if min(ends) < room.min or max(ends) > room.max:
        return None
    if not may_be_empty(field):
        return name.lower()
    return name.lower().replace("uint", "UInt") if name.lower().startswith("u") else name.lower().replace("int", "Int")


def _numbers(field: Field) -> list[Any]:
    """All numbers of a column of categories, in their order; more than 0 and 1 stand for a range."""
    if field.bins is not None:
        return whole_ends(field)
    return [one.value for one in (*field.categories, *field.special)]


def whole_ends(field: Field) -> list[int]:
    """Whole numbers that no value of the column lies beyond."""
    ends = [int(one.value) for one in (*field.categories, *field.special)]
    if field.bins is not None:
        ends += [int(field.bins.minimum), int(field.bins.maximum)]
    return ends


def texts_of(field: Field) -> list[str]:
    """All texts that a column of names may have, in their order; "other" comes last."""
    return [str(c.value) for c in field.categories] + ([field.other_text] if field.outside == "other" else [])


def may_be_empty(field: Field) -> bool:
    """Whether some code of the field decodes to an empty cell."""
    return field.missing_allowed or (field.outside == "other" and field.type != "string")
