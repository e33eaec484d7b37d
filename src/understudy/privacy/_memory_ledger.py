"""A ledger in memory: several runs of one process on one dataset under one cap."""

from __future__ import annotations

import os
from fractions import Fraction
from threading import Lock
from typing import Never

from understudy._core.errors import LedgerError
from understudy._core.receipts import leave_receipt
from understudy.privacy._budget import Number
from understudy.privacy._dataset_names import check_name
from understudy.privacy._ledger import Account, Entry, account_of, accounts, next_entries, parse_caps, receipt_for
from understudy.privacy._terms import PrivacyTerms

_IN_MEMORY = "make the ledger with a larger cap"


class MemoryLedger:
    """A ledger that lasts as long as the process: several runs on one dataset under one cap.

    >>> ledger = MemoryLedger(dataset="people", cap=1)
    >>> from understudy.privacy import make_budget
    >>> most = PrivacyTerms(budget=make_budget("3/4"))
    >>> ledger.charge(most).id, ledger.remaining()
    (2, Fraction(1, 4))
    >>> ledger.charge(most)
    Traceback (most recent call last):
    understudy._core.errors.BudgetExceeded: this run asks for epsilon 0.75 of dataset 'people', but 0.25 of its cap \
1 is left. Ask for 0.25 or less, or make the ledger with a larger cap.
    """

    def __init__(self, *, dataset: str = "dataset", cap: Number, delta_cap: Number | None = None) -> None:
        self.dataset = check_name(dataset)
        self._cap, self._delta_cap = parse_caps(cap, delta_cap)
        self._entries: list[Entry] = []
        self._lock = Lock()
        self._process = os.getpid()

    def charge(self, terms: PrivacyTerms, *, method: str = "", note: str = "") -> Entry:
        """Book a run's whole budget, or raise."""
        if os.getpid() != self._process:
            raise LedgerError(
                "this ledger was made in another process. A forked copy would spend the same budget again. Nothing was "
                "charged. Charge in the process that made it, or share a ledger file."
            )
        with self._lock:
            made = next_entries(
                self._entries,
                terms,
                dataset=self.dataset,
                cap=self._cap,
                delta_cap=self._delta_cap,
                method=method,
                note=note,
                raising=_IN_MEMORY,
            )
            leave_receipt(receipt_for(made[-1], lambda: made[-1] in self._entries))
            self._entries += made
            return made[-1]

    def check(self, terms: PrivacyTerms) -> None:
        """Raise if this charge would be refused now; charges nothing."""
        cap = self._cap or Fraction(0)
        account = accounts(self._entries).get(self.dataset) or Account(
            dataset=self.dataset, neighbours=terms.neighbours, unit=terms.unit, cap=cap, delta_cap=self._delta_cap
        )
        account.refuse_or_pass(terms, raising=_IN_MEMORY)

    def show(self) -> tuple[Entry, ...]:
        """All entries."""
        return tuple(self._entries)

    def spent(self) -> Fraction:
        """What was spent so far."""
        return account_of(self._entries, self.dataset).spent if self._entries else Fraction(0)

    def remaining(self) -> Fraction:
        """What may still be spent."""
        return (self._cap or Fraction(0)) - self.spent()

    def __reduce__(self) -> Never:  # copy, deepcopy and pickle all come through here
        raise TypeError("a ledger cannot be copied: both copies could spend the same budget. Pass this one along.")
