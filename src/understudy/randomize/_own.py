"""One party without a miner: its own variables' parameters, from its true columns and others' randomised ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from understudy._core.drafts import draft_of
from understudy._core.errors import OptionError, OutputError, did_you_mean
from understudy._core.files import as_output_error, exists, is_file, parents_made
from understudy._core.randomness import SystemBytes
from understudy._core.receipts import charges_noted
from understudy.methods import refuse_drowning_noise
from understudy.privacy import (
    ONE_ROW,
    Booking,
    Curator,
    Entry,
    Ledger,
    LedgerWithReceipts,
    PrivacyTerms,
    PrivacyUnit,
    SQLiteLedger,
    make_budget,
    make_noise,
    open_curator,
)
from understudy.randomize._apply import Duplicates, drops
from understudy.randomize._draw import Words
from understudy.randomize._file import RandomizedFile, open_randomized
from understudy.randomize._inbox import Inbox, PartyColumns
from understudy.randomize._keys import open_keys
from understudy.randomize._matrix import Response
from understudy.randomize._own_tables import OwnTables
from understudy.randomize._pieces import LearntVariable, Piece, ReceivedFile
from understudy.randomize._plan import Block, Plan
from understudy.randomize._pseudonyms import make_secret
from understudy.randomize._record import Record, open_record_ledger
from understudy.randomize._skeleton import Skeleton, StructureLike, read_skeleton
from understudy.randomize._stream import randomized_batches
from understudy.randomize._unmixed_counts import UnmixedCounts
from understudy.release import AS_PRINTED, SEEDED
from understudy.schema import Marginal, Schema, SchemaLike, read_schema, refuse_drafts
from understudy.tables import Source, Table, open_source

Progress: TypeAlias = Callable[[str, int, int], None]
Number: TypeAlias = "int | float | str | Fraction"
ONE_PERSON = PrivacyUnit("one person")
_METHOD = "own"


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What a party was asked to learn, resolved before any row is read."""

    party: str
    skeleton: Skeleton
    schema: Schema
    """Its variables only."""
    files: tuple[RandomizedFile, ...]
    key: str | None = None
    study: str = ""
    epsilon: Fraction | None = None
    seed: int | None = None
    drop: bool = False

    @property
    def plan(self) -> Plan:
        """Its columns as they are: they stay where they are."""
        return as_it_is(self.party, self.schema)

    @property
    def variables(self) -> tuple[str, ...]:
        return self.schema.names

    @property
    def stamp(self) -> str:
        words = [*([AS_PRINTED] if self.epsilon is None else []), *([SEEDED] if self.seed is not None else [])]
        return "; ".join(words)


