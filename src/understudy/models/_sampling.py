"""Sampling columns of codes, batch by batch, in memory that does not grow with the number of rows.

A plan is a list of steps in an order in which everything a step needs has been drawn. Plain sampling draws each
attribute from its conditional; sampling under evidence draws from the tables that elimination left behind, in
reverse order of elimination, which is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy._core.randomness import Rng, Streams
from understudy.models._inference import Bucket, Factor
from understudy.models._kernels import add_place, draw_balanced, draw_independent, set_place
from understudy.models._posterior import Posterior
from understudy.models._structure import Network

Column: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

BATCH_ROWS = 1 << 18


def narrow(size: int) -> npt.DTypeLike:
    """The smallest unsigned type that holds codes 0 … size − 1.

    >>> narrow(256) is np.uint8, narrow(257) is np.uint16
    (True, True)
    """
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a row falls in a flat table: the sum over variables of `lookup[code]`."""

    variables: tuple[int, ...]
    lookups: tuple[npt.NDArray[np.int32], ...]

    @classmethod
    def of(cls, variables: Sequence[int], sizes: Sequence[int], groups: Sequence[Ints | None]) -> Place:
        """Mixed radix, first variable slowest; `groups` sends a variable's codes to the codes of the table's axis."""
        strides = [prod(sizes[i + 1 :]) for i in range(len(sizes))]
        lookups = [
            ((np.arange(size) if to is None else to) * stride).astype(np.int32)
            for size, stride, to in zip(sizes, strides, groups, strict=True)
        ]
        return cls(variables=tuple(variables), lookups=tuple(lookups))

    def rows(self, columns: Mapping[int, Column], n_rows: int) -> npt.NDArray[np.int32]:
        """The place of each row."""
        if not self.variables:
            return np.zeros(n_rows, dtype=np.int32)
        place = np.empty(n_rows, dtype=np.int32)
        for i, (variable, lookup) in enumerate(zip(self.variables, self.lookups, strict=True)):
            (add_place if i else set_place)(columns[variable], lookup, place)
        return place


@dataclass(frozen=True, kw_only=True)
class Draw:
    """Draw a variable: a row at place q takes one of the cells first[q] … stop[q] − 1 of a table of cumulative weights.

    Cell i stands for code `code_of[i % len(code_of)]`; the cumulative weights end at 1 in each range.
    """

    variable: int
    place: Place
    first: Ints
    stop: Ints
    cumulative: Floats
    code_of: Column
    stream: str

    @classmethod
    def from_conditional(cls, variable: int, conditional: Floats, place: Place, stream: str) -> Draw:
        """From a table whose last axis is the variable."""
        size = conditional.shape[-1]
        rows = conditional.reshape(-1, size)
        first = np.arange(len(rows), dtype=np.int64) * size
        return cls(
            variable=variable,
            place=place,
            first=first,
            stop=first + size,
            cumulative=cumulate(rows).ravel(),
            code_of=np.arange(size, dtype=narrow(size)),
            stream=stream,
        )

    def column(self, columns: Mapping[int, Column], n_rows: int, rng: Rng, *, independent: bool) -> Column:
        """The drawn codes of a batch."""
        place = self.place.rows(columns, n_rows)
        out = np.empty(n_rows, dtype=self.code_of.dtype)
        state = rng.integers(0, 1 << 64, size=4, dtype=np.uint64)
        with np.errstate(over="ignore"):  # the generator wraps around, which NumPy minds where numba is switched off
            if independent:
                draw_independent(place, self.first, self.stop, self.cumulative, self.code_of, state, out)
            else:
                ends = np.empty(len(self.first), dtype=np.int32)
                values = np.empty_like(out)
                draw_balanced(place, self.first, self.stop, self.cumulative, self.code_of, state, ends, values, out)
        return out


@dataclass(frozen=True, kw_only=True)
class Look:
    """Compute a variable from others: `back[place]`."""

    variable: int
    place: Place
    back: Column

    def column(self, columns: Mapping[int, Column], n_rows: int) -> Column:
        """The computed codes of a batch."""
        return self.back[self.place.rows(columns, n_rows)]


Step: TypeAlias = Draw | Look


