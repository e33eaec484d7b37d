"""Applying a plan: a party's columns are randomised, row by row, and written to the file that it sends.

In this order, so that whatever stops it, nothing is sent that is not on record: the ledger is asked whether this was
done before; the whole file is written as a draft; the run is booked, durably; the draft gets its name.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from understudy._core.drafts import draft_of
from understudy._core.errors import OptionError, OutputError
from understudy._core.files import as_output_error, exists, is_file, parents_made
from understudy._core.randomness import ByteSource, SystemBytes
from understudy._core.receipts import charges_noted
from understudy.privacy import Entry, PrivacyWarning, SQLiteLedger
from understudy.randomize._draw import Words
from understudy.randomize._file import Facts, RandomizedWriter, epsilon_text
from understudy.randomize._invariant import with_matrices
from understudy.randomize._keys import Keys, open_keys
from understudy.randomize._plan import Plan
from understudy.randomize._record import Randomization, Record, Repeated, entries_nearby, open_record_ledger
from understudy.randomize._report import report
from understudy.randomize._stream import Progress, randomized_batches
from understudy.tables import Source, open_source

SEEDED = "NOT PRIVATE: seeded"
Duplicates = Literal["refuse", "drop"]


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What was randomised, where it is, and what it cost."""

    out: Path
    plan: Plan
    n_rows: int
    keyed: bool
    study: str
    epsilon: Fraction | None
    """Of a whole record, in this file alone; None: without bound."""
    digest: str
    left_out: int = 0
    """Columns of the table that the plan does not have, the key aside: they were not read."""
    dropped: int = 0
    """Rows left out since their key has several."""
    times: int = 1
    """How often these columns were randomised so far, this time included."""
    total_epsilon: Fraction | None = None
    """Of all these times together; None: without bound."""
    ledger: Path | None = None
    dataset: str = ""
    entry: str = ""
    """The hash of the ledger's entry."""
    stamp: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "out": str(self.out),
            "party": self.plan.party,
            "rows": self.n_rows,
            "columns": list(self.plan.schema.names),
            "blocks": [list(block.columns) for block in self.plan.blocks],
            "fingerprint": self.plan.fingerprint,
            "pseudonyms": self.keyed,
            "study": self.study,
            "epsilon": None if self.epsilon is None else str(self.epsilon),
            "times": self.times,
            "total_epsilon": None if self.total_epsilon is None else str(self.total_epsilon),
            "columns_left_out": self.left_out,
            "rows_dropped": self.dropped,
            "ledger": None if self.ledger is None else str(self.ledger),
            "dataset": self.dataset,
            "entry": self.entry,
            "digest": self.digest,
            "stamp": self.stamp,
        }


def apply(
    source: Any,
    plan: Plan | str | Path,
    *,
    out: str | Path,
    key: str | None = None,
    secret: str | None = None,
    study: str = "",
    duplicates: Duplicates = "refuse",
    ledger: SQLiteLedger | str | Path | None = None,
    dataset: str | None = None,
    cap: Any = None,
    record: bool = True,
    force: bool = False,
    no_guarantee: bool = False,
    overwrite: bool = False,
    source_of_bits: ByteSource | None = None,
    progress: Progress | None = None,
) -> Applied:
    """Randomise a table's columns as the plan says, into a Parquet file at `out`. Large files stream.

    Args:
        source, plan: what holds the table, as for `read_table`; and the plan, or its file.
        key: the column that says who a row is about. It becomes pseudonyms, for the miner to join parties by.
        secret: what the parties share and the miner does not have. Default: the variable UNDERSTUDY_SECRET.
        study: a name that all parties give alike; other studies get other pseudonyms.
        duplicates: what to do with keys that have several rows: "refuse", or "drop" all their rows.
        ledger: a ledger file. Default: one beside the table's file, whose cap follows what is spent.
        dataset, cap: the table's name in the ledger, and the most ε that may ever be spent on it.
        record: False if you see to it yourself that a table is randomised once.
        force: go on though the same columns were randomised before; ε adds up.
        no_guarantee: go on though the plan has no finite ε.
        source_of_bits: of a seed, for a rehearsal: the file is stamped NOT PRIVATE, and nothing charged.

    >>> import tempfile, pyarrow as pa
    >>> from understudy.randomize import open_randomized, plan
    >>> folder = Path(tempfile.mkdtemp())
    >>> made = plan({"name": "hospital", "fields": [{"name": "smokes", "type": "boolean"}]}, epsilon=1)
    >>> people = pa.table({"smokes": [True, False, False]})
    >>> sent = apply(people, made, out=folder / "sent.parquet", ledger=folder / "budget.db", cap=1)
    >>> open_randomized(sent.out).codes().n
    3
    """
    plan = plan if isinstance(plan, Plan) else Plan.load(plan)
    opened, out = open_source(source), Path(out)
    bits = SystemBytes() if source_of_bits is None else source_of_bits
    _refuse_target(out, opened, overwrite=overwrite)
    if key is None and (secret is not None or study):
        # the file could be joined with nobody's, and the run would be charged all the same
        raise OptionError(
            f"a {'study' if secret is None else 'secret'} is for pseudonyms, and no key was named. Name the column "
            "that says who a row is about: --key COLUMN (key=…)."
        )
    epsilon = _promised(plan, no_guarantee=no_guarantee or not bits.private)
    place = _Place(opened, plan, epsilon)
    if bits.private and epsilon != 0:
        place.open(ledger, dataset, cap, force=force, wanted=record)
    keys = open_keys(opened, plan, key=key, secret=secret, study=study, drop=drops(duplicates))
    run = _Run(out, with_matrices(plan, opened), keys, Words(bits), "" if bits.private else SEEDED)
    return run.write(opened, place, progress)


