"""What a ledger file must look like: read, compared with what we make, and verified entry by entry.

A ledger lives where others may write, so nothing in it is trusted. SQLite runs whatever a file's list of objects holds
(a trigger that undoes a charge, a view that stands in for a table), whatever name or type the list gives it. So the
whole list must be ours, text by text, before a single row counts.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from understudy._core.errors import LedgerError, OptionError
from understudy.privacy._ledger import GENESIS, KINDS, Entry, check_chain
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._unit import PrivacyUnit, bound_from

_APPLICATION = 0x75734C31  # "usL1"; SQLite keeps it in the file's header
_ENTRIES = (
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, time TEXT NOT NULL, dataset TEXT NOT NULL, kind TEXT NOT NULL, "
    "epsilon TEXT NOT NULL, delta TEXT NOT NULL, neighbours TEXT NOT NULL, unit TEXT NOT NULL, "
    "max_rows TEXT NOT NULL, unit_column TEXT NOT NULL, method TEXT NOT NULL, note TEXT NOT NULL, "
    "previous TEXT NOT NULL, hash TEXT NOT NULL)"
)
_ENTRIES_OF_0_1 = _ENTRIES.replace("unit TEXT NOT NULL, max_rows TEXT NOT NULL, unit_column TEXT NOT NULL, ", "")
_HEAD = "CREATE TABLE head (only INTEGER PRIMARY KEY CHECK (only = 1), count INTEGER NOT NULL, hash TEXT NOT NULL)"
_MADE = [("table", "entries", "entries", _ENTRIES), ("table", "head", "head", _HEAD)]
# What ANALYZE leaves: statistics for SQLite's planner, which has no choice to make over two tables without an index.
_BY_ANALYZE = [
    ("table", "sqlite_stat1", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    ("table", "sqlite_stat4", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
]
_COLUMNS = (
    "id, time, dataset, kind, epsilon, delta, neighbours, unit, max_rows, unit_column, method, note, previous, hash"
)
_AMOUNT = re.compile(r"[0-9]{1,1000}(/[0-9]{1,1000})?", re.ASCII)
_RESTORE = "Nothing was charged. Restore the file from a backup, and find out who changed it."


def connect(path: Path, mode: str, wait_seconds: float) -> sqlite3.Connection:
    """A connection that begins and ends transactions only where it is told to."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=wait_seconds, isolation_level=None
    )


def create(connection: sqlite3.Connection) -> None:
    """Make the tables of a new ledger, inside the caller's transaction."""
    connection.execute(_ENTRIES)
    connection.execute(_HEAD)
    connection.execute("INSERT INTO main.head VALUES (1, 0, ?)", (GENESIS,))
    connection.execute(f"PRAGMA main.application_id = {_APPLICATION}")


def is_new(connection: sqlite3.Connection) -> bool:
    """Whether the file holds nothing yet: a new file, or one whose maker was killed before the first commit."""
    return not connection.execute("SELECT count(*) FROM main.sqlite_master").fetchone()[0]


def read_entries(connection: sqlite3.Connection, path: Path) -> list[Entry]:
    """All entries, verified against the file's list of objects, their chain and the head row."""
    if is_new(connection):
        return []
    _refuse_strangers(connection, path)
    rows = connection.execute(f"SELECT {_COLUMNS} FROM main.entries ORDER BY id").fetchall()
    try:
        entries = [_entry(row) for row in rows]
    except (ValueError, TypeError, ZeroDivisionError, OptionError):
        entries = None
    heads = connection.execute("SELECT count, hash FROM main.head").fetchall()
    if entries is None or heads != [(len(entries), entries[-1].hash if entries else GENESIS)]:
        raise LedgerError(f"the ledger {path} was tampered with: entries are missing or unreadable. {_RESTORE}")
    check_chain(entries)
    return entries


