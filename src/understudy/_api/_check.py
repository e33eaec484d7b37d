"""How well a table fits its schema, as `publish` would read it. Private to the holder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from understudy import tables
from understudy.numbers import fine_schema
from understudy.schema import SchemaLike, read_schema


def check_table(
    source: Any,
    schema: SchemaLike,
    *,
    unit: str | None = None,
    progress: Callable[[int], None] | None = None,
    show_values: bool = False,
) -> tables.CheckReport:
    """What does not fit, column by column, and which rows break what the schema declares. Private: do not publish it.

    Raises only if the source cannot be read at all. Dependencies are judged as `publish` judges them: where bins are
    yet to be found, on the grid that they are found from.

    Args:
        source: a path to a CSV (also gzipped), Parquet or Arrow file, or a pandas, polars or pyarrow table.
        schema: what is declared about its columns: a path to a schema file, a `Schema`, or a dict.
        unit: the column beside the schema's that tells units apart; each row must have a value there.
        progress: called with the number of rows read so far.
        show_values: name offending values. They are private.

    >>> import pandas as pd
    >>> year = {"type": "integer", "constraints": {"minimum": 1900, "maximum": 2020}}
    >>> schema = {"fields": [{"name": "born", **year}, {"name": "died", **year}],
    ...     "dependencies": [{"lower": "born", "upper": "died"}]}
    >>> report = check_table(pd.DataFrame({"born": [1950, 1961], "died": [2001, 1960]}), schema)
    >>> report.ok, report.dependencies[0].broken, report.dependencies[0].rows
    (False, 1, (2,))
    """
    declared = read_schema(schema)
    return tables.check_table(
        source, declared, grid=fine_schema(declared), unit=unit, progress=progress, show_values=show_values
    )
