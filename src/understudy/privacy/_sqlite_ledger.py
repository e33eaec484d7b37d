"""A ledger in one SQLite file, shared by runs, people and processes.

One file at rest: the rollback journal (not a write-ahead log, whose side file would hold charges that a copy of the
main file misses). `synchronous=EXTRA` makes a commit outlive a power cut, directory entry included. A charge is one
`BEGIN IMMEDIATE` transaction that reads and verifies the whole chain, checks the cap and appends: SQLite lets one
process at a time into it, so two of them can never spend the same rest. Killed before the commit, the charge was never
made and the data not yet looked at; killed after it, the charge stands.
"""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Never

from understudy._core.addresses import looks_like_an_address
from understudy._core.errors import LedgerError, did_you_mean
from understudy._core.files import can_name_a_file, exists, is_file, is_folder
from understudy._core.receipts import charges_noted, leave_receipt
from understudy.privacy._booking import Booking, booked_entries
from understudy.privacy._budget import Number, PrivacyWarning
from understudy.privacy._dataset_names import check_name, find_name, near_names
from understudy.privacy._ledger import (
    GENESIS,
    Account,
    Entry,
    account_of,
    accounts,
    cap_entry,
    check_cap,
    next_entries,
    parse_caps,
    receipt_for,
)
from understudy.privacy._ledger_file import (
    append_entries,
    connect,
    create,
    is_new,
    read_entries,
    sqlite_errors_explained,
)
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._terms import PrivacyTerms


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFile:
    """What a ledger file says, verified: its entries, where each dataset stands, and the hash of the last entry."""

    entries: tuple[Entry, ...]
    accounts: dict[str, Account]
    head: str

    def account(self, dataset: str) -> Account:
        """Where this dataset stands, in whatever case it is written; an error that lists the others if it is none."""
        return account_of(self.entries, dataset)


def read_ledger(path: str | os.PathLike[str], *, wait_seconds: float = 10.0) -> LedgerFile:
    """Everything in a ledger file, verified; charges nothing, so a read-only file will do.

    >>> from tempfile import TemporaryDirectory
    >>> from understudy.privacy import make_budget
    >>> with TemporaryDirectory() as folder:
    ...     ledger = SQLiteLedger(Path(folder) / "budget.db", dataset="people", cap=3)
    ...     entry = ledger.charge(PrivacyTerms(budget=make_budget(1)))
    ...     found = read_ledger(ledger.path)
    >>> found.accounts["people"].remaining, [entry.kind for entry in found.entries]
    (Fraction(2, 1), ['open', 'charge'])
    """
    place = Path(path)
    _refuse_address(path)
    if not is_file(place):
        raise LedgerError(f"there is no ledger at {place}. A run with --ledger makes one.")
    with sqlite_errors_explained(place), closing(connect(place, "rw", wait_seconds)) as connection:
        # opened for writing where that is allowed: a process killed in mid-charge leaves a journal to be rolled back
        connection.execute("BEGIN")
        entries = read_entries(connection, place)
        return LedgerFile(
            entries=tuple(entries), accounts=accounts(entries), head=entries[-1].hash if entries else GENESIS
        )


