"""What a miner has received: the randomised columns of several parties, joined by pseudonym."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError, TableError
from understudy.randomize._plan import Block, Plan
from understudy.randomize._pseudonym_join import Keys, sort_keys
from understudy.schema import Domain, Field, Schema
from understudy.tables import Table

Pseudonyms = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class PartyColumns:
    """One party's randomised columns as codes, in the order of its plan's schema.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Response
    >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
    >>> block = Block(columns=("smokes",), sizes=(2,), matrix=Response(2, Fraction(3, 4)))
    >>> plan = Plan(party="hospital", schema=schema, blocks=(block,))
    >>> PartyColumns(plan, Table(schema.domain, (np.array([0, 1, 1]),))).n
    3
    """

    plan: Plan
    table: Table
    pseudonyms: Pseudonyms | None = None
    """Two words for each row; None if the rows are not to be joined with anybody's."""
    secret_check: str = ""
    """Equal for parties that hashed with the same secret for the same study."""
    source: str = ""
    """Where it comes from, for messages."""
    stamp: str = ""
    """What every result must say of it, such as that its randomness was not private."""
    times: int = 1
    """How often its columns were randomised so far."""
    earlier: Fraction | None = Fraction(0)
    """ε of the times before; None: without bound."""

    def __post_init__(self) -> None:
        if [a.name for a in self.table.domain] != list(self.plan.schema.names):
            raise TableError(f"{self.name}: the columns are not those of its plan, in the plan's order.")
        if self.pseudonyms is not None and self.pseudonyms.shape != (self.table.n, 2):
            raise TableError(f"{self.name}: there must be one pseudonym for each row.")
        for block in self.plan.blocks:
            if block.matrix is None:
                raise OptionError(
                    f"{self.name}: the matrix for {' and '.join(block.columns)} is not worked out yet. Its randomised "
                    "file carries the matrix that was used: give that file."
                )

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.table.n

    @property
    def name(self) -> str:
        """How messages call it."""
        return self.source or self.plan.party or "a party"


class Inbox:
    """The columns of all parties, row by row where several of them have the same person.

    `n` and `table` are about the rows that every party has; `table_of` has all rows that the parties of some attributes
    share, which may be more.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Response
    >>> def party(name, column, codes, people):
    ...     schema = Schema.from_dict({"fields": [{"name": column, "categories": ["no", "yes"]}]})
    ...     block = Block(columns=(column,), sizes=(2,), matrix=Response(2, Fraction(3, 4)))
    ...     keys = np.array([[person, 0] for person in people], dtype=np.uint64)
    ...     plan = Plan(party=name, schema=schema, blocks=(block,))
    ...     return PartyColumns(plan, Table(schema.domain, (np.array(codes),)), keys)
    >>> inbox = Inbox([party("hospital", "smokes", [0, 1, 1], [7, 8, 9]), party("insurer", "claims", [1, 0], [9, 7])])
    >>> inbox.schema.names, inbox.n, [column.tolist() for column in inbox.table.columns]
    (('smokes', 'claims'), 2, [[0, 1], [0, 1]])
    >>> inbox.table_of([0]).n
    3
    """

    def __init__(self, parties: Iterable[PartyColumns]) -> None:
        self.parties = tuple(parties)
        if not self.parties:
            raise TableError("no randomised files were given. Give those that the parties sent.")
        _check_columns(self.parties)
        self._keys = _sorted_keys(self.parties)
        self._shared: dict[tuple[int, ...], Keys] = {}
        self._tables: dict[tuple[int, ...], Table] = {}
        if not self.n:
            raise TableError(self._why_nobody())

    @property
    def plans(self) -> tuple[Plan, ...]:
        """One for each file."""
        return tuple(party.plan for party in self.parties)

    @cached_property
    def schema(self) -> Schema:
        """All fields, in the order of the files."""
        if len(self.parties) == 1:
            return self.plans[0].schema
        return _combined([plan.schema for plan in self.plans])

    @property
    def domain(self) -> Domain:
        """All attributes, in the order of the files."""
        return self.schema.domain

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of all plans."""
        return tuple(block for plan in self.plans for block in plan.blocks)

    @cached_property
    def n(self) -> int:
        """Number of rows that every party has."""
        return self._n_shared(tuple(range(len(self.parties))))

    @property
    def table(self) -> Table:
        """The rows that every party has."""
        return self._joined(tuple(range(len(self.parties))))

    def table_of(self, attributes: Sequence[int]) -> Table:
        """All rows that the parties of these attributes share, with these parties' columns only.

        The table's domain has those parties' attributes, in their order in `domain`.
        """
        return self._joined(self.parties_of(attributes))

    def parties_of(self, attributes: Sequence[int]) -> tuple[int, ...]:
        """Which files these attributes are in; all of them if there are no attributes."""
        owners = self._owners
        return tuple(sorted({owners[attribute] for attribute in attributes})) or tuple(range(len(self.parties)))

    @cached_property
    def _owners(self) -> tuple[int, ...]:
        return tuple(number for number, party in enumerate(self.parties) for _ in party.plan.schema.fields)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader of any result should know about the files, in words."""
        notes = [f"{party.name}: {party.stamp}" for party in self.parties if party.stamp]
        notes += [
            f"{party.name}: its columns were randomised {party.times} times so far, and ε counts each time for whoever "
            "has all of these files."
            for party in self.parties
            if party.times > 1
        ]
        notes += [
            f"{party.name}: {party.n - self.n:,} of {party.n:,} rows are not in every other file. They count where "
            "only parties that have them are asked about."
            for party in self.parties
            if party.n > self.n
        ]
        return tuple(notes)

    def _why_nobody(self) -> str:
        for party in self.parties:
            if not party.n:
                return f"{party.name}: there are no rows."
        apart = next((pair for pair in combinations(range(len(self.parties)), 2) if not self._n_shared(pair)), None)
        where = "all files" if apart is None else " and ".join(f"{self.parties[number].name}" for number in apart)
        return (
            f"nobody is in {where}: they were made with the same secret, but no key is in all of them. Check that the "
            "parties use the same kind of key, written in the same way."
        )

    def rows_used_for(self, attributes: Sequence[int]) -> tuple[int, ...]:
        """The files whose shared rows `table_of` has: all of them where that makes no difference."""
        chosen = self.parties_of(attributes)
        everybody = tuple(range(len(self.parties)))
        return everybody if len(self.parties) == 1 or self._n_shared(chosen) == self._n_shared(everybody) else chosen

    def _n_shared(self, chosen: tuple[int, ...]) -> int:
        return self.parties[chosen[0]].n if len(chosen) == 1 else len(self._common(chosen))

    def _common(self, chosen: tuple[int, ...]) -> Keys:
        """The keys that these files share."""
        if chosen not in self._shared:
            common = self._keys[chosen[0]]
            for number in chosen[1:]:
                common = common.shared_with(self._keys[number])
            self._shared[chosen] = common
        return self._shared[chosen]

    def _joined(self, chosen: tuple[int, ...]) -> Table:
        if chosen not in self._tables:
            self._tables[chosen] = self._join(chosen)
        return self._tables[chosen]

    def _join(self, chosen: tuple[int, ...]) -> Table:
        parties = [self.parties[number] for number in chosen]
        if len(parties) == 1:
            return parties[0].table
        common = self._common(chosen)
        columns: list[Any] = []
        for number, party in zip(chosen, parties, strict=True):
            rows = self._keys[number].rows_of(common)
            columns += [column if rows is None else column[rows] for column in party.table.columns]
        return Table(Domain(tuple(attribute for party in parties for attribute in party.table.domain)), tuple(columns))


