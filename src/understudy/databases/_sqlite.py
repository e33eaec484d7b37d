"""A table in a file of SQLite: opened for reading only, within one transaction."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from understudy._core.errors import TableError
from understudy.databases._address import FileAddress
from understudy.databases._naming import Named, find_table, literal, quoted

_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


class SQLiteTable:
    """One table or view of a file, as it was when it was opened.

    Each cell has a type of its own in SQLite, so columns come as lists of Python's objects.
    """

    def __init__(self, address: FileAddress) -> None:
        self.told = address.told
        place = quote(str(address.path.absolute()))
        with self._told():
            self._connection = sqlite3.connect(
                f"file:{place}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
            )
        weakref.finalize(self, self._connection.close)
        self._connection.text_factory = lambda text: text.decode("utf-8", "replace")  # as a cell that fits nothing
        with self._told():
            self._connection.execute("BEGIN")  # what is read from here on is one state of the file
            known = [Named("main", name) for (name,) in self._connection.execute(f"{_TABLES} ORDER BY name")]
        self.named = find_table(address.table, known, address.told, place=str(address.path))
        self.told = f"table '{self.named.name}' of {address.told}"
        with self._told():
            found = self._connection.execute(f"PRAGMA table_xinfo({literal(self.named.name)})").fetchall()
            # 1: hidden columns of virtual tables; generated ones can be read like others
            self.names = tuple(str(column[1]) for column in found if column[6] != 1)
            [(n_rows,)] = self._connection.execute(f"SELECT count(*) FROM {self.named.sql}").fetchall()
        self.n_rows = int(n_rows)

    def batches(self, wanted: Sequence[str], rows: int) -> Iterator[list[tuple[Any, ...]]]:
        """These columns, in batches of so many rows at most, each as a tuple of cells."""
        with self._told():
            asked = ", ".join(quoted(name) for name in wanted)
            cursor = self._connection.execute(f"SELECT {asked} FROM {self.named.sql}")
            while batch := cursor.fetchmany(rows):
                yield list(zip(*batch, strict=True))

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            failed = _failed(self.told, error)
        else:
            return
        raise TableError(failed)


def _failed(told: str, error: sqlite3.Error) -> str:
    text = str(error).lower()
    if "locked" in text or "busy" in text:
        return f"{told} is being written to by another program. Start again once that is done."
    if isinstance(error, sqlite3.DatabaseError) and ("malformed" in text or "not a database" in text):
        return f"{told} is damaged or cut off: it cannot be read as SQLite."
    if "unable to open" in text:
        return f"{told} cannot be opened: it may not be read by you, or its folder may not be written to."
    return f"{told} cannot be read ({type(error).__name__}). Open the file with sqlite3 to see why."
