"""The account of what was spent on a dataset, over all releases: entries, their hash chain.

Costs add up (basic composition): the sum of all ε and the sum of all δ charged to a dataset bound what its releases
reveal together, whatever each of them did and however later ones depended on earlier ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from typing import Literal, Protocol, TypeAlias, get_args

from understudy._core.errors import BudgetExceeded, LedgerError, OptionError, did_you_mean
from understudy._core.numbers import exact_text
from understudy._core.receipts import Receipt, leave_receipt
from understudy.privacy._budget import Number, parse_number
from understudy.privacy._dataset_names import find_name
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._unit import ONE_ROW, PrivacyUnit

Kind: TypeAlias = Literal["open", "charge", "cap", "unbounded"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_CHANGING = "have the cap changed first with: understudy ledger cap"
_RAISING = "have the cap raised with: understudy ledger cap"
GENESIS = sha256(b"understudy ledger, version 1").hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a ledger. Its meaning never changes.

    `open` names a dataset's cap, neighbour relation and unit, `cap` changes the cap, `charge` spends, `unbounded`
    is a release without any bound on what it reveals: no ε, so nothing that could be added up. `hash` covers every
    field and the hash of the entry before, so no entry can be edited, removed or moved without breaking it.

    >>> entry = Entry(id=1, time="", dataset="d", kind="open", epsilon=Fraction(3), delta=None,
    ...               neighbours=Neighbours.REPLACE_ONE, method="", note="", previous=GENESIS)
    >>> entry.hash == "", len(entry.sealed().hash)
    (True, 64)
    """

    id: int
    time: str
    dataset: str
    kind: Kind
    epsilon: Fraction
    delta: Fraction | None
    neighbours: Neighbours
    unit: PrivacyUnit = ONE_ROW
    method: str
    note: str
    previous: str
    hash: str = ""

    def fields(self) -> dict[str, str]:
        """Every field but the hash, as text; amounts as exact fractions."""
        return {
            "id": str(self.id),
            "time": self.time,
            "dataset": self.dataset,
            "kind": self.kind,
            "epsilon": str(self.epsilon),
            "delta": "" if self.delta is None else str(self.delta),
            "neighbours": self.neighbours.value,
            "unit": self.unit.words,
            "max_rows": self.unit.bound,
            "unit_column": self.unit.column or "",
            "method": self.method,
            "note": self.note,
            "previous": self.previous,
        }

    def sealed(self) -> Entry:
        """The same entry with its hash."""
        text = json.dumps(self.fields(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return replace(self, hash=sha256((self.previous + text).encode()).hexdigest())


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Where one dataset stands.

    >>> Account(dataset="d", neighbours=Neighbours.REPLACE_ONE, cap=Fraction(3), spent=Fraction(1)).remaining
    Fraction(2, 1)
    """

    dataset: str
    neighbours: Neighbours
    cap: Fraction
    unit: PrivacyUnit = ONE_ROW
    delta_cap: Fraction | None = None
    spent: Fraction = Fraction(0)
    delta_spent: Fraction = Fraction(0)
    n_charges: int = 0
    n_unbounded: int = 0
    """Releases without any bound: what was spent says nothing of them."""

    @property
    def remaining(self) -> Fraction:
        """What may still be spent; never below 0, even if the cap was lowered under what was spent."""
        return max(self.cap - self.spent, Fraction(0))

    def after(self, entry: Entry) -> Account:
        """The account with one more entry."""
        if entry.kind == "cap":
            return replace(self, cap=entry.epsilon, delta_cap=entry.delta)
        if entry.kind == "unbounded":
            return replace(self, n_unbounded=self.n_unbounded + 1)
        delta = entry.delta or Fraction(0)
        return replace(
            self,
            spent=self.spent + entry.epsilon,
            delta_spent=self.delta_spent + delta,
            n_charges=self.n_charges + 1,
        )

    def refuse_or_pass(self, terms: PrivacyTerms, *, raising: str = _RAISING) -> None:
        """Raise unless this charge fits; `raising` says how this ledger's caps are raised."""
        epsilon, delta = terms.budget.epsilon, terms.budget.delta
        check_amounts(epsilon, delta)
        self.refuse_relation(terms.neighbours, terms.unit)
        if epsilon > self.remaining:
            asked, left, cap = exact_text(epsilon), exact_text(self.remaining), exact_text(self.cap)
            raise BudgetExceeded(
                f"this run asks for epsilon {asked} of dataset '{self.dataset}', but {left} of its cap {cap} is left. "
                f"Ask for {left} or less, or {raising}."
                if self.remaining
                else f"this run asks for epsilon {asked} of dataset '{self.dataset}', but its cap {cap} is spent. "
                f"Sample from a model that is already released: that is free. Or {raising}."
            )
        if self.delta_cap is not None and self.delta_spent + delta > self.delta_cap:
            asked, left = exact_text(delta), exact_text(self.delta_cap - self.delta_spent)
            raise BudgetExceeded(
                f"this run asks for delta {asked} of dataset '{self.dataset}', but {left} of its delta cap "
                f"{exact_text(self.delta_cap)} is left. Ask for less, run it under pure epsilon (--delta 0), or "
                f"{raising}."
            )

    def refuse_relation(self, neighbours: Neighbours, unit: PrivacyUnit) -> None:
        """Raise unless what is spent under this relation and for this unit can be added to what was spent before."""
        if neighbours is not self.neighbours:
            raise LedgerError(
                f"dataset '{self.dataset}' is kept under {self.neighbours.value} neighbours, and this run is under "
                f"{neighbours.value}: their epsilons do not add up. Say --neighbours {self.neighbours.value}."
            )
        if unit.protects != self.unit.protects:
            raise LedgerError(
                f"dataset '{self.dataset}' is kept for {self.unit.whom}, and this run is for {unit.whom}: "
                "their epsilons do not add up. Run it for the same unit, or keep it as a dataset of its own."
            )


class Ledger(Protocol):
    """Where a run is charged before its data are looked at."""

    def charge(self, terms: PrivacyTerms, *, method: str = "", note: str = "") -> Entry:
        """Book a run's whole budget for good, or raise; on return the charge is durable."""
        ...


class LedgerWithReceipts:
    """Any ledger, leaving a receipt for what it booked: ours do so themselves, somebody else's may not."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def charge(self, terms: PrivacyTerms, *, method: str = "", note: str = "") -> Entry:
        """Book a run's whole budget for good, or raise."""
        entry = self._ledger.charge(terms, method=method, note=note)
        leave_receipt(receipt_for(entry))
        return entry


def next_entries(
    entries: Sequence[Entry],
    terms: PrivacyTerms,
    *,
    dataset: str,
    cap: Fraction | None,
    delta_cap: Fraction | None,
    method: str,
    note: str,
    raising: str = _RAISING,
) -> list[Entry]:
    """The entries that a charge appends to these: one, or two if it opens the dataset. Raises if it must not be made.

    >>> from understudy.privacy import make_budget
    >>> terms = PrivacyTerms(budget=make_budget(1))
    >>> made = next_entries([], terms, dataset="d", cap=Fraction(3), delta_cap=None, method="", note="")
    >>> [entry.kind for entry in made], made[1].previous == made[0].hash
    (['open', 'charge'], True)
    """
    known = accounts(entries)
    account = known.get(find_name(dataset, known) or "")
    neighbours, unit = terms.neighbours, terms.unit
    new: list[Entry] = []
    if account is None:
        if cap is None:
            raise LedgerError(f"dataset '{dataset}' is not in this ledger yet. Give its cap on first use.")
        new.append(
            make_entry(
                entries, dataset, "open", epsilon=cap, delta=delta_cap, neighbours=neighbours, unit=unit, note=""
            )
        )
        account = accounts(new)[dataset]
    else:
        check_cap(account, cap, delta_cap)
    account.refuse_or_pass(terms, raising=raising)
    new.append(
        make_entry(
            [*entries, *new],
            account.dataset,
            "charge",
            epsilon=terms.budget.epsilon,
            delta=terms.budget.delta,
            neighbours=neighbours,
            unit=unit,
            method=method,
            note=note,
        )
    )
    return new


def cap_entry(entries: Sequence[Entry], *, dataset: str, cap: Fraction, delta_cap: Fraction | None, note: str) -> Entry:
    """The entry that changes a dataset's cap; without another `delta_cap` the present one stays."""
    account = account_of(entries, dataset)
    bound = account.delta_cap if delta_cap is None else delta_cap
    relation, unit = account.neighbours, account.unit
    return make_entry(
        entries, account.dataset, "cap", epsilon=cap, delta=bound, neighbours=relation, unit=unit, note=note
    )


def make_entry(
    entries: Sequence[Entry],
    dataset: str,
    kind: Kind,
    *,
    epsilon: Fraction,
    delta: Fraction | None,
    neighbours: Neighbours,
    unit: PrivacyUnit,
    note: str,
    method: str = "",
) -> Entry:
    """The next entry, sealed."""
    return Entry(
        id=len(entries) + 1,
        time=datetime.now(UTC).isoformat(timespec="microseconds"),
        dataset=dataset,
        kind=kind,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        unit=unit,
        method=method,
        note=note,
        previous=entries[-1].hash if entries else GENESIS,
    ).sealed()


def check_cap(account: Account, cap: Fraction | None, delta_cap: Fraction | None) -> None:
    """Raise if another cap is named than the one on record: a cap is changed on purpose, never in passing."""
    if cap is not None and cap != account.cap:
        raise LedgerError(
            f"dataset '{account.dataset}' has cap {exact_text(account.cap)} in this ledger, and this run names "
            f"{exact_text(cap)}. Name {exact_text(account.cap)} or none, or {_CHANGING}."
        )
    if delta_cap is not None and delta_cap != account.delta_cap:
        known = "none" if account.delta_cap is None else exact_text(account.delta_cap)
        raise LedgerError(
            f"dataset '{account.dataset}' has delta cap {known} in this ledger, and this run names "
            f"{exact_text(delta_cap)}. Name the same or none, or {_CHANGING}."
        )


def check_amounts(epsilon: object, delta: object) -> None:
    """Raise unless both are exact fractions: a float is read back as another text. Below 0 they would give back."""
    exact = [isinstance(amount, Fraction) or type(amount) is int for amount in (epsilon, delta)]
    if not all(exact) or not (epsilon > 0 and 0 <= delta < 1):  # type: ignore[operator]  # exact means comparable
        raise LedgerError(
            "a charge must be exact fractions, an epsilon above 0 and a delta from 0 to below 1. "
            f"Got {epsilon!r} and {delta!r} instead. Nothing was charged."
        )


def accounts(entries: Iterable[Entry]) -> dict[str, Account]:
    """Where each dataset stands after these entries."""
    result: dict[str, Account] = {}
    for entry in entries:
        if entry.kind == "open":
            result[entry.dataset] = Account(
                dataset=entry.dataset,
                neighbours=entry.neighbours,
                unit=entry.unit,
                cap=entry.epsilon,
                delta_cap=entry.delta,
            )
        else:
            result[entry.dataset] = result[entry.dataset].after(entry)
    return result


def account_of(entries: Iterable[Entry], dataset: str) -> Account:
    """Where this dataset stands; an error that lists the others if there is none of that name."""
    known = accounts(entries)
    found = find_name(dataset, known)
    if found is None:
        hint = did_you_mean(dataset, known) if known else "It has none yet."
        raise LedgerError(f"no dataset '{dataset}' in this ledger. {hint}")
    return known[found]


def check_chain(entries: Sequence[Entry]) -> None:
    """Raise unless every entry carries its own hash and that of the entry before."""
    previous = GENESIS
    for number, entry in enumerate(entries, start=1):
        if entry.id != number or entry.previous != previous or entry.sealed().hash != entry.hash:
            raise LedgerError(
                f"the ledger was tampered with: entry {number} does not match its hash, or one before it is missing. "
                "Nothing was charged. Restore the file from a backup, and find out who changed it."
            )
        previous = entry.hash


def receipt_for(entry: Entry, look: Callable[[], bool] | None = None) -> Receipt:
    """The receipt of an entry; `look` asks the ledger whether it holds the entry, and without it that is certain."""
    if entry.kind == "unbounded":
        what = f"record of a release of dataset '{entry.dataset}' without a bound"
        sentence = f"The {what} stays in the ledger."
    elif entry.kind == "charge":
        what = f"charge of epsilon {exact_text(entry.epsilon)} to dataset '{entry.dataset}'"
        sentence = f"The {what} stays in the ledger."
    else:
        what = f"new cap of dataset '{entry.dataset}'"
        sentence = f"The cap of dataset '{entry.dataset}' is {exact_text(entry.epsilon)} now."
    doubt = f"The {what} may be in the ledger, which cannot be read now. Look with: understudy ledger show"
    return Receipt(entry.hash, sentence, doubt, look or (lambda: True))


def parse_caps(cap: Number | None, delta_cap: Number | None) -> tuple[Fraction | None, Fraction | None]:
    """The caps someone wrote, checked."""
    most = None if cap is None else parse_number(cap, "cap")
    most_delta = None if delta_cap is None else parse_number(delta_cap, "delta_cap")
    if most is not None and most <= 0:
        raise OptionError(f"The 'cap' parameter must be above 0. Got {cap} instead.")
    if most_delta is not None and not 0 <= most_delta < 1:
        raise OptionError(f"The 'delta_cap' parameter must lie between 0 and 1. Got {delta_cap} instead.")
    return most, most_delta