def _check_columns(parties: Sequence[PartyColumns]) -> None:
    owner: dict[str, PartyColumns] = {}
    for party in parties:
        for name in party.plan.schema.names:
            first = owner.setdefault(name, party)
            if first is not party and first.source and first.source == party.source:
                raise OptionError(f"{party.source} is given twice. Give each file once.")
            if first is not party and first.plan.fingerprint == party.plan.fingerprint:
                raise OptionError(
                    f"{first.name} and {party.name} have the same plan: the same columns would count twice. Give one "
                    "file for each party."
                )
            if first is not party:
                raise OptionError(
                    f"column '{name}' is in two files: {first.name} and {party.name}. Agree who sends it, or have one "
                    "of them rename it in its schema."
                )


def _sorted_keys(parties: Sequence[PartyColumns]) -> tuple[Keys, ...]:
    if len(parties) == 1:
        return ()
    keyed = [(party, party.pseudonyms) for party in parties if party.pseudonyms is not None]
    if len(keyed) < len(parties):
        keyless = [party.name for party in parties if party.pseudonyms is None]
        raise OptionError(
            f"{' and '.join(keyless)}: no pseudonyms, so its rows cannot be matched with anybody's. Rows are never "
            "matched by their order. Have it randomised again with --key and the secret that all parties share; that "
            "is a second run (--force), and ε adds up."
        )
    first = parties[0]
    for other in parties[1:]:
        if other.secret_check != first.secret_check:
            raise OptionError(
                f"{first.name} and {other.name} were made with different secrets, or for different studies, so nobody "
                "can be matched. Give the secret and the study that all parties share. A file that was made with "
                "others must be randomised again; that is a second run (--force), and ε adds up."
            )
    return tuple(sort_keys(pseudonyms, name=party.name) for party, pseudonyms in keyed)


def _combined(schemas: Sequence[Schema]) -> Schema:
    """All fields in one schema. What was written about one party's table as a whole is left out."""
    texts = {schema.missing_values for schema in schemas}
    alike = len(texts) == 1
    fields = [field.to_dict() if alike else _spelt_out(field) for schema in schemas for field in schema.fields]
    dependencies = [one for schema in schemas for one in schema.properties.get("dependencies", ())]
    return Schema.from_dict(
        {
            "name": joint_name(schema.name for schema in schemas),
            "fields": fields,
            **({"missingValues": list(schemas[0].missing_values)} if alike else {}),
            **({"dependencies": dependencies} if dependencies else {}),
        }
    )


def _spelt_out(field: Field) -> dict[str, Any]:
    """A field that says by itself which texts are missing values, as those of its table no longer hold."""
    written = field.to_dict()
    if "missingValues" in written:
        return written
    constraints = {**written.get("constraints", {}), "required": not field.missing_allowed}
    return {**written, "missingValues": list(field.missing_texts), "constraints": constraints}


def joint_name(names: Iterable[str]) -> str:
    """What a study of several parties is called.

    >>> joint_name(["hospital", "insurer", "employer"])
    'hospital, insurer and employer'
    """
    *before, last = dict.fromkeys(names)
    return f"{', '.join(before)} and {last}" if before else last
