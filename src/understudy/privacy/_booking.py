"""Releases that no curator made: booked once their maker has looked at all entries, in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from understudy.privacy._budget import PureBudget
from understudy.privacy._dataset_names import find_name
from understudy.privacy._ledger import Entry, Kind, accounts, cap_entry, check_amounts, check_cap, make_entry
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._unit import ONE_ROW

FOLLOWS = "the cap follows what is spent"
_RELATION = Neighbours.REPLACE_ONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """What is to be booked for one release of randomised rows; `epsilon` None: it has no bound.

    Values of a record are replaced by others, and the number of rows is public, so neighbours are replace-one.
    """

    epsilon: Fraction | None
    method: str = ""
    note: str = ""


def booked_entries(
    entries: Sequence[Entry], booking: Booking, *, dataset: str, cap: Fraction | None, delta_cap: Fraction | None = None
) -> list[Entry]:
    """The entries that a booking appends to these. Without any `cap`, the cap follows what is spent until one is set.

    >>> made = booked_entries([], Booking(epsilon=Fraction(1)), dataset="d", cap=None)
    >>> [(entry.kind, entry.epsilon) for entry in made]
    [('open', Fraction(1, 1)), ('charge', Fraction(1, 1))]
    >>> [(entry.kind, str(entry.epsilon)) for entry in booked_entries(made, Booking(epsilon=Fraction(1)), dataset="d", \
cap=None)]
    [('cap', '2'), ('charge', '1')]
    """
    known = accounts(entries)
    account = known.get(find_name(dataset, known) or "")
    epsilon, made = booking.epsilon, []
    if epsilon is not None:
        check_amounts(epsilon, Fraction(0))
    if account is None:
        first, note = (epsilon or Fraction(0), FOLLOWS) if cap is None else (cap, "")
        made.append(_entry(entries, dataset, "open", epsilon=first, delta=delta_cap, note=note))
        account = accounts(made)[dataset]
    else:
        check_cap(account, cap, delta_cap)
        if epsilon is not None and account.remaining < epsilon and _follows(entries, account.dataset):
            most = account.spent + epsilon
            made.append(cap_entry(entries, dataset=account.dataset, cap=most, delta_cap=None, note=FOLLOWS))
            account = account.after(made[0])
    if epsilon is None:
        account.refuse_relation(_RELATION, ONE_ROW)
    else:
        account.refuse_or_pass(PrivacyTerms(budget=PureBudget(epsilon=epsilon), neighbours=_RELATION))
    kind: Kind = "unbounded" if epsilon is None else "charge"
    spent, said = epsilon or Fraction(0), {"method": booking.method, "note": booking.note}
    return [*made, _entry([*entries, *made], account.dataset, kind, epsilon=spent, delta=Fraction(0), **said)]


def _entry(
    entries: Sequence[Entry],
    dataset: str,
    kind: Kind,
    *,
    epsilon: Fraction,
    delta: Fraction | None,
    note: str,
    method: str = "",
) -> Entry:
    return make_entry(
        entries,
        dataset,
        kind,
        epsilon=epsilon,
        delta=delta,
        neighbours=_RELATION,
        unit=ONE_ROW,
        method=method,
        note=note,
    )


def _follows(entries: Sequence[Entry], dataset: str) -> bool:
    """Whether nobody has set a cap for this dataset."""
    caps = [entry for entry in entries if entry.dataset == dataset and entry.kind in ("open", "cap")]
    return caps[-1].note == FOLLOWS
