"""Releases that no curator made are booked like charges, and those without a bound are kept as such."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from understudy._core.errors import BudgetExceeded, LedgerError
from understudy.privacy import ADD_REMOVE, Booking, Entry, PrivacyTerms, SQLiteLedger, make_budget, read_ledger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def test_a_release_without_bound_is_kept_and_spends_nothing(path: Path) -> None:
    ledger = SQLiteLedger(path, dataset="d", cap="1")
    entry = ledger.book(Booking(epsilon=None, method="randomize", note="x"))
    ledger.book(Booking(epsilon=Fraction(1, 2)))
    account = read_ledger(path).account("d")
    assert (entry.kind, entry.epsilon, account.spent, account.n_charges, account.n_unbounded) == (
        *("unbounded", 0, Fraction(1, 2)),
        *(1, 1),
    )
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET kind = 'charge' WHERE kind = 'unbounded'")
    with pytest.raises(LedgerError, match="tampered"):
        read_ledger(path)


def test_a_booking_keeps_to_the_cap_and_to_what_its_maker_checks(path: Path) -> None:
    ledger = SQLiteLedger(path, dataset="d", cap="1")

    def refuse(entries: Sequence[Entry]) -> None:
        raise LedgerError(f"saw {len(entries)}")

    with pytest.raises(LedgerError, match="saw 0"):
        ledger.book(Booking(epsilon=Fraction(1)), check=refuse)
    with pytest.raises(BudgetExceeded):
        ledger.book(Booking(epsilon=Fraction(2)))
    with pytest.raises(LedgerError, match="exact fractions"):
        ledger.book(Booking(epsilon=0.5))  # type: ignore[arg-type]
    ledger.book(Booking(epsilon=Fraction(1)))
    with pytest.raises(LedgerError, match="saw 2"):
        ledger.book(Booking(epsilon=Fraction(1)), check=refuse)
    with pytest.raises(BudgetExceeded):
        ledger.check_booking(Booking(epsilon=Fraction(1)))


def test_a_cap_follows_what_is_spent_until_somebody_sets_one(path: Path) -> None:
    ledger = SQLiteLedger(path, dataset="d", cap_follows=True)
    for _ in range(2):
        ledger.book(Booking(epsilon=Fraction(1)))
    assert [(entry.kind, entry.epsilon) for entry in ledger.show()] == [
        ("open", 1),
        ("charge", 1),
        ("cap", 2),
        ("charge", 1),
    ]
    assert ledger.remaining() == 0
    SQLiteLedger(path, dataset="d").change_cap("2")
    with pytest.raises(BudgetExceeded):
        SQLiteLedger(path, dataset="d", cap_follows=True).book(Booking(epsilon=Fraction(1)))


def test_bookings_and_other_neighbours_do_not_mix(path: Path) -> None:
    SQLiteLedger(path, dataset="d", cap="3").charge(PrivacyTerms(budget=make_budget(1), neighbours=ADD_REMOVE))
    for epsilon in (None, Fraction(1)):
        with pytest.raises(LedgerError, match="neighbours"):
            SQLiteLedger(path, dataset="d").book(Booking(epsilon=epsilon))
