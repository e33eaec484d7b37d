"""The record that a table's columns were randomised, kept so that they are randomised once.

Two randomisations of one row, averaged, tell more of it than either: their ε adds up. So a ledger holds, for each run,
which columns of which data set were randomised, and who the people are: not their keys, but keyed hashes of a few of
them, by which a copy of the table under another name is recognised where it is booked in the same ledger, or in one
beside a table of the same folder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from understudy._core.errors import LedgerError, OptionError
from understudy._core.files import is_file
from understudy.privacy import Booking, Entry, SQLiteLedger, read_ledger
from understudy.randomize._plan import Plan
from understudy.tables import Source

METHOD = "randomize"
_SIDECAR = ".ledger.db"
_FORCE = "Send the file that was made then. Or pass --force (force=True): it is charged again, and ε adds up."


@dataclass(frozen=True, kw_only=True)
class Randomization:
    """One run, as its entry's note says it."""

    columns: tuple[str, ...]
    """The sensitive ones: a public column that is sent twice reveals nothing more."""
    plan: str
    people: tuple[str, ...] = ()
    """Keyed hashes of some keys; empty without a key."""
    content: str = ""

    def note(self, times: int = 1) -> str:
        """As the ledger keeps it; `times` these columns were randomised by now."""
        said = {"columns": self.columns, "plan": self.plan[:16], "people": self.people, "content": self.content[:16]}
        return json.dumps(said | ({"times": times} if times > 1 else {}), separators=(",", ":"))

    @classmethod
    def of(cls, entry: Entry) -> Randomization | None:
        """What an entry records; None if it is of something else."""
        if entry.method != METHOD or entry.kind not in ("charge", "unbounded"):
            return None
        try:
            said: Any = json.loads(entry.note)
            return cls(
                columns=tuple(map(str, said["columns"])),
                plan=str(said["plan"]),
                people=tuple(map(str, said["people"])),
                content=str(said["content"]),
            )
        except (ValueError, TypeError, KeyError):
            raise LedgerError(
                f"entry {entry.id} of the ledger records a randomisation, and cannot be read: another version made it."
            ) from None

    def repeats(self, earlier: Randomization, *, same_dataset: bool) -> bool:
        """Whether both are about some of the same columns of the same people."""
        known = set(earlier.people)
        same_people = 2 * len(known & set(self.people)) > min(len(known), len(self.people))
        return bool(set(self.columns) & set(earlier.columns)) and (same_dataset or same_people)


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """Earlier randomisations of the same columns, and what they come to with this one."""

    entries: tuple[Entry, ...]
    own: Fraction | None
    """Of this one; None: without bound."""

    @property
    def epsilon(self) -> Fraction | None:
        """Of all together; None: without bound."""
        return None if self.own is None or self.earlier is None else self.own + self.earlier

    @property
    def earlier(self) -> Fraction | None:
        """Of the earlier ones alone; None: without bound."""
        if any(entry.kind == "unbounded" for entry in self.entries):
            return None
        return sum((entry.epsilon for entry in self.entries), start=Fraction(0))

    @property
    def times(self) -> int:
        """How often these columns were randomised, this run included."""
        return len(self.entries) + 1