class SQLiteLedger:
    """A dataset's account in a ledger file; the file is made on the first charge.

    The first charge to a dataset fixes its cap and its neighbour relation. Afterwards another `cap` is refused; name
    the same or none. `change_cap` is the deliberate way, and leaves its own entry in the chain. Without `delta_cap`
    the sum of δ is recorded but not bounded. With `cap_follows`, releases that are booked (`book`) need no cap: it
    rises with what is spent, as entries of its own, until somebody sets one.

    >>> from tempfile import TemporaryDirectory
    >>> from understudy.privacy import make_budget
    >>> with TemporaryDirectory() as folder:
    ...     ledger = SQLiteLedger(Path(folder) / "budget.db", dataset="people", cap="3")
    ...     entry = ledger.charge(PrivacyTerms(budget=make_budget(1)))
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
        cap_follows: bool = False,
    ) -> None:
        # as it is now: a later change of the folder must not lead to another file, with a cap of its own
        self.path, self._wait = Path(path).absolute(), wait_seconds
        name = check_name(dataset)
        self._cap, self._delta_cap = parse_caps(cap, delta_cap)
        if not can_name_a_file(self.path):
            raise LedgerError(f"no file can be named {str(path)!r}. Name one for the ledger, such as budget.db.")
        _refuse_address(path)
        if is_folder(self.path):
            raise LedgerError(f"{self.path} is a folder. Name a file for the ledger, such as budget.db.")
        if exists(self.path) and not is_file(self.path):
            raise LedgerError(f"{self.path} is a pipe or a device. Name a file for the ledger, such as budget.db.")
        known = self._file().accounts
        found = find_name(name, known)
        self.dataset = name if found is None else found
        if found is not None:
            check_cap(known[found], self._cap, self._delta_cap)
        elif self._cap is None and not cap_follows:
            raise LedgerError(
                f"dataset '{name}' is not in {self.path} yet. Give its cap on first use: --cap 3 (cap=3), say."
                + (f" {did_you_mean(name, known)}" if known else "")
            )
        else:
            _warn_of_near_names(name, known)

    def charge(self, terms: PrivacyTerms, *, method: str = "", note: str = "") -> Entry:
        """Book a run's whole budget, or raise; on return the charge is on disk."""

        def append(entries: list[Entry]) -> list[Entry]:
            return next_entries(
                entries,
                terms,
                dataset=self.dataset,
                cap=self._cap,
                delta_cap=self._delta_cap,
                method=method,
                note=note,
            )

        return self._append(append)

    def book(self, booking: Booking, *, check: Callable[[Sequence[Entry]], None] | None = None) -> Entry:
        """Book a release that no curator made, or raise; on return it is on disk.

        `check` sees all entries and may raise: nobody can append another between its look and this booking.
        """

        def append(entries: list[Entry]) -> list[Entry]:
            if check is not None:
                check(entries)
            return self._booked(entries, booking)

        return self._append(append)

    def check_booking(self, booking: Booking) -> None:
        """Raise if this booking would be refused now. Books nothing, so the answer may be out of date at once."""
        self._booked(self._file().entries, booking)

    def _booked(self, entries: Sequence[Entry], booking: Booking) -> list[Entry]:
        return booked_entries(entries, booking, dataset=self.dataset, cap=self._cap, delta_cap=self._delta_cap)

    def check(self, terms: PrivacyTerms) -> None:
        """Raise if this charge would be refused now. Charges nothing, so the answer may be out of date at once."""
        listed = self._file().accounts
        known = listed.get(find_name(self.dataset, listed) or "")
        cap = self._cap or Fraction(0)
        account = known or Account(
            dataset=self.dataset, neighbours=terms.neighbours, unit=terms.unit, cap=cap, delta_cap=self._delta_cap
        )
        account.refuse_or_pass(terms)

    def change_cap(self, cap: Number, *, delta_cap: Number | None = None, note: str = "") -> Entry:
        """Set another cap from now on, as an entry of its own. It may be lower than what was spent.

        A cap on δ stays as it is unless another is given.
        """
        most, most_delta = parse_caps(cap, delta_cap)
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
        if name == self.dataset and find_name(name, accounts(entries)) is None:
            return Account(
                dataset=name, neighbours=Neighbours.REPLACE_ONE, cap=self._cap or Fraction(0), delta_cap=self._delta_cap
            )
        return account_of(entries, name)

    def _file(self) -> LedgerFile:
        if not exists(self.path):
            return LedgerFile(entries=(), accounts={}, head=GENESIS)
        return read_ledger(self.path, wait_seconds=self._wait)

    def _append(self, make: Callable[[list[Entry]], list[Entry]]) -> Entry:
        """Append what `make` makes of the entries so far; whatever stops this says what became of it."""
        _refuse_read_only(self.path)
        with charges_noted(), sqlite_errors_explained(self.path):
            return self._commit(make)

    def _commit(self, make: Callable[[list[Entry]], list[Entry]]) -> Entry:
        with closing(connect(self.path, "rwc", self._wait)) as connection:
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("PRAGMA trusted_schema = OFF")
            if connection.execute("PRAGMA journal_mode = DELETE").fetchone() != ("delete",):
                raise LedgerError(f"the ledger {self.path} keeps a side file that others use now. Try again later.")
            connection.execute("BEGIN IMMEDIATE")
            receipt = None
            try:
                if is_new(connection):
                    create(connection)
                made = make(read_entries(connection, self.path))
                append_entries(connection, made)
                receipt = receipt_for(made[-1], lambda: self._holds(made[-1]))
                leave_receipt(receipt)  # before the commit: an interrupt may come while the disk is written
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                    if receipt is not None:
                        receipt.booked = False
                raise
        self._read_back(made[-1])
        receipt.booked = True
        return made[-1]

    def _read_back(self, entry: Entry) -> None:
        """A charge counts only if the file gives it back, through a connection that knows nothing of the writing."""
        try:
            held = self._holds(entry)
        except LedgerError as error:
            reason = str(error).replace(" Nothing was charged.", "")
            raise LedgerError(
                f"what was written to the ledger cannot be read back, so the run stops: {reason}"
            ) from error
        if not held:
            raise LedgerError(
                f"the ledger {self.path} was tampered with: what was just written is not in it, so the run stops. "
                "Restore the file from a backup, and find out who changed it."
            )

    def _holds(self, entry: Entry) -> bool:
        """Whether the entry has its place in the chain: last, or before what others appended since."""
        entries = read_ledger(self.path, wait_seconds=self._wait).entries
        return len(entries) >= entry.id and entries[entry.id - 1] == entry

    def __reduce__(self) -> Never:  # copy, deepcopy and pickle all come through here
        raise TypeError("a ledger cannot be copied: open the file again instead.")


def _warn_of_near_names(name: str, known: dict[str, Account]) -> None:
    """A new account beside one of nearly the same name may be a slip that spends on the same people twice."""
    near = near_names(name, known)
    if near:
        listed = ", ".join(f"'{other}'" for other in near[:3])
        warnings.warn(
            f"dataset '{name}' is new in this ledger, and its name is near {listed}. Accounts do not share a cap: if "
            "it is the same table, stop and write the name as it is there.",
            PrivacyWarning,
            stacklevel=3,
        )


def _refuse_read_only(path: Path) -> None:
    """A file without any write permission was closed on purpose; an administrator's rights should not overrule that."""
    if exists(path) and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise LedgerError(f"the ledger {path} is read-only. Nothing was charged. Allow writing to it, or name another.")


def _refuse_address(path: str | os.PathLike[str]) -> None:
    if looks_like_an_address(path):
        raise LedgerError("a ledger is a file, and this is an address. Name one, such as budget.db.")
