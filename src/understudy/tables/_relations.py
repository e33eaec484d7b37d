"""What gives Arrow batches of its own: streams, and relations of DuckDB, which is never imported here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from understudy._core.errors import TableError
from understudy.tables._columnar import checked
from understudy.tables._objects import Column

_ROWS = 1 << 17
_TOLD = "the DuckDB relation"


class Relation:
    """A query of DuckDB: it is run once for each time that its rows are read."""

    def __init__(self, relation: Any) -> None:
        self._relation = relation
        try:
            self.names = tuple(map(str, relation.columns))
        except Exception as error:
            raise _broke_off(_TOLD, error) from None

    def batches(self, wanted: Sequence[str], rows: int = _ROWS) -> Iterator[list[Column]]:
        """These columns, in batches of so many rows at most."""
        try:
            asked = self._relation.project(", ".join(_quoted(name) for name in wanted))
            # its own name in version 2; the older one warns there
            reader = getattr(asked, "to_arrow_reader", None) or asked.fetch_arrow_reader
            stream = reader(rows)
        except Exception as error:
            raise _broke_off(_TOLD, error) from None
        for batch in arrow_batches(stream, _TOLD):
            try:
                yield checked(batch, wanted)
            except pa.ArrowException:
                raise TableError(f"{_TOLD} is damaged: its columns do not hold what they say they do.") from None


def offered_stream(source: Any) -> Any | None:
    """The stream of Arrow batches that an object offers; None if it offers none, or one of single cells, as a column.

    >>> offered_stream(pa.chunked_array([[1]])) is None, offered_stream(pa.table({"a": [1]})).schema.names
    (True, ['a'])
    """
    if isinstance(source, type) or not hasattr(source, "__arrow_c_stream__"):
        return None
    try:
        return pa.RecordBatchReader.from_stream(source)
    except Exception:  # whatever an object of somebody else's may raise: it is no table
        return None


def arrow_batches(stream: Any, told: str) -> Iterator[pa.RecordBatch]:
    """The batches; what goes wrong where they come from is its owner's to see, for messages may quote cells."""
    while True:
        try:
            batch = stream.read_next_batch()
        except StopIteration:
            return
        except Exception as error:
            raise _broke_off(told, error) from None
        yield batch


def _broke_off(told: str, error: Exception) -> TableError:
    return TableError(f"{told} broke off ({type(error).__name__}). Read it to its end to see why.")


def _quoted(name: str) -> str:
    """A name as SQL has it.

    >>> _quoted('a "b" c')
    '"a ""b"" c"'
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
