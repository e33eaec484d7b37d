"""`plan`: what a run would do, from schema, number of rows and budget alone. Spends nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from understudy._api._arguments import PlanAndMethodArguments
from understudy._api._options import read_arguments, takes
from understudy._api._settings import demo_source, terms_of
from understudy._api._unit import refuse_unit
from understudy._core.errors import OptionError, TableError
from understudy._core.numbers import whole_number
from understudy.methods import Plan, refuse_unpublishable
from understudy.options import PlanOptions
from understudy.schema import SchemaLike, read_schema, refuse_drafts
from understudy.tables import open_source


@takes(PlanOptions)
def plan(
    source: object = None,
    *,
    schema: SchemaLike | None = None,
    rows: int | None = None,
    **options: Unpack[PlanAndMethodArguments],
) -> Plan:
    """What publishing would do: candidates, table sizes, memory, time, expected error, coarsened attributes.

    Reads no private value. `rows` says how many rows there are; without it the rows of `source` are counted, and
    nothing else. Where that number is private (add-remove neighbours, units of several rows) `rows` must be given.
    Options that are not listed are the method's, such as `k=2`.

    >>> found = plan(schema={"fields": [{"name": "a", "type": "boolean"}]}, epsilon=1, rows=1000)
    """
    asked = read_arguments(PlanOptions, options)
    method, (terms, _) = asked.method, terms_of(asked)
    refuse_unpublishable(method)
    table, declared = demo_source(source, schema) if source is not None or schema is None else (None, schema)
    known = read_schema(declared)
    refuse_drafts(known, trust_draft=True)
    refuse_unit(terms.unit, known)
    method.check(known.domain, terms)
    if rows is None:
        if not terms.public_rows or terms.unit.column is not None:
            raise OptionError(
                "the number of rows that count is private here (with add-remove neighbours, or units of several rows), "
                "or takes a look at the unit column, so a plan does not look it up. Give a guess: --rows N (rows=N)."
            )
        rows = count_rows(table)
    n = whole_number(rows, "rows", least=1)
    # weighed rows are counted in parts and get as much more noise: the same in rows, and what a plan speaks of is rows
    in_rows = replace(terms, unit=replace(terms.unit, bounding="drop"))
    found: Plan = method.plan(known.domain, n, in_rows)
    return found


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
    if not opened.names:
        raise TableError("the table has no columns. Name the table that the schema is about.")
    # One column suffices, and its cells are counted, not looked at.
    return sum(len(columns[0]) for columns in opened.batches(opened.names[:1]))
