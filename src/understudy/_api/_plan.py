"""`plan`: what a run would do, from schema, number of rows and budget alone. Spends nothing."""

from __future__ import annotations

from typing import Any

from understudy._api._settings import Number, SchemaLike, check_run, demo_source
from understudy._core.errors import OptionError
from understudy._core.numbers import whole_number
from understudy.methods import AS_PRINTED, Method, Plan
from understudy.tables import open_source


def plan(
    source: object = None,
    *,
    schema: SchemaLike | None = None,
    epsilon: Number,
    delta: Number | None = None,
    rows: int | None = None,
    method: str | Method = "privbayes",
    neighbours: str = "replace-one",
    **options: Any,
) -> Plan:
    """What publishing would do: candidates, table sizes, memory, time, expected error, coarsened attributes.

    Reads no private value. `rows` says how many rows there are; without it the rows of `source` are counted, and
    nothing else. Under add-remove neighbours that number is private, so `rows` must be given.

    >>> found = plan(schema={"fields": [{"name": "a", "type": "boolean"}]}, epsilon=1, rows=1000)
    """
    table, declared = demo_source(source, schema) if source is not None or schema is None else (None, schema)
    settings = check_run(
        schema=declared,
        epsilon=epsilon,
        delta=delta,
        method=method,
        neighbours=neighbours,
        trust_draft=True,
        no_guarantee=(method if isinstance(method, str) else method.name) in AS_PRINTED,  # a plan needs no permission
        options=options,
    )
    if rows is None:
        if not settings.neighbours.public_rows:
            raise OptionError(
                "under add-remove neighbours the number of rows is private, so a plan cannot look it up. Give a public "
                "guess: --rows N (rows=N)."
            )
        rows = count_rows(table)
    n = whole_number(rows, "rows", least=1)
    return settings.method.plan(settings.schema.domain, n, settings.budget, settings.neighbours)


def count_rows(source: object) -> int:
    """Number of rows of a file or dataframe, without looking at values.

    >>> from understudy import demo
    >>> count_rows(demo.table_path())
    5912
    """
    if source is None:
        raise OptionError("a plan needs the number of rows: name the table, or give --rows N (rows=N).")
    opened = open_source(source)
    if opened.n_rows is not None:
        return opened.n_rows
    # One column suffices, and its cells are counted, not looked at.
    return sum(len(columns[0]) for columns in opened.batches(opened.names[:1]))
