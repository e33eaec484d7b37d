"""What a fitted model can do, whatever its kind (`Model`), and the one that is a Bayesian network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from understudy._core.randomness import Streams
from understudy.network._sampling import BATCH_ROWS, Column, Floats, Place, Step, forward_steps, narrow, run_steps
from understudy.network._structure import Network
from understudy.schema import Domain, Recoding

if TYPE_CHECKING:
    from understudy.privacy import Measurement

Evidence: TypeAlias = Mapping[int, Floats]
Refit: TypeAlias = Callable[[Network, Sequence["Measurement"], int], Sequence[Floats]]


class Model(Protocol):
    """A fitted model of a table: it can be sampled from and asked for marginals. It need not be a network."""

    @property
    def domain(self) -> Domain:
        """The domain of the table that was modelled."""
        ...

    @property
    def n(self) -> int:
        """Number of rows of that table, as published."""
        ...

    def sample_codes(
        self,
        n: int,
        *,
        streams: Streams,
        evidence: Evidence | None = None,
        independent: bool = False,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[list[Column]]:
        """Batches of columns of codes, in column order, `n` rows in all."""
        ...


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """A Bayesian network with its conditionals, and the public map between its domain and the table's.

    `conditionals[i]` belongs to `network.nodes[i]`: one axis a parent, in order, then the child; rows sum to 1.

    >>> from understudy.schema import Attribute, Axis, recode
    >>> from understudy.network import Node
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> network = Network(domain, (Node(0), Node(1, (Axis(0),))))
    >>> model = NetworkModel(network, ([0.5, 0.5], [[0.8, 0.2], [0.9, 0.1]]), recode(domain, "vanilla"), (), 100)
    >>> sex, smokes = next(model.sample_codes(1000, streams=Streams(1)))
    >>> int(sex.sum()), int(smokes.sum())
    (500, 150)
    """

    network: Network
    conditionals: Sequence[Floats]
    recoding: Recoding
    measurements: Sequence[Measurement]
    n: int
    refit: Refit | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.network.domain != self.recoding.target:
            raise ValueError("the network must be over the recoding's target domain")
        if len(self.conditionals) != len(self.network.nodes):
            raise ValueError(f"{len(self.network.nodes)} nodes need as many conditionals, got {len(self.conditionals)}")
        tables = []
        for node, given in zip(self.network.nodes, self.conditionals, strict=True):
            table = np.array(given, dtype=np.float64)
            name = self.network.domain[node.child].name
            if table.shape != self.network.shape(node):
                raise ValueError(f"conditional of '{name}': expected shape {self.network.shape(node)}, {table.shape}")
            if not (table >= 0).all() or not np.allclose(table.sum(axis=-1), 1.0, rtol=0.0, atol=1e-6):
                raise ValueError(f"conditional of '{name}': every row must be non-negative and sum to 1")
            table.setflags(write=False)
            tables.append(table)
        object.__setattr__(self, "conditionals", tuple(tables))
        object.__setattr__(self, "measurements", tuple(self.measurements))

    @property
    def domain(self) -> Domain:
        """The domain of the table that was modelled."""
        return self.recoding.source

    def sample_codes(
        self,
        n: int,
        *,
        streams: Streams,
        evidence: Evidence | None = None,
        independent: bool = False,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[list[Column]]:
        """Batches of columns of codes over `domain`, in column order, `n` rows in all."""
        steps = self._steps()
        for columns, n_rows in run_steps(steps, n, streams=streams, independent=independent, batch_rows=batch_rows):
            yield self._decode(columns, n_rows)

    def _steps(self) -> list[Step]:
        everything = frozenset(range(len(self.network.domain)))
        return forward_steps(self.network, self.conditionals, everything)

    def _decode(self, columns: Mapping[int, Column], n_rows: int) -> list[Column]:
        result = []
        target = self.recoding.target
        for attribute, pieces, back in zip(self.recoding.source, self.recoding.pieces, self.recoding.back, strict=True):
            if len(pieces) == 1 and back == tuple(range(attribute.size)):
                result.append(columns[pieces[0]])
                continue
            place = Place.of(pieces, [target[piece].size for piece in pieces], [None] * len(pieces))
            result.append(np.array(back, dtype=narrow(attribute.size))[place.rows(columns, n_rows)])
        return result
