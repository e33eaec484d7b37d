"""A ledger in one SQLite file, shared by runs, people and processes.

One file at rest: the rollback journal (not a write-ahead log, whose side file would hold charges that a copy of the
main file misses). `synchronous=EXTRA` makes a commit outlive a power cut, directory entry included. A charge is one
`BEGIN IMMEDIATE` transaction that reads and verifies the whole chain, checks the cap and appends: SQLite lets one
process at a time into it, so two of them can never spend the same rest. Killed before the commit, the charge was never
made and the data not yet looked at; killed after it, the charge stands.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Never

from understudy._core.errors import LedgerError, did_you_mean
from understudy.privacy._budget import Number
from understudy.privacy._ledger import (
    GENESIS,
    Account,
    Entry,
    account_of,
    accounts,
    cap_entry,
    check_cap,
    check_chain,
    next_entries,
    parse_caps,
)
from understudy.privacy._neighbours import Neighbours

_APPLICATION = 0x75734C31  # "usL1"; SQLite keeps it in the file's header
_CREATE = (
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, time TEXT NOT NULL, dataset TEXT NOT NULL, kind TEXT NOT NULL, "
    "epsilon TEXT NOT NULL, delta TEXT NOT NULL, neighbours TEXT NOT NULL, method TEXT NOT NULL, note TEXT NOT NULL, "
    "previous TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE TABLE head (only INTEGER PRIMARY KEY CHECK (only = 1), count INTEGER NOT NULL, hash TEXT NOT NULL)",
    f"INSERT INTO head VALUES (1, 0, '{GENESIS}')",
    f"PRAGMA application_id = {_APPLICATION}",
)
_MADE = {"entries": ("table", _CREATE[0]), "head": ("table", _CREATE[1])}
_COLUMNS = "id, time, dataset, kind, epsilon, delta, neighbours, method, note, previous, hash"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFile:
    """What a ledger file says, verified: its entries, where each dataset stands, and the hash of the last entry."""

    entries: tuple[Entry, ...]
    accounts: dict[str, Account]
    head: str


def read_ledger(path: str | os.PathLike[str], *, wait_seconds: float = 10.0) -> LedgerFile:
    """Everything in a ledger file, verified; charges nothing, so a read-only file will do.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     ledger = SQLiteLedger(Path(folder) / "budget.db", dataset="people", cap=3)
    ...     entry = ledger.charge(epsilon=Fraction(1), delta=Fraction(0), neighbours=Neighbours.REPLACE_ONE)
    ...     found = read_ledger(ledger.path)
    >>> found.accounts["people"].remaining, [entry.kind for entry in found.entries]
    (Fraction(2, 1), ['open', 'charge'])
    """
    place = Path(path)
    if not place.is_file():
        raise LedgerError(f"there is no ledger at {place}. A run with --ledger makes one.")
    with _told(place), closing(_connect(place, "rw", wait_seconds)) as connection:
        # opened for writing where that is allowed: a process killed in mid-charge leaves a journal to be rolled back
        connection.execute("BEGIN")
        entries = _read(connection, place)
        return LedgerFile(
            entries=tuple(entries), accounts=accounts(entries), head=entries[-1].hash if entries else GENESIS
        )


class SQLiteLedger:
    """A dataset's account in a ledger file; the file is made on the first charge.

    The first charge to a dataset fixes its cap and its neighbour relation. Afterwards another `cap` is refused; name
    the same or none. `change_cap` is the deliberate way, and leaves its own entry in the chain. Without `delta_cap`
    the sum of δ is recorded but not bounded.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     ledger = SQLiteLedger(Path(folder) / "budget.db", dataset="people", cap="3")
    ...     entry = ledger.charge(epsilon=Fraction(1), delta=Fraction(0), neighbours=Neighbours.REPLACE_ONE)
    ...     entry.kind, ledger.spent(), ledger.remaining(), ledger.head() == entry.hash
    ('charge', Fraction(1, 1), Fraction(2, 1), True)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        dataset: str,
        cap: Number | None = None,
        delta_cap: Number | None = None,
        wait_seconds: float = 10.0,
    ) -> None:
        self.path, self.dataset, self._wait = Path(path), dataset, wait_seconds
        self._cap, self._delta_cap = parse_caps(dataset, cap, delta_cap)
        if self.path.is_dir():
            raise LedgerError(f"{self.path} is a folder. Name a file for the ledger, such as budget.db.")
        known = self._file().accounts
        if dataset in known:
            check_cap(known[dataset], self._cap, self._delta_cap)
        elif self._cap is None:
            raise LedgerError(
                f"dataset '{dataset}' is not in {self.path} yet. Give its cap on first use: --cap 3 (cap=3), say."
                + (f" {did_you_mean(dataset, known)}" if known else "")
            )

    def charge(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours, method: str = "", note: str = ""
    ) -> Entry:
        """Book a run's whole budget, or raise; on return the charge is on disk."""

        def append(entries: list[Entry]) -> list[Entry]:
            return next_entries(
                entries,
                dataset=self.dataset,
                cap=self._cap,
                delta_cap=self._delta_cap,
                epsilon=epsilon,
                delta=delta,
                neighbours=neighbours,
                method=method,
                note=note,
            )

        return self._append(append)

    def check(self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours) -> None:
        """Raise if this charge would be refused now. Charges nothing, so the answer may be out of date at once."""
        known = self._file().accounts.get(self.dataset)
        cap = self._cap or Fraction(0)
        account = known or Account(dataset=self.dataset, neighbours=neighbours, cap=cap, delta_cap=self._delta_cap)
        account.refuse_or_pass(epsilon, delta, neighbours)

    def change_cap(self, cap: Number, *, delta_cap: Number | None = None, note: str = "") -> Entry:
        """Set another cap from now on, as an entry of its own. It may be lower than what was spent.

        A cap on δ stays as it is unless another is given.
        """
        most, most_delta = parse_caps(self.dataset, cap, delta_cap)
        entry = self._append(
            lambda entries: [
                cap_entry(entries, dataset=self.dataset, cap=most or Fraction(0), delta_cap=most_delta, note=note)
            ]
        )
        self._cap, self._delta_cap = entry.epsilon, entry.delta
        return entry

    def show(self) -> tuple[Entry, ...]:
        """All entries, of every dataset in the file."""
        return self._file().entries

    def spent(self, dataset: str | None = None) -> Fraction:
        """What was spent on a dataset: this ledger's own, or the one named."""
        return self._account(dataset).spent

    def remaining(self, dataset: str | None = None) -> Fraction:
        """What may still be spent on it."""
        return self._account(dataset).remaining

    def head(self) -> str:
        """The hash of the last entry. Publish it: whoever has it can tell a file that was rewritten or cut short."""
        return self._file().head

    def contains(self, head: str) -> bool:
        """Whether a hash published earlier is still in the chain; if not, the file was rewritten or cut short."""
        return head in {GENESIS, *(entry.hash for entry in self.show())}

    def _account(self, dataset: str | None) -> Account:
        entries, name = self.show(), self.dataset if dataset is None else dataset
        if name == self.dataset and name not in accounts(entries):
            return Account(
                dataset=name, neighbours=Neighbours.REPLACE_ONE, cap=self._cap or Fraction(0), delta_cap=self._delta_cap
            )
        return account_of(entries, name)

    def _file(self) -> LedgerFile:
        if not self.path.exists():
            return LedgerFile(entries=(), accounts={}, head=GENESIS)
        return read_ledger(self.path, wait_seconds=self._wait)

    def _append(self, make: Callable[[list[Entry]], list[Entry]]) -> Entry:
        _refuse_read_only(self.path)
        new: list[Entry] = []
        try:
            return self._commit(make, new)
        except BaseException as error:
            if new:  # an interrupt that came while the disk was written is raised when all is done
                error.add_note(_booked(new[-1]))
            raise

    def _commit(self, make: Callable[[list[Entry]], list[Entry]], new: list[Entry]) -> Entry:
        """Append what `make` makes; `new` holds it once it is on disk, even if this function is cut short then."""
        with _told(self.path), closing(_connect(self.path, "rwc", self._wait)) as connection:
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("BEGIN IMMEDIATE")
            made: list[Entry] = []
            try:
                made = make(_read(connection, self.path, create=True))
                for entry in made:
                    values = (entry.id, *list(entry.fields().values())[1:], entry.hash)
                    connection.execute(f"INSERT INTO entries ({_COLUMNS}) VALUES ({', '.join('?' * 11)})", values)
                connection.execute("UPDATE head SET count = ?, hash = ?", (made[-1].id, made[-1].hash))
                connection.execute("COMMIT")
            except BaseException as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                elif not isinstance(error, sqlite3.Error):  # after some of its errors SQLite rolls back by itself
                    new += made
                raise
            new += made
            return made[-1]

    def __reduce__(self) -> Never:  # copy, deepcopy and pickle all come through here
        raise TypeError("a ledger cannot be copied: open the file again instead.")