class Record:
    """Where a run is recorded: looked at early, looked at again with the people's hashes, and booked.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     ledger = SQLiteLedger(Path(folder, "hospital.csv.ledger.db"), dataset="hospital", cap_follows=True)
    ...     record = Record(ledger, epsilon=Fraction(1), force=False)
    ...     run = Randomization(columns=("smokes",), plan="d41d")
    ...     entry = record.book(run, record.look(run))
    ...     record.look(run)
    Traceback (most recent call last):
    understudy._core.errors.LedgerError: column 'smokes' of dataset 'hospital' was randomised before, on ...
    """

    def __init__(
        self,
        ledger: SQLiteLedger,
        *,
        epsilon: Fraction | None,
        force: bool,
        one_table: bool = False,
        others: Sequence[tuple[Entry, bool]] = (),
    ) -> None:
        self.ledger, self.epsilon, self._force = ledger, epsilon, force
        self._one_table = one_table  # all entries are about the same rows, whatever they call the data set
        # of other ledgers, and whether they are about the same table; if not, it may be a copy: its people tell
        self._others = others

    def look(self, run: Randomization, entries: Sequence[Entry] | None = None) -> Repeated:
        """Which entries this run repeats. Raises LedgerError if there are any, unless that is forced."""
        own = self.ledger.show() if entries is None else entries
        looked = list(self._others)
        looked += [(entry, self._one_table or entry.dataset == self.ledger.dataset) for entry in own]
        found = []
        for entry, same in looked:
            earlier = Randomization.of(entry)
            if earlier and run.repeats(earlier, same_dataset=same):
                found.append((entry, earlier))
        if found and not self._force:
            raise LedgerError(_refusal(*found[-1], run))
        return Repeated(entries=tuple(entry for entry, _ in found), own=self.epsilon)

    def check_cap(self) -> None:
        """Raise now if the ledger would refuse the charge later."""
        self.ledger.check_booking(Booking(epsilon=self.epsilon, method=METHOD))

    def book(self, run: Randomization, seen: Repeated) -> Entry:
        """Book the run for good. Raises if somebody booked another one since, or if the cap has no room."""

        def check(entries: Sequence[Entry]) -> None:
            if self.look(run, entries).times != seen.times:
                raise LedgerError(
                    "the same columns were randomised by another run in the meantime. Nothing was charged by this one, "
                    "and nothing was written. Look with: understudy ledger show"
                )

        return self.ledger.book(Booking(epsilon=self.epsilon, method=METHOD, note=run.note(seen.times)), check=check)


def open_record_ledger(
    opened: Source, plan: Plan, *, ledger: str | Path | SQLiteLedger | None, dataset: str | None, cap: Any = None
) -> SQLiteLedger:
    """The ledger that a run is recorded in: the one given, or one beside the table's file."""
    if isinstance(ledger, SQLiteLedger):
        if dataset is not None or cap is not None:
            raise OptionError("an open ledger has its dataset and its cap. Give neither, or give the ledger's path.")
        return ledger
    named = (plan.party or (opened.path.stem if opened.path else "")) if dataset is None else dataset
    if ledger is not None:
        return SQLiteLedger(ledger, dataset=named, cap=cap)
    if cap is not None:
        raise OptionError("a cap is kept in a ledger. Name one: --ledger budget.db.")
    if opened.path is None:
        raise OptionError(
            "a table in memory has no file beside which its randomisation could be recorded, and done twice it would "
            "average out. Give a ledger file (ledger='budget.db', cap=…), or record=False if you see to it yourself."
        )
    place = opened.path.resolve()
    beside = place.with_name(place.name + _SIDECAR)
    name = named if dataset is not None else _first_in(beside) or named
    return SQLiteLedger(beside, dataset=name, cap_follows=True)


def entries_nearby(opened: Source, ledger: SQLiteLedger, *, named: bool) -> tuple[tuple[Entry, bool], ...]:
    """What other ledgers of the table's folder hold: beside the table itself, and beside what may be a copy of it.

    Entries come with whether they are about this very table: those beside it are, unless another data set was `named`.

    A ledger of another table that cannot be read is that table's trouble, and is passed over.
    """
    if opened.path is None:
        return ()
    place = opened.path.resolve()
    found: list[tuple[Entry, bool]] = []
    for path in sorted(place.parent.glob(f"*{_SIDECAR}")):
        if path.resolve() != ledger.path.resolve():
            beside = path.name == place.name + _SIDECAR
            with nullcontext() if beside else suppress(LedgerError, OSError):
                found += [(entry, beside and not named) for entry in read_ledger(path, wait_seconds=1).entries]
    return tuple(found)


def _first_in(beside: Path) -> str | None:
    """The data set that the ledger of one table is about: it stays the same whatever a plan calls its party."""
    return next(iter(read_ledger(beside).accounts), None) if is_file(beside) else None


def _refusal(entry: Entry, earlier: Randomization, run: Randomization) -> str:
    shared = bool(set(earlier.people) & set(run.people))
    both = [name for name in run.columns if name in earlier.columns]
    listed = ", ".join(f"'{name}'" for name in both[:5]) + (", …" if len(both) > 5 else "")
    columns = f"column {listed}" if len(both) == 1 else f"columns {listed}"
    other = "" if shared else " If this table is of other people, give it a name of its own with --dataset (dataset=…)."
    return (
        f"{columns} of dataset '{entry.dataset}' {'was' if len(both) == 1 else 'were'} randomised before, on "
        f"{entry.time[:10]} with plan {earlier.plan[:12]}. Randomised twice, the noise averages out and what protects "
        f"people goes. {_FORCE}{other}"
    )
