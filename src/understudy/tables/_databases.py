"""Tables of databases as columns: what arrives from each, made into what the rest of the reading expects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from understudy._core.errors import TableError
from understudy.databases import Arrives, PostgresTable, SQLiteTable
from understudy.tables._columnar import checked
from understudy.tables._objects import Column, column_of_objects

_ROWS = 1 << 17
_BYTES_OF_CELL = 16
_MOST_DIGITS = 76


def postgres_batches(table: PostgresTable, wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
    """These columns of a table on a server, in batches of about so many rows."""
    for batch in table.batches(wanted, rows * len(wanted) * _BYTES_OF_CELL):
        try:
            columns = checked(batch, wanted)
        except pa.ArrowException:
            raise TableError(f"{table.told}: what the driver gave is damaged.") from None
        yield [as_column(column, table.columns[name].arrives) for name, column in zip(wanted, columns, strict=True)]


def sqlite_batches(table: SQLiteTable, wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
    """These columns of a table in a file, in batches of so many rows at most."""
    for columns in table.batches(wanted, rows):
        yield [column_of_objects(cells) for cells in columns]


def as_column(column: pa.Array, arrives: Arrives) -> Column:
    """A column as what it means, where it cannot arrive so.

    >>> as_column(pa.array(["1.50", None, "7"]), "decimal").to_pylist()
    [Decimal('1.50'), None, Decimal('7.00')]
    >>> as_column(pa.array([True, False]), "list").to_pylist()
    [[], None]
    """
    if arrives == "decimal":
        return _decimals(column)
    stands_for: dict[Arrives, tuple[pa.DataType, Any]] = {
        "list": (pa.list_(pa.null()), []),
        "structure": (pa.struct([pa.field("a", pa.null())]), {}),
        "length of time": (pa.duration("s"), 0),
    }
    if arrives not in stands_for:
        return column
    kind, cell = stands_for[arrives]
    return pa.array([cell if there else None for there in column.to_pylist()], kind)


def _decimals(texts: pa.Array) -> Column:
    """Numbers of any number of digits. The scale is the batch's; what a cell is read as does not depend on it."""
    if texts.null_count == len(texts):
        return texts.cast(pa.string()).cast(pa.decimal128(1, 0))
    parts = pc.extract_regex(texts, r"^-?(?P<whole>[0-9]+)(?:\.(?P<rest>[0-9]+))?$")
    if parts.null_count == texts.null_count:
        whole, rest = (pc.max(pc.utf8_length(parts.field(name))).as_py() for name in ("whole", "rest"))
        digits = whole + (rest or 0)
        if digits <= _MOST_DIGITS:
            return texts.cast(pa.decimal128(digits, rest or 0) if digits <= 38 else pa.decimal256(digits, rest or 0))
    return column_of_objects([None if text is None else Decimal(text) for text in texts.to_pylist()])
