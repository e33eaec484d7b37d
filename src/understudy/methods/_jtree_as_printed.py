"""JTree with its sparse vector as printed (Chen, Xiao, Zhang, Xu, KDD 2015). It keeps no ε: for science and for audits.

Every pair's mutual information (in nats) gets noise of scale 2Δ/ε₁ and is held against min(|X|−1, |Y|−1)·φ²/2 plus one
noise of the same scale for all pairs; φ is Cramér's V from which two attributes count as dependent. Nothing limits or
pays for the pairs found. Each answer moves with the record, so the loss grows with their number: a table of d columns
and its neighbour can be told apart with ε that grows without bound in d.

Read from the paper's summary, from the soundness review and from the program that its authors published: ε₁ is a fifth
of ε there, and φ is 0.2. Two things are ours. The authors look for pairs in a sample of the rows, with ε₁ amplified to
match; we look at all rows, which is the same at a sampling rate of 1 and changes the noise by a tenth. And a pair is
left out, weakest first, if a clique would have more than 4,096 cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import log
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from understudy._core.numbers import exact_number
from understudy._core.randomness import Rng, Streams
from understudy.methods._flaw import Flaw, refuse_unprinted_terms
from understudy.methods._jtree import measure_cliques
from understudy.methods._junction import Decomposable, Pair, triangulate
from understudy.methods._plan import Plan, baseline_plan
from understudy.methods._search import Progress
from understudy.methods._settings import refuse_drowning_noise
from understudy.models import Model, NetworkModel
from understudy.options import Declared, Real, option
from understudy.privacy import Curator, PrivacyTerms
from understudy.schema import Domain, Marginal

Ints = npt.NDArray[np.int64]

LARGEST_CLIQUE = 1 << 12
"""Cells: beyond it a pair is left out. The paper has no bound; at a small ε many pairs pass by noise, and cliques would
outgrow any memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JTreeAsPrinted(Declared):
    """JTree as its paper prints it: pairs pass a sparse vector test. It has no guarantee.

    >>> JTreeAsPrinted(phi=2)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'phi' parameter of JTreeAsPrinted must be a number above 0 and below 1. \
Got 2 instead.
    """

    name: ClassVar[str] = "jtree-as-printed"
    makes: ClassVar[type[Model]] = NetworkModel
    flaw: ClassVar[Flaw] = Flaw(
        sentence="JTree as printed tests every pair of columns against one noisy threshold, and neither limits nor "
        "pays for the pairs that pass: what a record gives away grows with the number of columns.",
        where="docs/research/baselines.md#jtree",
    )

    beta: Fraction | int | float = option(
        Fraction(1, 5),
        Real(above=0, below=1),
        help="Share of the budget that goes into choosing pairs.",
    )
    phi: Fraction | int | float = option(
        Fraction(1, 5), Real(above=0, below=1), help="Cramér's V from which a pair counts as dependent."
    )

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what the paper does not cover."""
        refuse_unprinted_terms("JTree", terms)
        refuse_drowning_noise(terms.table_noise(self._tables_share / max(len(domain), 1)), terms.budget)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What the options came to, as the privacy statement lists them."""
        return {"variant": "as printed", "phi": float(self.phi), "beta": float(self.beta)}

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """None: the statement says that nothing was promised."""
        return ()

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        return baseline_plan(
            self.name,
            domain,
            n,
            noise=terms.table_noise(self._tables_share / max(len(domain), 1)).mean_abs,
            shares={"rows": 0.0, "network": float(1 - self._tables_share), "tables": float(self._tables_share)},
            notes=(
                "As printed: no guarantee.",
                "How many pairs pass, and so how many tables there are and how large, is known only afterwards: "
                "the errors above are those of single columns if there were as many tables as columns.",
            ),
        )

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Learn a model. `streams` hold the noise of its test; fresh ones unless given."""
        coins = (streams or Streams.fresh()).get("jtree", "coins")
        epsilon = float((1 - self._tables_share) * curator.budget.epsilon)
        graph = printed_graph(curator, epsilon=epsilon, phi=float(self.phi), coins=coins)
        if progress is not None:
            progress("measuring its tables", 0, 1)
        return measure_cliques(curator, graph, curator.rows, share=self._tables_share)

    @property
    def _tables_share(self) -> Fraction:
        return 1 - exact_number(self.beta)


def printed_graph(curator: Curator, *, epsilon: float, phi: float, coins: Rng) -> Decomposable:
    """The dependency graph that the printed test finds, triangulated."""
    exact = curator.noiseless in ("all", "selection")
    scale = 0.0 if exact else noise_scale(curator.domain, curator.rows, epsilon)
    sizes = tuple(attribute.size for attribute in curator.domain)
    return bounded_graph(sizes, passing(margins(curator, phi), scale, coins))


def passing(margins: Mapping[Pair, float], scale: float, coins: Rng) -> list[Pair]:
    """The sparse vector as printed: the pairs that pass, by how much. One noise is for the threshold, one for each."""
    threshold = float(coins.laplace(0.0, scale)) if scale > 0 else 0.0
    noise = coins.laplace(0.0, scale, len(margins)) if scale > 0 else np.zeros(len(margins))
    noisy = {pair: value + more - threshold for (pair, value), more in zip(margins.items(), noise, strict=True)}
    return sorted((pair for pair, value in noisy.items() if value >= 0), key=lambda pair: -noisy[pair])


def margins(curator: Curator, phi: float) -> dict[Pair, float]:
    """How far each pair's exact mutual information is above the threshold for it."""
    sizes = [attribute.size for attribute in curator.domain]
    pairs = [(u, v) for u, v in combinations(range(len(sizes)), 2) if sizes[u] > 1 and sizes[v] > 1]
    tables = curator.reveal([Marginal.of(*pair) for pair in pairs], what="dependent pairs") if pairs else []
    return {
        (u, v): information(table) - (min(sizes[u], sizes[v]) - 1) * phi**2 / 2
        for (u, v), table in zip(pairs, tables, strict=True)
    }


def noise_scale(domain: Domain, n: int, epsilon: float) -> float:
    """2Δ/ε₁, with the sensitivity of mutual information (Lemma 4.1 of PrivBayes, in nats).

    >>> from understudy.schema import Attribute
    >>> round(noise_scale(Domain((Attribute(name="a", size=2),)), 1000, 0.2), 4)
    0.0791
    """
    if n < 2:
        return 2 / epsilon
    if domain.all_binary:
        moved = log(n) / n + (n - 1) / n * log(n / (n - 1))
    else:
        moved = 2 / n * log((n + 1) / 2) + (n - 1) / n * log((n + 1) / (n - 1))
    return 2 * moved / epsilon


def bounded_graph(sizes: tuple[int, ...], pairs: list[Pair]) -> Decomposable:
    """All pairs joined; where that makes cliques too large, one pair after the other as long as they fit."""
    graph = triangulate(sizes, pairs)
    if graph.largest <= LARGEST_CLIQUE:
        return graph
    graph = triangulate(sizes, [])
    for u, v in pairs:
        if not any(u in clique and v in clique for clique in graph.cliques):
            graph = graph.join(u, v, LARGEST_CLIQUE) or graph
    return graph


def information(table: Ints) -> float:
    """Mutual information of rows and columns, in nats.

    >>> round(information(np.array([[2, 0], [0, 2]])), 4)
    0.6931
    """
    joint = table / max(table.sum(), 1)
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return float((joint[there] * np.log(joint[there] / apart[there])).sum())