def cumulate(weights: Floats) -> Floats:
    """Running sums along the last axis that end at exactly 1; a row without weight becomes all ones.

    >>> cumulate(np.array([[1.0, 3.0, 0.0], [0.0, 0.0, 0.0]])).tolist()
    [[0.25, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    sums = np.cumsum(weights, axis=-1)
    total = sums[..., -1:]
    return np.divide(sums, total, out=np.ones_like(sums), where=total > 0)


def forward_steps(network: Network, conditionals: Sequence[Floats], attributes: frozenset[int]) -> list[Step]:
    """Draw these attributes, each from its conditional; variable a is attribute a."""
    domain = network.domain
    return [
        Draw.from_conditional(
            node.child,
            conditional,
            Place.of(
                [axis.attribute for axis in node.parents],
                [domain.size(axis) for axis in node.parents],
                [domain[axis.attribute].groups_at(axis.level) for axis in node.parents],
            ),
            domain[node.child].name,
        )
        for node, conditional in zip(network.nodes, conditionals, strict=True)
        if node.child in attributes
    ]


def posterior_steps(posterior: Posterior) -> list[Step]:
    """Draw all attributes given the evidence: those it can change from their buckets, the others from conditionals."""
    domain = posterior.network.domain
    attributes, buckets, codes = posterior.buckets()
    steps: list[Step] = []
    for bucket in reversed(buckets):
        known = bucket.variable < len(domain)
        stream = domain[bucket.variable].name if known else f"level variable {bucket.variable}"
        steps.append(_bucket_step(bucket, stream))
    # buckets count the codes that the evidence leaves; from here on the columns hold the attributes' own
    for a in sorted(attributes):
        left = codes.get(a, np.arange(domain[a].size))
        if a in codes or domain[a].size == 1:
            place = Place.of((a,), (len(left),), (None,)) if len(left) > 1 else Place.of((), (), ())
            steps.append(Look(variable=a, place=place, back=left.astype(narrow(domain[a].size))))
    conditionals = [posterior.tables[node.child] for node in posterior.network.nodes]
    return steps + forward_steps(posterior.network, conditionals, frozenset(range(len(domain))) - attributes)


def _bucket_step(bucket: Bucket, stream: str) -> Step:
    if bucket.factor is None:
        assert bucket.source is not None
        groups = bucket.source.groups
        place = Place.of((bucket.source.fine,), (len(groups),), (None,))
        return Look(variable=bucket.variable, place=place, back=groups.astype(narrow(int(groups.max()) + 1)))
    others, values = bucket.factor.variables[:-1], bucket.factor.values
    if not bucket.links:
        place = Place.of(others, values.shape[:-1], [None] * len(others))
        return Draw.from_conditional(bucket.variable, values, place, stream)
    return _grouped_draw(bucket, bucket.factor, stream)


def _grouped_draw(bucket: Bucket, factor: Factor, stream: str) -> Draw:
    """Draw a fine variable whose groups are known: only the codes in the row's group are in its range."""
    others, values = factor.variables[:-1], factor.values
    size = values.shape[-1]
    coarse = tuple(link.coarse for link in bucket.links)
    shape = tuple(int(link.groups.max()) + 1 for link in bucket.links)
    group = np.ravel_multi_index(tuple(link.groups for link in bucket.links), shape)
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=prod(shape)))
    starts = np.concatenate(([0], ends[:-1]))
    rows = values.reshape(-1, size)[:, order]
    for start, end in zip(starts, ends, strict=True):
        if end > start:
            rows[:, start:end] = cumulate(rows[:, start:end])
    base = np.arange(len(rows), dtype=np.int64)[:, None] * size
    return Draw(
        variable=bucket.variable,
        place=Place.of((*others, *coarse), (*values.shape[:-1], *shape), [None] * (len(others) + len(coarse))),
        first=(base + starts).ravel(),
        stop=(base + ends).ravel(),
        cumulative=rows.ravel(),
        code_of=order.astype(narrow(size)),
        stream=stream,
    )


def run_steps(
    steps: Sequence[Step],
    n: int,
    *,
    streams: Streams,
    independent: bool,
    batch_rows: int,
) -> Iterator[tuple[dict[int, Column], int]]:
    """Columns by variable, and the number of rows, batch after batch."""
    if n < 0 or batch_rows < 1:
        raise OptionError(f"sampling needs n of at least 0 and batch_rows of at least 1, got {n} and {batch_rows}.")
    rngs = {step.variable: streams.get("sample", step.stream) for step in steps if isinstance(step, Draw)}
    for start in range(0, n, batch_rows):
        n_rows = min(batch_rows, n - start)
        columns: dict[int, Column] = {}
        for step in steps:
            if isinstance(step, Draw):
                columns[step.variable] = step.column(columns, n_rows, rngs[step.variable], independent=independent)
            else:
                columns[step.variable] = step.column(columns, n_rows)
        yield columns, n_rows
        del columns  # before the next are drawn
