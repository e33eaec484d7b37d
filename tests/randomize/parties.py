"""Made-up parties: plans for columns c0, c1, … of given sizes, and inboxes of codes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from understudy.randomize import Block, Inbox, Matrix, PartyColumns, Plan, Response, TransitionMatrix
from understudy.schema import Schema
from understudy.tables import Table

Codes = Sequence[Sequence[int]]


def made_schema(sizes: Sequence[int], *, first: int = 0, ordered: bool = True) -> Schema:
    """Columns c0, c1, … (numbered from `first`); ordered ones of more than two values have levels."""
    fields = [
        {
            "name": f"c{first + number}",
            "type": "string",
            "categories": [f"v{code}" for code in range(size)],
            **({"categoriesOrdered": True} if ordered else {}),
        }
        for number, size in enumerate(sizes)
    ]
    return Schema.from_dict({"name": "made", "fields": fields})


def made_plan(
    sizes: Sequence[int],
    blocks: Sequence[tuple[Sequence[int], TransitionMatrix]],
    *,
    party: str = "hospital",
    first: int = 0,
) -> Plan:
    """A plan whose blocks name columns by position within the party."""
    schema = made_schema(sizes, first=first)
    return Plan(
        party=party,
        schema=schema,
        blocks=tuple(
            Block(
                columns=tuple(schema.names[c] for c in columns), sizes=tuple(sizes[c] for c in columns), matrix=matrix
            )
            for columns, matrix in blocks
        ),
    )


def columns_of(plan: Plan, rows: Codes, people: Sequence[int] | None = None, **more: str) -> PartyColumns:
    """Rows of codes as a party's columns; people are numbers that stand for pseudonyms."""
    codes = np.array(rows, dtype=np.int64).reshape(len(rows), len(plan.schema.names))
    keys = None if people is None else np.array([[person, ~person & 0xFFFF] for person in people], dtype=np.uint64)
    return PartyColumns(plan, Table(plan.schema.domain, tuple(codes.T)), keys, **more)


def one_party(plan: Plan, rows: Codes) -> Inbox:
    """The inbox of a single party."""
    return Inbox([columns_of(plan, rows)])


def exact_rows(matrix: TransitionMatrix) -> list[list[Fraction]]:
    """All of a matrix, in fractions."""
    size = range(matrix.size)
    return [[matrix.probability(true, published) for published in size] for true in size]


UNEVEN = Matrix.of([["0.9", "0.1"], ["0.25", "0.75"]])
CIRCULANT = Matrix.of([["0.85", "0.1", "0.05"], ["0.05", "0.85", "0.1"], ["0.1", "0.05", "0.85"]])
DENSE_SIX = Matrix.of(
    [
        ["0.5", "0.1", "0.1", "0.1", "0.1", "0.1"],
        ["0.2", "0.6", "0", "0.1", "0", "0.1"],
        ["0", "0.1", "0.7", "0", "0.1", "0.1"],
        ["0.1", "0", "0.1", "0.7", "0.1", "0"],
        ["0.05", "0.05", "0.1", "0.1", "0.7", "0"],
        ["0.1", "0.1", "0", "0", "0.3", "0.5"],
    ]
)
IN_GROUPS = Matrix.of(
    [["0.7", "0.3", "0", "0"], ["0.3", "0.7", "0", "0"], ["0", "0", "0.8", "0.2"], ["0", "0", "0.2", "0.8"]]
)


def flip(keep: str, values: int = 2) -> Response:
    """Randomised response."""
    return Response(values, Fraction(keep))
