"""The two tables every measure is held against: as good, and as bad, as one could expect. Private to the holder."""

from __future__ import annotations

from dataclasses import dataclass

from understudy._core.randomness import Rng, streams
from understudy.evaluation._pair import Pair
from understudy.tables import Table


@dataclass(frozen=True, kw_only=True, eq=False)
class References:
    """A table as close to the real one as another sample of as many rows would be, and one that knows each column
    but nothing of how they hang together. Both have as many rows as the synthetic table.

    >>> import numpy as np
    >>> from understudy.schema import Attribute, Domain
    >>> table = Table(Domain((Attribute(name="a", size=2),)), (np.array([0, 1]),))
    >>> References(fresh_sample=table, independent_columns=table).fresh_sample.n
    2
    """

    fresh_sample: Table
    independent_columns: Table
    seed: int = 0
    """What they were drawn by: `reference_coins` draw the same rows again."""


def make_references(pair: Pair, *, seed: int = 0) -> References:
    """The two references for a pair; the same seed gives the same tables.

    >>> import numpy as np, pyarrow as pa
    >>> from understudy.evaluation import read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> pair = read_pair(pa.table({"sex": ["M", "F", "M"]}), pa.table({"sex": ["M", "F"]}), schema)
    >>> make_references(pair).fresh_sample.n
    2
    """
    fresh, independent = reference_coins(seed)
    return References(
        fresh_sample=draw_fresh_sample(pair.real, fresh, n_rows=pair.first.n),
        independent_columns=draw_independent_columns(pair.real, independent, n_rows=pair.first.n),
        seed=seed,
    )


def reference_coins(seed: int) -> tuple[Rng, Rng]:
    """What the rows of the fresh sample are drawn by, and those of the independent columns, one column after the other.

    >>> fresh, independent = reference_coins(0)
    >>> int(fresh.integers(1)), int(independent.integers(1))
    (0, 0)
    """
    coins = streams(seed)
    # The streams keep their first names: under other names they would draw other rows.
    return coins.get("evaluate", "floor"), coins.get("evaluate", "ceiling")


def draw_fresh_sample(table: Table, rng: Rng, *, n_rows: int | None = None) -> Table:
    """A fresh sample of the table's rows, with replacement: as many as it has, or `n_rows`.

    >>> import numpy as np
    >>> from understudy.schema import Attribute, Domain
    >>> table = Table(Domain((Attribute(name="a", size=2), Attribute(name="b", size=2))), (np.array([0, 1]),) * 2)
    >>> fresh = draw_fresh_sample(table, streams(1).get("x"), n_rows=9)
    >>> fresh.n, bool((fresh.columns[0] == fresh.columns[1]).all())
    (9, True)
    """
    rows = rng.integers(table.n, size=table.n if n_rows is None else n_rows)
    return Table(table.domain, tuple(column[rows] for column in table.columns))


def draw_independent_columns(table: Table, rng: Rng, *, n_rows: int | None = None) -> Table:
    """Every column drawn from the table's on its own, so that the columns are independent of each other.

    >>> import numpy as np
    >>> from understudy.schema import Attribute, Domain
    >>> table = Table(Domain((Attribute(name="a", size=2), Attribute(name="b", size=2))), (np.array([0, 1]),) * 2)
    >>> draw_independent_columns(table, streams(1).get("x"), n_rows=9).n
    9
    """
    n = table.n if n_rows is None else n_rows
    return Table(table.domain, tuple(column[rng.integers(table.n, size=n)] for column in table.columns))
