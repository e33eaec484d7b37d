"""Models that are tables, as the papers' baselines make them.

`TablesModel` holds some marginals side by side, `NoisyJoint` noisy counts of all possible rows; both answer marginals
and draw no rows. `JointModel` holds probabilities of all possible rows, and is a model like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from understudy._core.errors import UserError
from understudy._core.randomness import Streams
from understudy.models._keeping import Kept, keep_rules
from understudy.models._posterior import Evidence, NoSuchRow, check_evidence
from understudy.models._protocol import Parts, PartsReader
from understudy.models._reading import MAX_AXES, read_probabilities, read_whole
from understudy.models._sampling import BATCH_ROWS, Column, Floats, narrow
from understudy.models._uncertainty import Estimate
from understudy.schema import Domain, Marginal, Zeros, project

_LINE = 1 << 13  # cells that fit into a core's first caches
_WHOLE = "table-00000"  # the name of the only array of a saved joint


def clip_and_rescale(counts: npt.NDArray[np.generic]) -> Floats:
    """A table as probabilities: negative cells become 0, the rest is rescaled to sum to 1; uniform if nothing is left.

    The consistency that the PrivBayes paper gives its baselines (section 6.1).

    >>> clip_and_rescale(np.array([3, -1, 1])).tolist(), clip_and_rescale(np.array([-1, 0])).tolist()
    ([0.75, 0.0, 0.25], [0.5, 0.5])
    """
    table: Floats = np.maximum(counts, 0).astype(np.float64)
    total = float(table.sum())
    if total <= 0:
        return np.full(table.shape, 1 / table.size)
    table /= total
    return table


@dataclass(frozen=True, eq=False)
class TablesModel:
    """Tables that need not agree with each other. `tables` are probabilities, by attributes in rising order.

    A marginal is answered from the table over exactly its attributes, or else from the first listed that holds them.
    Nothing is known of how tables hang together: no rows can be drawn, and there is no conditioning on evidence.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2), Attribute(name="c", size=2)))
    >>> model = TablesModel(domain, 10, {(0, 1): np.array([[0.1, 0.2], [0.3, 0.4]])})
    >>> model.marginal(Marginal.of(1)).probabilities.round(3).tolist()
    [0.4, 0.6]
    >>> model.marginal(Marginal.of(1, 2))
    Traceback (most recent call last):
    understudy._core.errors.UserError: no table holds 'b', 'c' together. The tables have up to 2 attributes.
    """

    kind: ClassVar[str] = "tables"
    domain: Domain
    n: int
    tables: Mapping[tuple[int, ...], Floats]
    advice: str = ""
    """What to do if a marginal is asked for that no table holds."""
    _holder: dict[tuple[int, ...], tuple[int, ...] | None] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for attributes, table in self.tables.items():
            if tuple(sorted(set(attributes))) != attributes:
                raise ValueError("a table is listed by its attributes in rising order")
            if table.shape != tuple(self.domain[a].size for a in attributes):
                raise ValueError(f"the table over {attributes} has shape {table.shape}")
            table.setflags(write=False)

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The probabilities of a marginal that some table holds. Errors are not known, so none are given."""
        if evidence:
            raise UserError(
                "these tables cannot be asked under a condition: nothing ties them together. Ask for the marginal over "
                "the condition's attributes too, and divide; or use a method that makes a model of the whole table."
            )
        wanted = tuple(sorted(marginal.attributes))
        held = wanted if wanted in self.tables else self._first_holder(wanted)
        if held is None:
            names = ", ".join(f"'{self.domain[a].name}'" for a in wanted)
            most = max(map(len, self.tables), default=0)
            raise UserError(
                f"no table holds {names} together. The tables have up to {most} attributes."
                + (f" {self.advice}" if self.advice else "")
            )
        found = project(self.tables[held], Marginal.of(*held), marginal, self.domain)
        return Estimate(probabilities=np.array(found, dtype=np.float64))

    def _first_holder(self, wanted: tuple[int, ...]) -> tuple[int, ...] | None:
        if wanted not in self._holder:
            asked = set(wanted)
            self._holder[wanted] = next((held for held in self.tables if asked.issubset(held)), None)
        return self._holder[wanted]