def _booked(entry: Entry) -> str:
    if entry.kind == "charge":
        return f"The charge of epsilon {entry.epsilon} to dataset '{entry.dataset}' stays in the ledger."
    return f"The cap of dataset '{entry.dataset}' is {entry.epsilon} now."


def _connect(path: Path, mode: str, wait_seconds: float) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=wait_seconds, isolation_level=None
    )


def _read(connection: sqlite3.Connection, path: Path, *, create: bool = False) -> list[Entry]:
    """All entries, verified against their chain and the head row."""
    found = {name: (kind, sql) for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master")}
    if not found:  # a new file, or one whose maker was killed before the first commit
        if create:
            for statement in _CREATE:
                connection.execute(statement)
        return []
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION or not {*_MADE} <= {*found}:
        raise LedgerError(f"{path} is a database, but not a ledger of ours. Name another file.")
    # A trigger could undo a charge as soon as it is booked, a view or another table stand in for ours.
    strange = sorted(name for name, what in found.items() if what != _MADE.get(name) and not _by_sqlite(name, what))
    if strange:
        raise LedgerError(
            f"the ledger {path} was tampered with: it holds a {found[strange[0]][0]} '{strange[0]}' that we did not "
            "make. Nothing was charged. Restore the file from a backup, and find out who changed it."
        )
    rows = connection.execute(f"SELECT {_COLUMNS} FROM entries ORDER BY id").fetchall()
    try:
        entries = [_entry(row) for row in rows]
    except (ValueError, TypeError, ZeroDivisionError):
        entries = None
    heads = connection.execute("SELECT count, hash FROM head").fetchall()
    if entries is None or heads != [(len(entries), entries[-1].hash if entries else GENESIS)]:
        raise LedgerError(
            f"the ledger {path} was tampered with: entries are missing or unreadable. Nothing was charged. "
            "Restore the file from a backup, and find out who changed it."
        )
    check_chain(entries)
    return entries


def _by_sqlite(name: str, what: tuple[str, str | None]) -> bool:
    """Whether SQLite itself made it, as ANALYZE does; such names are closed to everybody else."""
    return name.startswith("sqlite_stat") and what[0] == "table"


def _entry(row: tuple[object, ...]) -> Entry:
    number, *texts = row
    if not isinstance(number, int) or not all(isinstance(text, str) for text in texts):
        raise TypeError("a field has another type than it was written with")
    time, dataset, kind, epsilon, delta, neighbours, method, note, previous, digest = (str(text) for text in texts)
    if kind not in ("open", "charge", "cap"):
        raise ValueError("unknown kind")
    return Entry(
        id=number,
        time=time,
        dataset=dataset,
        kind=kind,  # type: ignore[arg-type]
        epsilon=Fraction(epsilon),
        delta=Fraction(delta) if delta else None,
        neighbours=Neighbours(neighbours),
        method=method,
        note=note,
        previous=previous,
        hash=digest,
    )


def _refuse_read_only(path: Path) -> None:
    """A file without any write permission was closed on purpose; an administrator's rights should not overrule that."""
    if path.exists() and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise LedgerError(f"the ledger {path} is read-only. Nothing was charged. Allow writing to it, or name another.")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into sentences."""
    try:
        yield
    except sqlite3.Error as error:
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
