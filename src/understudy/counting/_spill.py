"""Codes of rows that come once, or in another order each time, in a file without a name until the run is over."""

from __future__ import annotations

import errno
import tempfile
import weakref
from collections.abc import Iterator, Sequence

import numpy as np

from understudy._core.errors import OutputError
from understudy.schema import Codes


class Spill:
    """Batches of columns on the disk, read again column by column.

    The file is nobody else's to open, and it is gone with the process, however that ends: its rows are private.

    >>> spill = Spill()
    >>> spill.append([np.array([1, 0], dtype=np.uint8), np.array([7, 300], dtype=np.uint16)])
    >>> [[codes.tolist() for codes in batch] for batch in spill.batches([1])]
    [[[7, 300]]]
    """

    def __init__(self) -> None:
        self._index: list[tuple[int, list[tuple[int, np.dtype[np.unsignedinteger]]]]] = []
        self._end = 0
        try:
            # without a buffer: one that could not be written would be tried again on closing, when nobody listens
            self._file = tempfile.TemporaryFile(prefix="understudy-", buffering=0)  # noqa: SIM115  # closed below
        except OSError as error:
            raise _no_place(error) from None
        weakref.finalize(self, self._file.close)

    def append(self, columns: Sequence[Codes]) -> None:
        """Write the next batch."""
        places = []
        try:
            self._file.seek(self._end)
            for column in columns:
                places.append((self._end, column.dtype))
                self._write(np.ascontiguousarray(column).data.cast("B"))
                self._end += column.nbytes
        except OSError as error:
            raise _no_place(error) from None
        self._index.append((len(columns[0]), places))

    def batches(self, attributes: Sequence[int]) -> Iterator[list[Codes]]:
        """These columns, batch after batch, as they were written."""
        for n, places in self._index:
            found = []
            for a in attributes:
                place, kind = places[a]
                self._file.seek(place)
                found.append(np.fromfile(self._file, dtype=kind, count=n))
            yield found

    def _write(self, bytes_left: memoryview) -> None:
        while bytes_left:
            bytes_left = bytes_left[self._file.write(bytes_left) or 0 :]


def _no_place(error: OSError) -> OutputError:
    full = error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", -1), errno.EFBIG)
    reason = "the disk is full" if full else error.strerror or type(error).__name__
    return OutputError(
        f"the rows cannot be kept in {tempfile.gettempdir()}: {reason}. They come from a stream or a query, which may "
        "not give them in the same order again, so that their codes are written to a file for the length of the run. "
        "Nothing was charged, and nothing is left of it. Free some space, name another folder in TMPDIR, or give a "
        "file instead."
    )
