"""Learning without a miner: who must send which columns to whom, worked out from a known structure.

The paper's words (Ma and Sivakumar, III-A): a *cross variable* has a parent at another party, that parent is a *cross
parent*, and a variable all of whose parents are at home is *local*. Cross parents are all that ever leaves a party.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from understudy._core.errors import OptionError, SchemaError, did_you_mean
from understudy.randomize._skeleton import Skeleton, StructureLike, read_skeleton
from understudy.schema import Schema, SchemaLike, read_schema

Columns = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class CrossParty:
    """One party's part: what it learns, what it must be sent for that, and what it sends to others."""

    name: str
    local: Columns
    """Variables whose parents are all its own."""
    cross: Mapping[str, Columns]
    """Its cross variables, each with those parents that others hold."""
    receives: Mapping[str, Columns]
    """From whom it needs which columns."""
    sends: Mapping[str, Columns]
    """To whom it sends which of its own columns."""
    sensitive: Columns
    """Its own cross parents that are randomised before they leave."""
    public: Columns
    """Its own cross parents that are sent as they are: somebody declared that they are not sensitive."""
    unused: Columns = ()
    """Columns of its schema that the structure does not speak of."""

    @property
    def sent(self) -> Columns:
        """All columns that leave it."""
        return (*self.sensitive, *self.public)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "party": self.name,
            "local": list(self.local),
            "cross": {name: list(parents) for name, parents in self.cross.items()},
            "receives": {party: list(columns) for party, columns in self.receives.items()},
            "sends": {party: list(columns) for party, columns in self.sends.items()},
            "sensitive": list(self.sensitive),
            "public": list(self.public),
            "unused": list(self.unused),
        }


@dataclass(frozen=True, kw_only=True)
class Cross:
    """Who sends what to whom, and who learns what: the whole exchange."""

    skeleton: Skeleton
    parties: tuple[CrossParty, ...]

    @cached_property
    def owners(self) -> dict[str, str]:
        """Each variable's party."""
        return {name: party.name for party in self.parties for name in (*party.local, *party.cross)}

    def __getitem__(self, party: str) -> CrossParty:
        for one in self.parties:
            if one.name == party:
                return one
        raise OptionError(f"no party '{party}'. {did_you_mean(party, [one.name for one in self.parties])}")

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "structure": self.skeleton.fingerprint,
            "parties": [party.to_dict() for party in self.parties],
            "steps": list(self.steps()),
        }

    def steps(self) -> tuple[str, ...]:
        """The paper's six steps with names filled in, one line each for every party that has a part in it.

        >>> schemas = {"hospital": {"fields": [{"name": "smokes", "type": "boolean"}]},
        ...            "insurer": {"fields": [{"name": "claims", "type": "boolean"}]}}
        >>> for line in cross({"smokes": [], "claims": ["smokes"]}, schemas).steps():
        ...     print(line)
        1. Randomise: hospital: smokes.
        2. Send: hospital to insurer: smokes (randomised), with the plan.
        3. Learn local variables: hospital: smokes.
        4. Count and un-mix cross variables: insurer: claims given smokes (from hospital, randomised).
        5. Parameters of cross variables: insurer: claims.
        6. Share parameters: hospital (smokes), insurer (claims), each with all others.
        """
        told = {
            "1. Randomise": [f"{p.name}: {', '.join(p.sensitive)}" for p in self.parties if p.sensitive],
            "2. Send": [
                f"{p.name} to {to}: {self._how(columns)}, with the plan"
                for p in self.parties
                for to, columns in p.sends.items()
            ],
            "3. Learn local variables": [f"{p.name}: {', '.join(p.local)}" for p in self.parties if p.local],
            "4. Count and un-mix cross variables": [
                f"{p.name}: {name} given {self._given(p, name)}" for p in self.parties for name in p.cross
            ],
            "5. Parameters of cross variables": [f"{p.name}: {', '.join(p.cross)}" for p in self.parties if p.cross],
        }
        lines = [f"{step}: {'; '.join(parts) or 'nobody'}." for step, parts in told.items()]
        shares = ", ".join(f"{p.name} ({', '.join((*p.local, *p.cross)) or 'nothing'})" for p in self.parties)
        return (*lines, f"6. Share parameters: {shares}, each with all others.")

    def _how(self, columns: Columns) -> str:
        return ", ".join(f"{name} ({'as it is' if self._open(name) else 'randomised'})" for name in columns)

    def _open(self, name: str) -> bool:
        return name in self[self.owners[name]].public

    def _given(self, party: CrossParty, name: str) -> str:
        away = party.cross[name]
        words = []
        for parent in self.skeleton.parents[name]:
            how = "as it is" if self._open(parent) else "randomised"
            words.append(f"{parent} (from {self.owners[parent]}, {how})" if parent in away else f"{parent} (its own)")
        return ", ".join(words)