def append_entries(connection: sqlite3.Connection, entries: list[Entry]) -> None:
    """Write entries behind those that are there, and move the head."""
    for entry in entries:
        values = (entry.id, *list(entry.fields().values())[1:], entry.hash)
        connection.execute(f"INSERT INTO main.entries ({_COLUMNS}) VALUES ({', '.join('?' * 14)})", values)
    connection.execute("UPDATE main.head SET count = ?, hash = ?", (entries[-1].id, entries[-1].hash))


def _refuse_strangers(connection: sqlite3.Connection, path: Path) -> None:
    """Raise unless the file's list of objects is the one we make: each once, of the same type, name and text."""
    # As a list, never by name: SQLite reads the text of every row, so two rows of one name are two objects.
    found = connection.execute("SELECT type, name, tbl_name, sql FROM main.sqlite_master").fetchall()
    names = {name for _, name, _, _ in found}
    number = connection.execute("PRAGMA main.application_id").fetchone()[0]
    if number != _APPLICATION or not {"entries", "head"} <= names:
        raise LedgerError(f"{path} is a database, but not a ledger of ours. Name another file.")
    if ("table", "entries", "entries", _ENTRIES_OF_0_1) in found:
        raise LedgerError(
            f"the ledger {path} was made by understudy 0.1, which kept no privacy units, and is not read by this "
            "version. Nothing was charged. What it holds stays spent: look it up with 0.1 (understudy ledger show), "
            "and open a new ledger with caps that are lower by that much."
        )
    allowed = [*_MADE, *_BY_ANALYZE]
    for each in found:
        if each not in allowed:
            what = f"a {each[0]} '{each[1]}' that we did not make"
            raise LedgerError(f"the ledger {path} was tampered with: it holds {what}. {_RESTORE}")
        allowed.remove(each)
    if any(made in allowed for made in _MADE):
        raise LedgerError(f"the ledger {path} was tampered with: a table of ours is gone. {_RESTORE}")
    version = connection.execute("PRAGMA main.user_version").fetchone()[0]
    if version:
        raise LedgerError(
            f"the ledger {path} says that its format is number {version}, and this version knows 0 only. Nothing was "
            "charged. Use the version of understudy that made it, or restore the file from a backup."
        )


def _entry(row: tuple[object, ...]) -> Entry:
    number, *texts = row
    if not isinstance(number, int) or not all(isinstance(text, str) for text in texts):
        raise TypeError("a field has another type than it was written with")
    time, dataset, kind, epsilon, delta, neighbours, *rest = map(str, texts)
    unit, max_rows, unit_column, method, note, previous, digest = rest
    if kind not in KINDS:
        raise ValueError("unknown kind")
    bound, bounding = bound_from(max_rows)
    return Entry(
        id=number,
        time=time,
        dataset=dataset,
        kind=kind,
        epsilon=_amount(epsilon),
        delta=_amount(delta) if delta else None,
        neighbours=Neighbours(neighbours),
        unit=PrivacyUnit(unit, max_rows=bound, column=unit_column or None, bounding=bounding),
        method=method,
        note=note,
        previous=previous,
        hash=digest,
    )


def _amount(text: str) -> Fraction:
    """An amount as we write it, digits over digits: a stranger's 1e999999999 would take for ever to write out."""
    if not _AMOUNT.fullmatch(text):
        raise ValueError("not an amount that was ever written")
    return Fraction(text)


@contextmanager
def sqlite_errors_explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into sentences."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        text = str(error).lower()
        if "locked" in text or "busy" in text:
            raise LedgerError(
                f"the ledger {path} is locked by another process. Nothing was charged. Try again when it is done."
            ) from error
        if "readonly" in text or "read-only" in text:
            raise LedgerError(
                f"the ledger {path} is read-only. Nothing was charged. Allow writing to it, or name another."
            ) from error
        if "unable to open" in text:
            raise LedgerError(
                f"the ledger {path} cannot be opened. Check that its folder exists and is yours."
            ) from error
        if "full" in text or "disk i/o" in text:
            raise LedgerError(f"the ledger {path} cannot be written: {error}. Nothing was charged.") from error
        raise LedgerError(
            f"the ledger {path} is corrupt or not a ledger ({error}). Nothing was charged. Restore it from a backup."
        ) from error