def own(
    source: Any,
    received: Sequence[str | os.PathLike[str]] = (),
    *,
    structure: StructureLike,
    schema: SchemaLike,
    party: str,
    out: str | os.PathLike[str],
    epsilon: Number | None = None,
    key: str | None = None,
    secret: str | None = None,
    study: str = "",
    duplicates: Duplicates = "refuse",
    others: Mapping[str, SchemaLike] | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    cap: Number | None = None,
    no_guarantee: bool = False,
    seed: int | None = None,
    trust_draft: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Piece:
    """Learn the parameters of a party's own variables, and write them to a file that it may share.

    `received` are the randomised files with the cross parents that others sent; they are matched with the table's rows
    by pseudonym (`key`, `secret` and `study`, as in `apply`). `epsilon` is the budget of the central noise, for all
    variables together, charged to `ledger`: by default the one beside the table, as in `apply`. With `no_guarantee`
    parameters are exact, as the paper prints it; with `seed` they are a rehearsal: both are stamped, and never charged.
    Of exact ones the ledger notes that something was released without a bound.
    `others` are other parties' schemas, so that messages can say who holds what.

    Unit: one person (one row without a key). Neighbours: replace-one; who is in the table is not hidden. Bound:
    `epsilon` for the party's columns, beside what it sent; it adds up with all other parties' (proof.md, section 5).

    >>> import tempfile, pyarrow as pa
    >>> fields = [{"name": name, "categories": ["no", "yes"]} for name in ("smokes", "ill")]
    >>> table = pa.table({"smokes": ["no", "yes"] * 500, "ill": ["no", "no", "no", "yes"] * 250})
    >>> piece = own(table, structure={"smokes": [], "ill": ["smokes"]}, schema={"fields": fields}, party="hospital",
    ...             epsilon=4, out=Path(tempfile.mkdtemp(), "hospital.parameters.json"))
    >>> [variable.name for variable in piece.variables], piece.epsilon
    (['smokes', 'ill'], Fraction(4, 1))
    """
    budget = _budget(epsilon, no_guarantee=no_guarantee)
    to_learn = _to_learn(party, structure, schema, received, others or {}, trust_draft=trust_draft)
    asked = replace(to_learn, key=key, study=study, epsilon=budget, seed=seed, drop=drops(duplicates))
    opened = open_source(source)
    book = _ledger(asked, opened, ledger, dataset, cap)
    with charges_noted(), _written_whole(Path(out), opened, overwrite=overwrite) as draft:
        tables = _open_tables(opened, asked, secret, progress)
        piece = _measured(asked, tables, _curator(tables, asked, None if asked.stamp else book))
        piece.save(draft)
        if asked.epsilon is None and isinstance(book, _Booked):
            book.note_exact(_note(asked))
    return piece


def _to_learn(
    party: str,
    structure: StructureLike,
    schema: SchemaLike,
    received: Sequence[str | os.PathLike[str]],
    others: Mapping[str, SchemaLike],
    *,
    trust_draft: bool,
) -> _Asked:
    """Which variables, from which files. Raises if a cross parent is missing."""
    skeleton, declared = read_skeleton(structure), read_schema(schema)
    refuse_drafts(declared, trust_draft=trust_draft)
    files = [open_randomized(Path(path)) for path in received]
    skeleton = skeleton.named_like([*declared.names, *(name for file in files for name in file.plan.schema.names)])
    return _Asked(
        party=_party(party),
        skeleton=skeleton,
        schema=declared.only(_own_variables(skeleton, declared)),
        files=_needed_files(skeleton, declared, files, others),
    )


@contextmanager
def _written_whole(target: Path, opened: Source, *, overwrite: bool) -> Iterator[Path]:
    """A draft that takes its place at the end; opened first, so that nothing is spent on what cannot be written."""
    if exists(target) and opened.path is not None and target.samefile(opened.path):
        raise OutputError(f"'{target}' is the private table itself. Name another file.")
    if exists(target) and not (overwrite and is_file(target)):
        raise OutputError(f"'{target}' is there already. Name another file, or add --overwrite (overwrite=True).")
    with as_output_error(target), parents_made(target), draft_of(target) as draft:
        yield draft
        draft.replace(target)


def _budget(epsilon: Number | None, *, no_guarantee: bool) -> Fraction | None:
    if epsilon is None and not no_guarantee:
        raise OptionError(
            "how much may the parameters reveal? They are counts of true columns: give a budget for the noise in them, "
            "such as --epsilon 1 (epsilon=1). Exact ones, as the paper prints it, go with --no-guarantee."
        )
    if epsilon is not None and no_guarantee:
        raise OptionError(
            "--no-guarantee (no_guarantee=True) shares exact parameters, so an epsilon means nothing beside it. Give "
            "one of both."
        )
    return None if epsilon is None else make_budget(epsilon).epsilon


def _party(name: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise OptionError("a party needs a name, by which others know its parameters: --party hospital.")
    return name.strip()


def _own_variables(skeleton: Skeleton, schema: Schema) -> list[str]:
    found = [name for name in schema.names if name in skeleton.parents]
    if not found:
        raise OptionError(
            "none of the schema's columns is a variable of the structure, so there is nothing to learn here. "
            f"{did_you_mean(schema.names[0], skeleton.names)}"
        )
    return found


def _needed_files(
    skeleton: Skeleton, schema: Schema, files: Sequence[RandomizedFile], others: Mapping[str, SchemaLike]
) -> tuple[RandomizedFile, ...]:
    """The files that hold cross parents of the party's variables. Raises OptionError if one is missing."""
    own = [name for name in skeleton.names if name in schema.names]
    needed = dict.fromkeys(p for name in own for p in skeleton.parents[name] if p not in schema.names)
    for file in files:
        for name in file.plan.schema.names:
            if name in own:
                raise OptionError(
                    f"column '{name}' is in your own schema and in {file.name}. Each variable has one holder: agree "
                    "who that is."
                )
    missing = [name for name in needed if not any(name in file.plan.schema.names for file in files)]
    if missing:
        holders = {party: read_schema(given).names for party, given in others.items()}
        lines = []
        for name in missing:
            children = ", ".join(child for child in own if name in skeleton.parents[child])
            who = next((party for party, names in holders.items() if name in names), None)
            sender = "the party that holds it" if who is None else who
            lines.append(f"{children} depends on '{name}', which no received file has: {sender} must send it.")
        lines.append("See who sends what with: understudy randomize cross")
        raise OptionError("\n".join(lines))
    return tuple(file for file in files if any(name in needed for name in file.plan.schema.names))


def _ledger(asked: _Asked, opened: Source, ledger: Any, dataset: str | None, cap: Number | None) -> Ledger | None:
    """Where the run is charged: in the ledger given, or where what the party sent is recorded, beside its table."""
    if asked.seed is not None:
        return None
    if ledger is None and opened.path is None:
        if cap is not None:
            raise OptionError("a cap is kept in a ledger. Name one: --ledger budget.db.")
        return None
    if ledger is not None and not isinstance(ledger, str | os.PathLike | SQLiteLedger):
        return LedgerWithReceipts(ledger)
    place = Path(ledger) if isinstance(ledger, os.PathLike) else ledger
    book = open_record_ledger(opened, asked.plan, ledger=place, dataset=dataset, cap=cap)
    Record(book, epsilon=asked.epsilon, force=True).check_cap()
    return _Booked(book)


class _Booked:
    """The ledger of a party's randomised columns, as a curator charges it: both are about the same people."""

    def __init__(self, ledger: SQLiteLedger) -> None:
        self._ledger = ledger

    def charge(self, terms: PrivacyTerms, *, method: str = "", note: str = "") -> Entry:
        """Book the run's whole budget for good, or raise."""
        return self._ledger.book(Booking(epsilon=terms.budget.epsilon, method=method, note=note))

    def note_exact(self, note: str) -> None:
        """Leave an entry of a release that has no price, so that nobody takes what is spent for all there is."""
        self._ledger.book(Booking(epsilon=None, method=_METHOD, note=note))


def _unit(asked: _Asked) -> PrivacyUnit:
    # with a key nobody has two rows; without one nobody looked
    return ONE_ROW if asked.key is None else ONE_PERSON


def _open_tables(opened: Source, asked: _Asked, secret: str | None, progress: Progress | None) -> OwnTables:
    """The party's rows, joined with what it received."""
    mine = _own_columns(opened, asked, secret, progress)
    theirs = [
        PartyColumns(file.plan, file.codes(), file.pseudonyms(), file.secret_check, file.name) for file in asked.files
    ]
    inbox = Inbox([mine, *theirs])
    domain = inbox.domain
    families = [
        Marginal.of(*(domain.index(each) for each in (*asked.skeleton.parents[name], name))) for name in asked.variables
    ]
    return OwnTables(UnmixedCounts(inbox), frozenset(range(len(asked.variables))), families)


def _own_columns(opened: Source, asked: _Asked, secret: str | None, progress: Progress | None) -> PartyColumns:
    if asked.files and asked.key is None:
        raise OptionError(
            "received columns are matched with your rows by pseudonym, so the column with the persons' key is needed: "
            f"--key (key=…). {did_you_mean('', opened.names)}"
        )
    # without files nobody is matched, and the key serves to find people with several rows: any secret does
    hashed = make_secret() if secret is None and not asked.files else secret
    keys = open_keys(opened, asked.plan, key=asked.key, secret=hashed, study=asked.study, drop=asked.drop)
    parts = list(randomized_batches(opened, asked.plan, Words(SystemBytes()), keys, progress))
    columns = tuple(np.concatenate(column) for column in zip(*(part.codes for part in parts), strict=True))
    made = [part.pseudonyms for part in parts if part.pseudonyms is not None]
    return PartyColumns(
        asked.plan,
        Table(asked.schema.domain, columns),
        np.concatenate(made).view(np.uint64) if made else None,
        "" if keys is None else keys.check,
        "your table",
    )


def as_it_is(party: str, schema: Schema) -> Plan:
    """A plan that changes nothing: for columns that stay where they are.

    >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "type": "boolean"}]})
    >>> as_it_is("hospital", schema).blocks[0].matrix.unchanged
    True
    """
    blocks = [Block(columns=(f.name,), sizes=(f.size,), matrix=Response(f.size, Fraction(1))) for f in schema.fields]
    return Plan(party=party, schema=schema, blocks=tuple(blocks))


def _curator(tables: OwnTables, asked: _Asked, ledger: Ledger | None) -> Curator:
    """The run is charged here, before anything is counted; not at all if it promises nothing."""
    budget, unit = make_budget(1 if asked.epsilon is None else asked.epsilon), _unit(asked)
    refuse_drowning_noise(
        PrivacyTerms(budget=budget, unit=unit).table_noise(Fraction(1, len(tables.marginals))), budget
    )
    return open_curator(
        tables,
        budget=budget,
        unit=unit,
        ledger=ledger,
        noise=make_noise(seed=asked.seed),
        noiseless="all" if asked.epsilon is None else None,
        method=_METHOD,
        note=_note(asked),
    )


def _note(asked: _Asked) -> str:
    return f"parameters of {', '.join(asked.variables)}"[:200]


def _measured(asked: _Asked, tables: OwnTables, curator: Curator) -> Piece:
    found = tables.measure(curator)
    [charge] = curator.charges
    entry, noise = curator.ledger_entry, charge.noise
    return Piece(
        party=asked.party,
        study=asked.study if asked.files else "",
        structure=asked.skeleton.fingerprint,
        schema=asked.schema,
        variables=tuple(
            LearntVariable(
                name=name,
                parents=asked.skeleton.parents[name],
                probabilities=one.probabilities,
                errors=one.errors,
                people=one.people,
                rows=one.n,
            )
            for name, one in zip(asked.variables, found, strict=True)
        ),
        rows=tables.n,
        received=tuple(
            ReceivedFile(
                plan=file.plan,
                digest=file.digest,
                rows=file.n_rows,
                times=file.facts.times,
                earlier=file.earlier,
                stamp=file.facts.stamp,
            )
            for file in asked.files
        ),
        epsilon=asked.epsilon,
        tables=charge.n_tables,
        noise="none" if noise is None or noise.kind == "none" else f"scale b = {float(noise.scale):.6g} per cell",
        unit=_unit(asked).sentence,
        created=datetime.now(UTC).date().isoformat(),
        version=version("understudy"),
        stamp=asked.stamp,
        ledger=None if entry is None else (entry.dataset, entry.hash),
    )
