"""From a counter to a curator."""

from __future__ import annotations

from understudy.counting import Counter
from understudy.privacy._budget import Budget
from understudy.privacy._curator import Curator
from understudy.privacy._desk import Exact
from understudy.privacy._ledger import Ledger
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import Noise


def open_curator(
    counter: Counter,
    *,
    budget: Budget,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    ledger: Ledger | None = None,
    noise: Noise | None = None,
    exact: Exact | None = None,
    as_published: bool = False,
    method: str = "",
    note: str = "",
) -> Curator:
    """A curator over rows that any engine counts, charged to the ledger.

    A counter is given out for a table without faults only, so no other is ever charged for. The charge is durable
    before any count is taken.

    >>> import pyarrow as pa
    >>> from understudy.counting import open_counter
    >>> from understudy.privacy import make_budget
    >>> from understudy.schema import Schema
    >>> fields = [{"name": "sex", "type": "string", "categories": ["f", "m"]}]
    >>> counter = open_counter(pa.table({"sex": ["f", "m", "m"]}), Schema.from_dict({"fields": fields}))
    >>> open_curator(counter, budget=make_budget(1)).rows
    3
    """
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
