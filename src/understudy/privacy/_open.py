"""From a table to a curator."""

from __future__ import annotations

from typing import Any

from understudy.privacy._budget import Budget
from understudy.privacy._curator import Curator
from understudy.privacy._desk import Exact
from understudy.privacy._ledger import Ledger
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import Noise


def open_curator(
    source: object,
    schema: Any,
    *,
    budget: Budget,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    ledger: Ledger | None = None,
    noise: Noise | None = None,
    exact: Exact | None = None,
    as_published: bool = False,
    method: str = "",
    note: str = "",
    threads: int | None = None,
) -> Curator:
    """A curator over a table: a file, or a pandas, polars or pyarrow table.

    The table is read and encoded first, and only a table without faults is charged for; reading gives out nothing but
    messages to the holder. The charge is durable before any count is taken.

    >>> import pyarrow as pa
    >>> from understudy.privacy import make_budget
    >>> from understudy.schema import Schema
    >>> fields = [{"name": "sex", "type": "string", "categories": ["f", "m"]}]
    >>> schema = Schema.from_dict({"name": "people", "fields": fields})
    >>> open_curator(pa.table({"sex": ["f", "m", "m"]}), schema, budget=make_budget(1)).rows
    3
    """
    from understudy.counting import MemoryCounter
    from understudy.tables import read_table

    check = getattr(ledger, "check", None)
    if check is not None and exact is None and not as_published and (noise is None or noise.private):
        # a cap that is spent is told before a large file is read; the charge itself checks again
        check(epsilon=budget.epsilon, delta=budget.delta, neighbours=neighbours)
    counter = MemoryCounter(read_table(source, schema), threads=threads)
    return Curator(
        counter,
        budget=budget,
        neighbours=neighbours,
        ledger=ledger,
        noise=noise,
        exact=exact,
        as_published=as_published,
        method=method,
        note=note,
    )