@dataclass(frozen=True, eq=False)
class NoisyJoint:
    """One noisy count for each possible row, as measured: negative ones too, so that noise cancels in sums.

    A marginal is summed first, and then clipped and rescaled: what the PrivBayes paper does with its Contingency. Rows
    cannot be drawn from negative counts, and there is no conditioning on evidence.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    >>> model = NoisyJoint(domain, 10, np.array([[4, -2], [3, 5]]))
    >>> model.marginal(Marginal.of(0)).probabilities.tolist(), model.marginal(Marginal.of(1)).probabilities.tolist()
    ([0.2, 0.8], [0.7, 0.3])
    """

    kind: ClassVar[str] = "noisy-joint"
    domain: Domain
    n: int
    counts: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        counts = self.counts.reshape(joint_shape(self.domain))
        counts.setflags(write=False)
        object.__setattr__(self, "counts", counts)

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The probabilities of any marginal. Errors are not known, so none are given."""
        if evidence:
            raise UserError(
                "noisy counts cannot be asked under a condition: its own count may be negative. Ask for the marginal "
                "over the condition's attributes too, and divide; or clip the whole table, with the option clip=table."
            )
        return Estimate(probabilities=clip_and_rescale(read_marginal(self._sums, marginal, self.domain)))

    @cached_property
    def _sums(self) -> Floats:
        return all_sums(self.counts)


@dataclass(frozen=True, eq=False)
class JointModel:
    """One probability for each possible row: `probabilities` has one axis per attribute.

    Attributes with a single value may have no axis: the shape is that of the domain without them. What is asked is
    summed out of sums over all sets of attributes, which are made once, in place of the table's size.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3)))
    >>> model = JointModel(domain, 10, np.array([[0.1, 0.2, 0.0], [0.3, 0.0, 0.4]]))
    >>> model.marginal(Marginal.of(0)).probabilities.round(3).tolist()
    [0.3, 0.7]
    >>> model.marginal(Marginal.of(0), evidence={1: np.array([1.0, 0.0, 0.0])}).probabilities.round(3).tolist()
    [0.25, 0.75]
    >>> a, b = next(model.sample_codes(10, streams=Streams(1)))
    >>> sorted(zip(a.tolist(), b.tolist()))
    [(0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 0), (1, 2), (1, 2), (1, 2), (1, 2)]
    """

    kind: ClassVar[str] = "joint"
    domain: Domain
    n: int
    probabilities: Floats
    direct: bool = field(default=False, kw_only=True, repr=False)
    """Whether marginals are summed from the table each time: cells without weight are then exactly 0."""

    def __post_init__(self) -> None:
        shape = joint_shape(self.domain)
        if self.probabilities.size != prod(shape):
            raise ValueError(f"the table of all rows needs {prod(shape)} cells, got {self.probabilities.size}")
        table = self.probabilities.reshape(shape)
        low, total = (float(table.min()), float(table.sum())) if table.size else (0.0, 1.0)
        if not low >= 0 or not abs(total - 1) <= 1e-6:
            raise ValueError("the probabilities of all rows must be non-negative and sum to 1")
        table.setflags(write=False)
        object.__setattr__(self, "probabilities", table)

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The probabilities of any marginal, given evidence. Errors are not known, so none are given."""
        if self._kept is not None:
            return self._kept.marginal(marginal, evidence, errors=errors)
        if evidence:
            return self._given(evidence).marginal(marginal, errors=errors)
        if self.direct:
            whole = self.probabilities.reshape([attribute.size for attribute in self.domain])
            found = project(whole, Marginal.of(*range(len(self.domain))), marginal, self.domain)
            return Estimate(probabilities=np.array(found, dtype=np.float64))
        table = read_marginal(self._sums, marginal, self.domain)
        return Estimate(probabilities=np.maximum(table, 0.0))  # of a cell of 0, a rounding error below may be left

    def sample_codes(
        self,
        n: int,
        *,
        streams: Streams,
        evidence: Evidence | None = None,
        independent: bool = False,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[list[Column]]:
        """Batches of columns of codes, in column order, `n` rows in all.

        By default each possible row comes as often in a batch as expected, rounded up or down, in shuffled order.
        """
        if self._kept is not None:
            yield from self._kept.sample_codes(
                n, streams=streams, evidence=evidence, independent=independent, batch_rows=batch_rows
            )
            return
        if evidence:
            yield from self._given(evidence).sample_codes(
                n, streams=streams, independent=independent, batch_rows=batch_rows
            )
            return
        rng = streams.get("sample", "joint")
        heaped = np.cumsum(self.probabilities.ravel())
        last = int(np.flatnonzero(self.probabilities.ravel())[-1])
        for low in range(0, n, batch_rows):
            rows = min(batch_rows, n - low)
            places = rng.random(rows) if independent else rng.permutation((np.arange(rows) + rng.random()) / rows)
            cells = np.minimum(np.searchsorted(heaped, places * heaped[-1], side="right"), last)
            along = np.unravel_index(cells, self.probabilities.shape) if self._axes else ()
            codes = dict(zip(self._axes, along, strict=True))
            yield [
                codes[a].astype(narrow(attribute.size)) if a in codes else np.zeros(rows, dtype=np.uint8)
                for a, attribute in enumerate(self.domain)
            ]

    def to_parts(self) -> Parts:
        """All that it takes to make the model again, beside the domain."""
        return Parts({"n": self.n}, {_WHOLE: self.probabilities})

    @classmethod
    def from_parts(cls, parts: PartsReader, domain: Domain) -> JointModel:
        """The model again, every value checked."""
        n, shape = read_whole(parts.document["n"]), joint_shape(domain)
        if parts.names != {_WHOLE} or len(shape) > MAX_AXES:
            raise ValueError("one table over all attributes was expected")
        return cls(domain, n, read_probabilities(parts, _WHOLE, shape))

    def with_zeros(self, zeros: Sequence[Zeros]) -> JointModel:
        """The same distribution, given that no row is in an impossible cell, whatever its domain's rules say."""
        domain = Domain(self.domain.attributes)
        if not zeros:
            return JointModel(domain, self.n, self.probabilities, direct=True)
        table = self.probabilities.copy()
        for rule in zeros:
            sizes = dict(zip(rule.attributes, rule.possible.shape, strict=True))
            table *= rule.possible.reshape([sizes.get(a, 1) for a in self._axes])
        return JointModel(domain, self.n, _rescaled(table), direct=True)

    def _given(self, evidence: Evidence) -> JointModel:
        table = self.probabilities.copy()
        for attribute, weights in check_evidence(evidence, self.domain).items():
            if attribute in self._axes:
                axis = self._axes.index(attribute)
                table *= np.reshape(weights, [-1 if i == axis else 1 for i in range(table.ndim)])
        return JointModel(self.domain, self.n, _rescaled(table), direct=self.direct)

    @cached_property
    def _kept(self) -> Kept | None:
        return keep_rules(self) if self.domain.rules else None

    @cached_property
    def _axes(self) -> tuple[int, ...]:
        return tuple(a for a, attribute in enumerate(self.domain) if attribute.size > 1)

    @cached_property
    def _sums(self) -> Floats:
        return all_sums(self.probabilities)


def _rescaled(table: Floats) -> Floats:
    total = float(table.sum())
    if total <= 0:
        raise NoSuchRow("the condition has probability 0 under the model. Ask with a wider one.")
    table /= total
    return table


def joint_shape(domain: Domain) -> tuple[int, ...]:
    """The shape of the table of all possible rows; attributes with one value have no axis.

    >>> from understudy.schema import Attribute
    >>> joint_shape(Domain((Attribute(name="a", size=2), Attribute(name="b", size=1), Attribute(name="c", size=3))))
    (2, 3)
    """
    return tuple(attribute.size for attribute in domain if attribute.size > 1)


def all_sums(table: npt.NDArray[np.generic]) -> Floats:
    """A table in which place 0 of each axis holds the sum along it: every marginal is a slice of it, nearly.

    The same size as the table, and made in as many passes as it has axes. `read_sums` takes a marginal out.

    >>> all_sums(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[10.0, 6.0], [7.0, 4.0]]
    """
    sums = np.array(table, dtype=np.float64)
    cut = sums.ndim
    while cut > 0 and prod(sums.shape[cut - 1 :]) <= _LINE:
        cut -= 1
    # a long table line by line along its last axes: a line stays in a core's cache until all of them are summed
    for line in sums.reshape(prod(sums.shape[:cut]), -1):
        _sum_axes(line, sums.shape[cut:])
    _sum_axes(sums.reshape(-1), (*sums.shape[:cut], prod(sums.shape[cut:])), skip_last=True)
    return sums


def _sum_axes(flat: Floats, shape: tuple[int, ...], *, skip_last: bool = False) -> None:
    for axis, size in enumerate(shape[: len(shape) - skip_last]):
        parts = flat.reshape(-1, size, prod(shape[axis + 1 :]))
        for place in range(1, size):
            parts[:, 0] += parts[:, place]


def read_sums(sums: Floats, axes: list[int]) -> Floats:
    """The marginal over these axes, in rising order.

    >>> read_sums(all_sums(np.array([[1.0, 2.0], [3.0, 4.0]])), [1]).tolist()
    [4.0, 6.0]
    """
    kept = set(axes)
    table = np.array(sums[tuple(slice(None) if i in kept else 0 for i in range(sums.ndim))], order="C")
    for axis, size in enumerate(table.shape):
        parts = table.reshape(prod(table.shape[:axis]), size, -1)
        parts[:, 0] -= parts[:, 1] if size == 2 else parts[:, 1:].sum(axis=1)
    return table


def read_marginal(sums: Floats, marginal: Marginal, domain: Domain) -> Floats:
    """A marginal at any levels and in any order, from the sums of a table of all rows."""
    wanted = tuple(sorted(marginal.attributes))
    axes = [a for a, attribute in enumerate(domain) if attribute.size > 1]
    table = read_sums(sums, [i for i, a in enumerate(axes) if a in wanted])
    shaped = table.reshape([domain[a].size for a in wanted])
    return np.array(project(shaped, Marginal.of(*wanted), marginal, domain), dtype=np.float64)
