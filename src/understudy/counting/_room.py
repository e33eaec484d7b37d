"""How much memory there is for rows and for tables under a ceiling. Public: it never depends on what is free."""

from __future__ import annotations

from understudy._core.errors import OptionError
from understudy._core.memory import memory_limit
from understudy.schema import Domain
from understudy.tables import code_type

REST = 1 << 28
"""Bytes for Python, the libraries, and batches on their way."""
_BYTES_OF_CELL = 24  # a count, its partial counts, and what is made of it
_BYTES_OF_UNIT = 60  # its text, its number, and how its rows are shared out
_BYTES_OF_STREAMED_UNIT = 100  # the same while rows are streamed, with the texts of all rows at a time
_FEWEST_CELLS, _MOST_CELLS = 1 << 20, 1 << 24


def room_for_rows(ceiling: int | None) -> int | None:
    """Bytes that codes of rows may take; None if nothing is known of the machine, and nothing was asked for.

    Half of what is left is for the model and for tables.

    >>> room_for_rows(2 << 30) >> 20
    896
    """
    limit = memory_limit() if ceiling is None else ceiling
    return None if limit is None else max(0, (limit - REST) // 2)


def room_for_tables(ceiling: int | None) -> int:
    """Cells that may be counted in one pass.

    >>> room_for_tables(1 << 29), room_for_tables(1 << 40)
    (2796202, 16777216)
    """
    limit = memory_limit() if ceiling is None else ceiling
    if limit is None:
        return _MOST_CELLS
    return min(_MOST_CELLS, max(_FEWEST_CELLS, (limit - REST) // 4 // _BYTES_OF_CELL))


def most_bytes(ceiling: int | None, n_rows: int, *, units: bool) -> int:
    """What a run takes at most whose rows are not held: the ceiling, or what its tables and batches may come to.

    >>> most_bytes(2 << 30, 10**9, units=False) >> 20, most_bytes(None, 10**9, units=False) < 1 << 30
    (2048, True)
    """
    if ceiling is not None:
        return ceiling
    return 2 * REST + _BYTES_OF_CELL * room_for_tables(None) + units * n_rows * _BYTES_OF_STREAMED_UNIT


MOST_CELLS_SPREAD = 1 << 20
"""Cells of one pass on a cluster: each partition sends so many counts, and Spark takes a gigabyte in all."""


def refuse_units(n_rows: int, ceiling: int | None) -> None:
    """Refuse a table of which not even whose row is whose can be held; that is all that a stream holds of each row.

    >>> refuse_units(10**6, 2 << 30)
    """
    limit = memory_limit() if ceiling is None else ceiling
    needed = n_rows * _BYTES_OF_STREAMED_UNIT
    if limit is None or needed <= (limit - REST) * 3 // 4:
        return
    raise OptionError(
        f"{n_rows:,} rows with a column that tells units apart need some {needed >> 20:,} MB to know whose each is, "
        f"and there are {(limit - REST) * 3 // 4 >> 20:,} MB for that. Nothing was charged. Raise the ceiling to "
        f"{-(-(needed * 4 // 3 + REST) // 10**9):,} GB, or count where the rows are (a database, Spark)."
    )


def bytes_of_rows(domain: Domain, n_rows: int, *, units: bool) -> int:
    """Bytes that rows take in memory: their codes, once more while they are mapped to others; and whose they are.

    >>> from understudy.schema import Attribute
    >>> bytes_of_rows(Domain((Attribute(name="a", size=2), Attribute(name="b", size=300))), 10, units=False)
    60
    """
    codes = sum(code_type(attribute.size).itemsize for attribute in domain)
    return n_rows * (2 * codes + (_BYTES_OF_UNIT if units else 0))