class _Place:
    """Where a run is recorded, if it is: nowhere for a rehearsal, or if nothing is revealed that counts."""

    def __init__(self, opened: Source, plan: Plan, epsilon: Fraction | None) -> None:
        self._opened, self._plan, self.epsilon = opened, plan, epsilon
        self.record: Record | None = None
        self.columns = tuple(name for block in plan.blocks if block.sensitive for name in block.columns)

    def open(self, ledger: Any, dataset: str | None, cap: Any, *, force: bool, wanted: bool) -> None:
        """Open the ledger and look whether this was done before."""
        if not wanted:
            _warn_of_no_record()
            return
        found = open_record_ledger(self._opened, self._plan, ledger=ledger, dataset=dataset, cap=cap)
        one_table = ledger is None and dataset is None  # the ledger beside it, and nobody says that people are others
        nearby = entries_nearby(self._opened, found, named=dataset is not None)
        self.record = Record(found, epsilon=self.epsilon, force=force, one_table=one_table, others=nearby)
        self.look(())
        self.record.check_cap()

    def look(self, people: tuple[str, ...], content: str = "") -> tuple[Randomization, Repeated]:
        """This run as it is recorded, and what it repeats."""
        run = Randomization(columns=self.columns, plan=self._plan.fingerprint, people=people, content=content)
        if self.record is None:
            return run, Repeated(entries=(), own=self.epsilon)
        return run, self.record.look(run)

    def book(self, run: Randomization, seen: Repeated) -> Entry | None:
        return None if self.record is None else self.record.book(run, seen)


@dataclass(frozen=True)
class _Run:
    out: Path
    plan: Plan
    keys: Keys | None
    words: Words
    stamp: str

    def write(self, opened: Source, place: _Place, progress: Progress | None) -> Applied:
        """The file, the booking, the name."""
        with charges_noted(), as_output_error(self.out), parents_made(self.out), draft_of(self.out) as draft:
            with draft.open("wb") as file:
                writer = RandomizedWriter(file, self.plan, keyed=self.keys is not None)
                try:
                    for part in randomized_batches(opened, self.plan, self.words, self.keys, progress):
                        writer.write(part.codes, part.pseudonyms)
                    people = () if self.keys is None else self.keys.people()
                    seen = place.look(people)[1]
                    digest = writer.close(self._facts(seen))
                except BaseException:
                    writer.abandon()
                    raise
                file.flush()
                os.fsync(file.fileno())
            if progress:
                progress("recording", 1, 1)
            entry = place.book(place.look(people, digest)[0], seen)
            draft.replace(self.out)
        return self._told(opened, place, entry, seen, writer.n_rows, digest)

    def _facts(self, seen: Repeated) -> Facts:
        check, study = ("", "") if self.keys is None else (self.keys.check, self.keys.study)
        return Facts(
            study=study, secret_check=check, times=seen.times, earlier=epsilon_text(seen.earlier), stamp=self.stamp
        )

    def _told(
        self, opened: Source, place: _Place, entry: Entry | None, seen: Repeated, rows: int, digest: str
    ) -> Applied:
        known = {*self.plan.schema.names, *([] if self.keys is None else [self.keys.column])}
        ledger = None if place.record is None else place.record.ledger
        return Applied(
            out=self.out,
            plan=self.plan,
            n_rows=rows,
            keyed=self.keys is not None,
            study="" if self.keys is None else self.keys.study,
            epsilon=place.epsilon,
            digest=digest,
            left_out=len(set(opened.names) - known),
            dropped=0 if self.keys is None else self.keys.dropped,
            times=seen.times,
            total_epsilon=seen.epsilon,
            ledger=None if ledger is None else ledger.path,
            dataset="" if entry is None else entry.dataset,
            entry="" if entry is None else entry.hash,
            stamp=self.stamp,
        )


def _refuse_target(out: Path, opened: Source, *, overwrite: bool) -> None:
    if out.suffix.lower() != ".parquet":
        raise OutputError(f"randomised rows are written as Parquet. End the name '{out.name}' in .parquet.")
    if exists(out) and opened.path is not None and out.samefile(opened.path):
        raise OutputError(f"'{out}' is the private table itself. Name another file.")
    if exists(out) and not (overwrite and is_file(out)):
        raise OutputError(f"'{out}' is there already. Name another file, or add --overwrite (overwrite=True).")


def _promised(plan: Plan, *, no_guarantee: bool) -> Fraction | None:
    """ε of a whole record. Raises OptionError if there is none, unless that was asked for."""
    found = report(plan)
    if found.epsilon is None and not no_guarantee:
        reasons = "".join(f"\n- {warning}" for warning in found.warnings)
        raise OptionError(
            f"this plan bounds nothing: ε of a record is infinite. Change it, or pass --no-guarantee "
            f"(no_guarantee=True) to send the file without any.{reasons}"
        )
    return found.epsilon


def drops(duplicates: str) -> bool:
    """Whether rows of people with several are left out. Raises OptionError for another word.

    >>> drops("drop")
    True
    """
    if duplicates not in ("refuse", "drop"):
        raise OptionError(f"The 'duplicates' parameter must be 'refuse' or 'drop'. Got {duplicates!r} instead.")
    return duplicates == "drop"


def _warn_of_no_record() -> None:
    warnings.warn(
        "this randomisation is not recorded. See to it that these columns are never randomised again: two files of "
        "the same rows, averaged, tell more than either.",
        PrivacyWarning,
        stacklevel=4,
    )
