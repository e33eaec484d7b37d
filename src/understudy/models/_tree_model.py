"""The model that is a junction tree: calibrated cliques over merged values, and how merged values are spelt out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import ClassVar

import numpy as np

from understudy._core.randomness import Streams
from understudy.models._doubts import spelt_out_column
from understudy.models._hidden import with_hidden
from understudy.models._inference import Floats
from understudy.models._keeping import Kept, keep_rules
from understudy.models._posterior import Evidence, check_evidence, names, refuse_impossible
from understudy.models._protocol import NoisyColumn, Parts, PartsReader
from understudy.models._sampling import BATCH_ROWS, Column, run_steps
from understudy.models._structure import Network
from understudy.models._tree_errors import redrawn_trees
from understudy.models._tree_inference import Forest
from understudy.models._tree_network import TreeNetwork
from understudy.models._tree_queries import tree_marginal
from understudy.models._tree_sampling import dealt_steps, leaf_variable, tree_steps
from understudy.models._tree_values import (
    CliqueTree,
    TreeMeasurement,
    Within,
    check_measurements,
    merged_sizes,
    rows_measured,
    settle_within,
)
from understudy.models._tree_zeros import tree_with_zeros
from understudy.models._uncertainty import Estimate
from understudy.models._within_errors import redrawn_within
from understudy.schema import Domain, Marginal, Recoding, Zeros


@dataclass(frozen=True, eq=False)
class TreeModel:
    """A distribution over a table's rows as a junction tree, made from noisy tables that overlap.

    The tree is over merged values: `within[a]` says which leaf values of attribute a share one, and in what parts; None
    where nothing is merged. `measurements` are the noisy tables it was fitted to, where they are known.

    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in ("sex", "smokes", "coughs")))
    >>> pair = np.array([[0.4, 0.1], [0.4, 0.1]]), np.array([[0.72, 0.08], [0.08, 0.12]])
    >>> model = TreeModel(domain, 1000, tree=CliqueTree((2, 2, 2), ((0, 1), (1, 2)), (-1, 0), pair))
    >>> model.marginal(Marginal.of(2), evidence={0: np.array([0.0, 1.0])}).probabilities.round(3).tolist()
    [0.8, 0.2]
    >>> sex, smokes, coughs = next(model.sample_codes(1000, streams=Streams(1)))
    >>> int(sex.sum()), int(smokes.sum()), int(coughs.sum())
    (500, 200, 200)
    """

    kind: ClassVar[str] = "tree"
    domain: Domain
    n: int
    tree: CliqueTree = field(kw_only=True)
    within: Sequence[Within | None] = field(default=(), kw_only=True)
    measurements: Sequence[TreeMeasurement] = field(default=(), kw_only=True, repr=False)
    origin: TreeModel | None = field(default=None, kw_only=True, repr=False)
    """What it was made of by taking `zeros` in."""
    zeros: tuple[Zeros, ...] = field(default=(), kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if len(self.tree.sizes) != len(self.domain):
            raise ValueError(f"{len(self.domain)} attributes need as many sizes in the tree")
        within = settle_within(self.within, self.domain)
        sizes = merged_sizes(within, self.domain)
        for attribute, size, wanted in zip(self.domain, self.tree.sizes, sizes, strict=True):
            if size != wanted:
                raise ValueError(f"'{attribute.name}' has {size} values in the tree, and other ones outside")
        check_measurements(self.measurements, sizes)
        object.__setattr__(self, "within", within)
        object.__setattr__(self, "measurements", tuple(self.measurements))

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The exact probabilities of a marginal, given evidence; with errors where measurements are known.

        >>> from understudy.schema import Attribute
        >>> tree = CliqueTree((1,), ((0,),), (-1,), (np.array([1.0]),))
        >>> rare = Within(np.array([0, 0]), np.array([0.25, 0.75]))
        >>> model = TreeModel(Domain((Attribute(name="drug", size=2),)), 9, tree=tree, within=[rare])
        >>> model.marginal(Marginal.of(0)).probabilities.tolist()
        [0.25, 0.75]
        """
        if self._kept is not None:
            found = self._kept.marginal(marginal, evidence, errors=errors)
        else:
            found = self._estimate(marginal, evidence, errors=errors)
        return with_hidden(self, found, marginal, evidence, rows_measured(self.n, self.measurements))

    def _estimate(self, marginal: Marginal, evidence: Evidence | None, *, errors: bool) -> Estimate:
        weights = check_evidence(evidence, self.domain)
        table = self._marginal(marginal, weights)
        if not errors or not self._redrawn:
            return Estimate(probabilities=table)
        return Estimate.from_replicates(
            table, np.array([other._marginal(marginal, weights) for other in self._redrawn])
        )

    def _marginal(self, marginal: Marginal, weights: Evidence) -> Floats:
        given = f" given {names(self.domain, weights)}" if weights else ""
        forest, within = self._given(weights, frozenset(marginal.attributes))
        allowed = {a: np.flatnonzero(w) for a, w in self._merged(weights).items()}
        return tree_marginal(
            forest,
            marginal,
            self.domain,
            within,
            allowed={a: left for a, left in allowed.items() if len(left) < self.tree.sizes[a]},
            what=f"the marginal of {names(self.domain, marginal.attributes)}{given}",
        )

    @cached_property
    def _redrawn(self) -> list[TreeModel]:
        """The model as it might have come out under other noise."""
        if self.origin is not None:
            return [other.with_zeros(self.zeros) for other in self.origin._redrawn]
        trees = redrawn_trees(self.tree, tuple(self.measurements), self.n, self.within)
        rows = rows_measured(self.n, self.measurements)
        spelt_out = redrawn_within(self.within, self.measurements, lambda a: rows * self.tree.column(a))
        return [
            TreeModel(self.domain, self.n, tree=tree, within=within)
            for tree, within in zip(trees, spelt_out, strict=False)
        ]

    @property
    def scopes(self) -> frozenset[frozenset[int]]:
        """The attributes of each noisy table that it was fitted to."""
        return frozenset(frozenset(measured.marginal) for measured in self.measurements)

    def noisy_column(self, a: int) -> NoisyColumn | None:
        """The counts of a column's values, and the variance of the noise in one; None where it was not measured."""
        return spelt_out_column(a, self.measurements, self.within)

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

        By default with low variance: among the rows of a batch that share the values of a separator, each combination
        of what the next clique adds comes as often as expected, rounded up or down, and is dealt out evenly over what
        these rows have so far. `independent` draws every row on its own. With evidence, rows are drawn from the exact
        distribution given it.

        >>> from understudy.schema import Attribute
        >>> tree = CliqueTree((2,), ((0,),), (-1,), (np.array([0.25, 0.75]),))
        >>> model = TreeModel(Domain((Attribute(name="fair", size=2),)), 9, tree=tree)
        >>> [sorted(batch[0].tolist()) for batch in model.sample_codes(6, streams=Streams(1), batch_rows=4)]
        [[0, 1, 1, 1], [0, 1]]
        """
        if self._kept is not None:
            yield from self._kept.sample_codes(
                n, streams=streams, evidence=evidence, independent=independent, batch_rows=batch_rows
            )
            return
        weights = check_evidence(evidence, self.domain)
        forest, within = self._given(weights, None)
        steps = tree_steps(forest, within)
        order = [leaf_variable(a, within) for a in range(len(self.domain))]
        if independent:
            batches = run_steps(steps, n, streams=streams, independent=True, batch_rows=batch_rows)
        else:
            batches = dealt_steps(steps, n, streams=streams, batch_rows=batch_rows)
        for columns, _ in batches:
            yield [columns[variable] for variable in order]
            del columns  # before the next are drawn

    def with_zeros(self, zeros: Sequence[Zeros]) -> TreeModel:
        """The same distribution, given that no row is in an impossible cell, whatever its domain's rules say."""
        plain = replace(self, domain=Domain(self.domain.attributes))
        if not zeros:
            return plain
        tree, within = tree_with_zeros(self.tree, self.within, zeros)
        return TreeModel(plain.domain, self.n, tree=tree, within=within, origin=plain, zeros=tuple(zeros))

    @cached_property
    def _kept(self) -> Kept | None:
        return keep_rules(self) if self.domain.rules else None

    @property
    def network(self) -> Network:
        """The same distribution as a Bayesian network, over the target of `recoding`."""
        return self._network.network

    @property
    def recoding(self) -> Recoding:
        """Codes stay as they are; the network's attributes have their merged values as their only level."""
        return self._network.recoding

    @property
    def conditionals(self) -> Sequence[Floats]:
        """One table per node of the network, each made when it is asked for."""
        return self._network.conditionals

    def families(self) -> list[Floats]:
        """For each node of the network, the joint distribution of its parents and itself.

        >>> from understudy.schema import Attribute
        >>> tree = CliqueTree((2,), ((0,),), (-1,), (np.array([0.25, 0.75]),))
        >>> [table.tolist() for table in TreeModel(Domain((Attribute(name="fair", size=2),)), 9, tree=tree).families()]
        [[0.25, 0.75]]
        """
        return self._network.families()

    def to_svg(self, *, title: str = "") -> str:
        """A drawing of what hangs together: one standalone SVG."""
        from understudy.models._tree_drawing import draw_tree

        return draw_tree(self, title=title)

    def to_parts(self) -> Parts:
        """All that it takes to make the model again, beside the domain."""
        from understudy.models._tree_parts import tree_to_parts

        return tree_to_parts(self)

    @classmethod
    def from_parts(cls, parts: PartsReader, domain: Domain) -> TreeModel:
        """The model again, every value checked."""
        from understudy.models._tree_parts import tree_from_parts

        return tree_from_parts(parts, domain)

    @cached_property
    def _forest(self) -> Forest:
        return Forest.of(self.tree)

    @cached_property
    def _network(self) -> TreeNetwork:
        return TreeNetwork(self.domain, self.tree, self.within)

    def _merged(self, weights: Evidence) -> dict[int, Floats]:
        """Evidence on leaf values as evidence on merged ones."""
        return {a: w if (rare := self.within[a]) is None else rare.merged(w) for a, w in weights.items()}

    def _given(self, weights: Evidence, wanted: frozenset[int] | None) -> tuple[Forest, list[Within | None]]:
        """The distribution under evidence: all of it, or what connects the wanted attributes with the evidence."""
        if not weights:
            return self._forest, list(self.within)
        part = self._forest if wanted is None else self._forest.connecting(wanted.union(weights))
        forest, log_total = part.given(self._merged(weights))
        if log_total == -inf:
            raise refuse_impossible(self.domain, weights)
        within = [
            rare.given(weights[a]) if rare is not None and a in weights else rare for a, rare in enumerate(self.within)
        ]
        return forest, within
