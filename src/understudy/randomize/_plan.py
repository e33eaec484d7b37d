"""A plan: which columns of a party are randomised together, by which matrix. Public, and sent along with the rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

from understudy._core.errors import OptionError, SchemaError, did_you_mean
from understudy._core.files import write_bytes
from understudy.randomize._matrix import TransitionMatrix
from understudy.randomize._spec import matrix_from, matrix_to_spec
from understudy.schema import Schema, read_document, write_yaml, written_text

FORMAT = "understudy-plan/1"
LONGEST_NAME = 200
LARGEST_BLOCK = 1 << 22
"""Most values that the columns of one block may have together."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Columns that are randomised as one value: their cells numbered with the first column slowest.

    `matrix` is None only for the invariant form, whose matrix is worked out from the private table when it is applied.
    `sensitive` says whether anybody asked for protection: a column left alone that is not sensitive costs nothing.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Response
    >>> Block(columns=("smokes",), sizes=(2,), matrix=Response(2, Fraction(3, 4))).cells
    2
    """

    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    matrix: TransitionMatrix | None
    sensitive: bool = True
    asked: str = ""
    """How it was asked for, such as "epsilon=1.1"."""
    from_data: bool = False
    """Whether the matrix was, or will be, worked out from the private table: then it reveals something by itself."""
    keep: str = ""
    """Of a matrix that is not worked out yet, what it is to keep."""

    @property
    def cells(self) -> int:
        """Number of values of the block."""
        return prod(self.sizes)

    def __post_init__(self) -> None:
        if len(self.asked) > LONGEST_NAME or not self.asked.isprintable():  # a note for people: it is cut, not refused
            shown = "".join(c if c.isprintable() else "?" for c in self.asked[: LONGEST_NAME - 1])
            object.__setattr__(self, "asked", shown + "…" if len(self.asked) > LONGEST_NAME else shown)
        if self.cells > LARGEST_BLOCK:
            raise OptionError(
                f"{_and(self.columns)} have {self.cells:,} values together. A block has {LARGEST_BLOCK:,} at most: "
                "randomise fewer columns together."
            )
        if self.matrix is not None and self.matrix.size != self.cells:
            raise OptionError(
                f"the matrix for {_and(self.columns)} has {self.matrix.size} rows, and they have {self.cells} "
                "values together. Give one row for each."
            )
        if not self.sensitive and (self.matrix is None or not self.matrix.unchanged):
            raise OptionError(
                f"{_and(self.columns)}: randomised, and not sensitive, so that nobody would count what is revealed. "
                "Take out 'sensitive: false'; or give it the form 'none', and it is sent as it is."
            )

    def to_dict(self) -> dict[str, Any]:
        """As plain values, exact."""
        return {
            "columns": list(self.columns),
            "matrix": {"form": "invariant", "keep": self.keep} if self.matrix is None else matrix_to_spec(self.matrix),
            **({} if self.sensitive else {"sensitive": False}),
            **({"asked": self.asked} if self.asked else {}),
            **({"from_data": True} if self.from_data else {}),
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan:
    """What one party randomises, and how. Its schema has the columns that are sent, and no others.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Response
    >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
    >>> block = Block(columns=("smokes",), sizes=(2,), matrix=Response(2, Fraction(3, 4)))
    >>> plan = Plan(party="hospital", schema=schema, blocks=(block,))
    >>> Plan.from_dict(plan.to_dict()) == plan
    True
    """

    party: str
    schema: Schema = field(compare=False)
    blocks: tuple[Block, ...]

    def __repr__(self) -> str:
        blocks = ", ".join("+".join(block.columns) for block in self.blocks[:6]) + (
            ", …" if len(self.blocks) > 6 else ""
        )
        return f"Plan(party={self.party!r}, blocks=[{blocks}], fingerprint={self.fingerprint[:16]!r})"

    def __post_init__(self) -> None:
        listed = Counter(name for block in self.blocks for name in block.columns)
        known = set(self.schema.names)
        for name, times in listed.items():
            if name not in known:
                raise OptionError(f"no column '{name}' in the schema. {did_you_mean(name, self.schema.names)}")
            if times > 1:
                raise OptionError(f"column '{name}' is in two blocks of the plan. Randomise it once.")
        missing = [name for name in self.schema.names if name not in listed]
        if missing:
            shown = ", ".join(missing[:8]) + (", …" if len(missing) > 8 else "")
            raise OptionError(f"the plan says nothing about {shown}. Give every column a block.")

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that the plan says: of its matrices to the last digit, and of the schema."""
        return sha256(json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    def block_of(self, column: str) -> Block:
        """The block that a column is in."""
        return next(block for block in self.blocks if column in block.columns)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, exact."""
        return {
            "format": FORMAT,
            "party": self.party,
            "blocks": [block.to_dict() for block in self.blocks],
            "schema": self.schema.to_dict(),
        }

    def to_yaml(self) -> str:
        """The plan's file."""
        return write_yaml(self.to_dict())

    def save(self, path: str | Path) -> None:
        """Write the plan's file."""
        write_bytes(Path(path), self.to_yaml().encode())

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan's file. Raises OptionError or SchemaError."""
        content = read_document(Path(path), what="plan", command="randomize plan")
        try:
            return cls.from_dict(content)
        except SchemaError as error:
            raise SchemaError(*(f"{Path(path).name}: {fault}" for fault in error.faults)) from None
        except OptionError as error:
            raise OptionError(f"{Path(path).name}: {error}") from None

    @classmethod
    def from_dict(cls, content: Any) -> Plan:
        """The plan again, everything checked. Raises OptionError or SchemaError."""
        if not isinstance(content, Mapping) or content.get("format") != FORMAT:
            raise OptionError(
                f"this is no plan: its format should be '{FORMAT}'. Make one with: understudy randomize plan"
            )
        _refuse_unknown(content, ("format", "party", "blocks", "schema"), "the plan")
        schema = Schema.from_dict(_mapping(content, "schema", "the plan"))
        schema.domain  # noqa: B018  # raises here if a draft lacks its domain
        blocks, party = content.get("blocks"), content.get("party")
        if not _is_list(blocks):
            raise OptionError("the plan's 'blocks' must be a list of columns and their matrices.")
        if not isinstance(party, str) or not 0 < len(party) <= LONGEST_NAME or not party.isprintable():
            raise OptionError(f"the plan's 'party' must be a name of up to {LONGEST_NAME} printable characters.")
        return cls(
            party=party,
            schema=schema,
            blocks=tuple(
                _read_block(block, f"block {i} of the plan", schema) for i, block in enumerate(blocks or (), 1)
            ),
        )


def _read_block(content: Any, where: str, schema: Schema) -> Block:
    columns = content.get("columns") if isinstance(content, Mapping) else None
    if not _is_list(columns) or not columns:
        raise OptionError(f"{where} names no columns. Give it a list of them.")
    _refuse_unknown(content, ("columns", "matrix", "sensitive", "asked", "from_data"), where)
    names = tuple(written_text(name) for name in columns)
    for name in names:
        if name not in schema.names:
            raise OptionError(f"{where}: no column '{name[:80]}' in the schema. {did_you_mean(name, schema.names)}")
    sizes = tuple(schema[name].size for name in names)
    matrix, keep = matrix_from(_mapping(content, "matrix", where), prod(sizes), where=where)
    return Block(
        columns=names,
        sizes=sizes,
        matrix=matrix,
        sensitive=_flag(content, "sensitive", where, default=True),
        asked=str(content.get("asked", "")),
        from_data=_flag(content, "from_data", where, default=matrix is None),
        keep=keep,
    )


def _mapping(content: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    found = content.get(key)
    if not isinstance(found, Mapping):
        raise OptionError(f"{where} has no '{key}', or one that is not what it should be. Make the plan anew.")
    return found


def _flag(content: Mapping[str, Any], key: str, where: str, *, default: bool) -> bool:
    found = content.get(key, default)
    if not isinstance(found, bool):
        raise OptionError(f"{where}: '{key}' must be true or false.")
    return found


def _refuse_unknown(content: Mapping[Any, Any], known: Sequence[str], where: str) -> None:
    for key in content:
        if key not in known:
            raise OptionError(f"{where} has an unknown key '{str(key)[:80]}'. {did_you_mean(str(key), known)}")


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _and(names: Sequence[str]) -> str:
    return " and ".join([*names[:8], *(["others"] if len(names) > 8 else [])])
