"""The model that is a Bayesian network: structure, conditionals, and what was measured to make them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from understudy._core.errors import UserError
from understudy._core.randomness import Streams
from understudy.models._keeping import Kept, keep_rules
from understudy.models._posterior import Evidence, NoSuchRow, Posterior, check_evidence
from understudy.models._protocol import NoisyColumn, Parts, PartsReader
from understudy.models._sampling import (
    BATCH_ROWS,
    Column,
    Floats,
    Place,
    forward_steps,
    narrow,
    posterior_steps,
    run_steps,
)
from understudy.models._structure import Network
from understudy.models._uncertainty import Estimate, Refit, needed_attributes, redrawn, replicate
from understudy.schema import Axis, Domain, Marginal, Recoding, Zeros

if TYPE_CHECKING:
    from understudy.privacy import Measurement


_SOFT = 0.01
"""Weight of an even spread, where noise left no row that keeps what is declared."""


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """A Bayesian network with its conditionals, and the public map between its domain and the table's.

    `conditionals[i]` belongs to `network.nodes[i]`: one axis per parent, in order, then the child; rows sum to
    1.

    >>> from understudy.schema import Attribute, Axis, recode
    >>> from understudy.models import Node
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="smokes", size=2)))
    >>> network = Network(domain, (Node(0), Node(1, (Axis(0),))))
    >>> model = NetworkModel(network, ([0.5, 0.5], [[0.8, 0.2], [0.9, 0.1]]), recode(domain, "vanilla"), (), 100)
    >>> sex, smokes = next(model.sample_codes(1000, streams=Streams(1)))
    >>> int(sex.sum()), int(smokes.sum())
    (500, 150)
    """

    kind: ClassVar[str] = "network"
    network: Network
    conditionals: Sequence[Floats]
    recoding: Recoding
    measurements: Sequence[Measurement]
    n: int
    refit: Refit | None = field(default=None, repr=False)
    spreads: Sequence[Floats] = field(default=(), repr=False)
    """Standard errors of the conditionals, table by table, where they are known and there are no measurements."""
    zeros: tuple[Zeros, ...] | None = field(default=None, repr=False)
    """Cells that are known to be impossible; None: those that the rules of its domain make so."""
    _tables: dict[Marginal, Floats] = field(default_factory=dict, init=False, repr=False)

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
        object.__setattr__(self, "spreads", tuple(np.asarray(spread, dtype=np.float64) for spread in self.spreads))
        if self.spreads and [spread.shape for spread in self.spreads] != [table.shape for table in tables]:
            raise ValueError("standard errors must have the shapes of their conditionals")
        object.__setattr__(self, "measurements", tuple(self.measurements))

    @property
    def domain(self) -> Domain:
        """The domain of the table that was modelled."""
        return self.recoding.source

    @property
    def scopes(self) -> frozenset[frozenset[int]]:
        """The attributes of each noisy table that it was fitted to; of one in pieces, any of these counts."""
        source_of = {piece: a for a, pieces in enumerate(self.recoding.pieces) for piece in pieces}
        return frozenset(frozenset(source_of[b] for b in m.marginal.attributes) for m in self.measurements)

    def noisy_column(self, a: int) -> NoisyColumn | None:
        """The counts of a column's values, and the variance of the noise in one; None where it was not measured.

        Of several tables that have it, the one that tells most. Columns in pieces, or in coarser values, have none.
        """
        if len(self.recoding.pieces[a]) != 1:
            return None
        axis = Axis(self.recoding.pieces[a][0])
        tables = [one for one in self.measurements if axis in one.marginal.axes]
        found = []
        for one in tables:
            others = tuple(i for i, other in enumerate(one.marginal.axes) if other != axis)
            variances = one.variances().reshape(one.counts.shape).sum(axis=others)
            found.append((np.asarray(one.counts.sum(axis=others), dtype=np.float64), float(variances.mean())))
        return min(found, key=lambda column: column[1], default=None)

    def sample_codes(
        self,
        n: int,
        *,
        streams: Streams,
        evidence: Evidence | None = None,
        independent: bool = False,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[list[Column]]:
        """Batches of columns of codes over `domain`, in column order, `n` rows in all.

        By default with low variance: among the rows of a batch that share a configuration of parents, each value comes
        as often as expected, rounded up or down, and the rows it falls on are shuffled. `independent` draws every
        row on its own. With evidence, rows are drawn from the exact distribution given it, not by rejection.

        >>> from understudy.schema import Attribute, recode
        >>> from understudy.models import Node
        >>> domain = Domain((Attribute(name="fair", size=2),))
        >>> model = NetworkModel(Network(domain, (Node(0),)), ([0.5, 0.5],), recode(domain, "vanilla"), (), 9)
        >>> [len(batch[0]) for batch in model.sample_codes(5, streams=Streams(1), batch_rows=2)]
        [2, 2, 1]
        >>> next(model.sample_codes(3, streams=Streams(1), evidence={0: np.array([0.0, 1.0])}))[0].tolist()
        [1, 1, 1]
        """
        if self._kept is not None:
            yield from self._kept.sample_codes(
                n, streams=streams, evidence=evidence, independent=independent, batch_rows=batch_rows
            )
            return
        if evidence or self.zeros:
            steps = posterior_steps(self._posterior(evidence))
        else:
            steps = forward_steps(self.network, self.conditionals, frozenset(self.network.order))
        for columns, n_rows in run_steps(steps, n, streams=streams, independent=independent, batch_rows=batch_rows):
            yield self._decode(columns, n_rows)
            del columns  # before the next are drawn

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The exact probabilities of a marginal over `domain`, given evidence, with errors from the known noise.

        The errors say what the noise may have done, not what the network leaves out. `errors=False` saves their time.

        >>> from understudy.schema import Attribute, recode
        >>> from understudy.models import Node
        >>> domain = Domain((Attribute(name="fair", size=2),))
        >>> model = NetworkModel(Network(domain, (Node(0),)), ([0.5, 0.5],), recode(domain, "vanilla"), (), 9)
        >>> model.marginal(Marginal.of(0)).probabilities.tolist()
        [0.5, 0.5]
        """
        if self._kept is not None:
            return self._kept.marginal(marginal, evidence, errors=errors)
        posterior = self._posterior(evidence)
        probabilities = posterior.marginal(marginal)
        pieces = frozenset(p for a in marginal.attributes for p in self.recoding.pieces[a])
        if not errors or not (self.measurements or self.spreads):
            return Estimate(probabilities=probabilities)
        if not self.measurements:
            spreads = dict(zip(self.network.order, self.spreads, strict=True))
            needed = self.network.ancestors(posterior.evidence_attributes | pieces)
            return Estimate.from_replicates(probabilities, redrawn(posterior, marginal, spreads, needed=needed))
        needed = needed_attributes(self.network, self.measurements, posterior.evidence_attributes | pieces)
        used = [m for m in self.measurements if needed.issuperset(m.marginal.attributes)]
        if all(m.noise.kind == "none" for m in used):
            return Estimate.from_replicates(probabilities, probabilities[None])
        tables = [self.n * table for table in self._network_marginals([m.marginal for m in used])]
        refit = self.refit or _default_refit()
        replicates = replicate(posterior, marginal, used, tables, needed=needed, n=self.n, refit=refit)
        return Estimate.from_replicates(probabilities, replicates)

    def with_errors(self, spreads: Sequence[Floats]) -> NetworkModel:
        """The same with these standard errors of its conditionals, and without measurements."""
        return replace(self, measurements=(), spreads=spreads)

    def with_zeros(self, zeros: Sequence[Zeros]) -> NetworkModel:
        """The same distribution, given that no row is in an impossible cell, whatever its domain's rules say."""
        found = replace(self, zeros=tuple(zeros))
        if zeros:
            found._posterior(None).buckets()  # refuses what is too large, and what leaves no row
        return found

    @cached_property
    def _kept(self) -> Kept | None:
        if self.zeros is not None or not self.domain.rules:
            return None
        try:
            return keep_rules(self)
        except NoSuchRow:
            return keep_rules(self._softened())

    def _softened(self) -> NetworkModel:
        """The same with a little weight on every value, for rules that noise left no row of: there are some, for sure.

        Post-processing: which rows are possible is public.
        """
        even = [(1 - _SOFT) * table + _SOFT / table.shape[-1] for table in self.conditionals]
        return replace(self, conditionals=tuple(even))

    def to_svg(self, *, title: str = "") -> str:
        """A drawing of the network: one standalone SVG."""
        from understudy.models._drawing import draw_svg

        return draw_svg(self, title=title)

    def to_parts(self) -> Parts:
        """All that it takes to make the model again, beside the domain."""
        from understudy.models._network_parts import network_to_parts

        return network_to_parts(self)

    @classmethod
    def from_parts(cls, parts: PartsReader, domain: Domain) -> NetworkModel:
        """The model again, every value checked."""
        from understudy.models._network_parts import network_from_parts

        return network_from_parts(parts, domain)

    def _posterior(self, evidence: Evidence | None) -> Posterior:
        tables = {node.child: table for node, table in zip(self.network.nodes, self.conditionals, strict=True)}
        zeros = self.zeros or ()
        return Posterior(self.network, tables, self.recoding, check_evidence(evidence, self.domain), zeros=zeros)

    def families(self) -> list[Floats]:
        """For each node, the joint distribution of its parents and itself, over the network's own domain.

        Exact, unless the network is too tangled for that: then counted from sampled rows.

        >>> from understudy.schema import Attribute, recode
        >>> from understudy.models import Node
        >>> domain = Domain((Attribute(name="fair", size=2),))
        >>> model = NetworkModel(Network(domain, (Node(0),)), ([0.5, 0.5],), recode(domain, "vanilla"), (), 9)
        >>> [table.tolist() for table in model.families()]
        [[0.5, 0.5]]
        """
        return self._network_marginals([node.marginal for node in self.network.nodes])

    def _network_marginals(self, marginals: Sequence[Marginal]) -> list[Floats]:
        missing = [m for m in marginals if m not in self._tables]
        if missing:
            try:
                found = self._posterior(None).network_marginals(missing)
            except UserError:
                found = self._sampled_marginals(missing)
            self._tables.update(zip(missing, found, strict=True))
        return [self._tables[m] for m in marginals]

    def _sampled_marginals(self, marginals: Sequence[Marginal]) -> list[Floats]:
        wanted = self.network.ancestors(frozenset(a for m in marginals for a in m.attributes))
        steps = forward_steps(self.network, self.conditionals, wanted)
        rows = run_steps(steps, BATCH_ROWS, streams=Streams(0), independent=False, batch_rows=BATCH_ROWS)
        columns, n_rows = next(rows)
        domain, tables = self.network.domain, []
        for marginal in marginals:
            shape = marginal.shape(domain)
            groups = [domain[axis.attribute].groups_at(axis.level) for axis in marginal.axes]
            place = Place.of(marginal.attributes, shape, groups).rows(columns, n_rows)
            tables.append(np.bincount(place, minlength=marginal.n_cells(domain)).reshape(shape) / n_rows)
        return tables

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


def _default_refit() -> Refit:
    from understudy.models._fitting import fit_conditionals

    return fit_conditionals