def cross(structure: StructureLike, schemas: Mapping[str, SchemaLike], *, public: Iterable[str] = ()) -> Cross:
    """Which variables are local and which cross, who must send which cross parents to whom, and which are randomised.

    Args:
        structure: the path of a BIF file, a network, or a mapping from each variable to its parents.
        schemas: each party's schema, or its path; every variable of the structure in exactly one of them.
        public: columns that are not sensitive: sent as they are where another party needs them.

    Only names are looked at; no table is read. Raises OptionError, SchemaError or ModelFileError.

    >>> schemas = {"hospital": {"fields": [{"name": n, "type": "boolean"} for n in ("smokes", "ill")]},
    ...            "insurer": {"fields": [{"name": "claims", "type": "boolean"}]}}
    >>> found = cross({"smokes": [], "ill": ["smokes"], "claims": ["ill"]}, schemas)
    >>> found["hospital"].local, found["hospital"].sends, found["insurer"].cross
    (('smokes', 'ill'), {'insurer': ('ill',)}, {'claims': ('ill',)})
    """
    skeleton = read_skeleton(structure)
    declared = {party: read_schema(schema) for party, schema in schemas.items()}
    skeleton = skeleton.named_like(name for schema in declared.values() for name in schema.names)
    owners = owners_of(skeleton, declared)
    left_alone = tuple(public)
    for name in left_alone:
        if name not in owners:
            raise OptionError(f"no variable '{name}' to declare public. {did_you_mean(name, owners)}")
    parties = tuple(_party(name, schema, skeleton, owners, left_alone) for name, schema in declared.items())
    return Cross(skeleton=skeleton, parties=parties)


def owners_of(skeleton: Skeleton, schemas: Mapping[str, Schema]) -> dict[str, str]:
    """Each variable's party. Raises SchemaError unless every variable is in exactly one schema.

    >>> schema = Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]})
    >>> owners_of(read_skeleton({"a": []}), {"hospital": schema})
    {'a': 'hospital'}
    """
    faults, owners = [], {}
    for name in skeleton.names:
        holders = [party for party, schema in schemas.items() if name in schema.names]
        if len(holders) > 1:
            faults.append(
                f"column '{name}' is in the schemas of {' and '.join(holders)}. Each variable has one holder, who "
                "learns its parameters: take it out of the others' schemas, or rename it there."
            )
        elif not holders:
            known = did_you_mean(name, [column for schema in schemas.values() for column in schema.names])
            faults.append(f"variable '{name}' of the structure is in no party's schema. {known}")
        else:
            owners[name] = holders[0]
    if faults:
        raise SchemaError(*faults)
    return owners


def _party(name: str, schema: Schema, skeleton: Skeleton, owners: Mapping[str, str], public: Columns) -> CrossParty:
    own = tuple(column for column in skeleton.names if owners[column] == name)
    away = {v: tuple(p for p in skeleton.parents[v] if owners[p] != name) for v in own}
    receives: dict[str, list[str]] = {}
    for parent in dict.fromkeys(p for parents in away.values() for p in parents):
        receives.setdefault(owners[parent], []).append(parent)
    needed: dict[str, set[str]] = {}
    for child, parents in skeleton.parents.items():
        for parent in parents:
            if owners[parent] == name != owners[child]:
                needed.setdefault(owners[child], set()).add(parent)
    sent = [column for column in schema.names if any(column in columns for columns in needed.values())]
    return CrossParty(
        name=name,
        local=tuple(v for v in own if not away[v]),
        cross={v: parents for v, parents in away.items() if parents},
        receives={party: tuple(columns) for party, columns in receives.items()},
        sends={to: tuple(column for column in sent if column in columns) for to, columns in needed.items()},
        sensitive=tuple(column for column in sent if column not in public),
        public=tuple(column for column in sent if column in public),
        unused=tuple(column for column in schema.names if column not in own),
    )
