"""JTree (Chen, Xiao, Zhang, Xu, KDD 2015): dependent pairs, a junction tree, its cliques' tables. Repaired.

As printed, pairs pass a sparse vector test that keeps no ε (`_jtree_as_printed`). Here they are peeled off one by one:
each is a private choice among the pairs that are still open, by score R. *Privacy*: which pairs are open is a function
of public values and of earlier choices; each choice costs share/c by `Curator.select`, under both neighbour relations
and both budgets, so c of them cost β of the budget by adaptive composition. Triangulating, merging cliques into tables
and the network are functions of the choices. The tables cost what is left, an equal part each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2
from typing import ClassVar

from understudy._core.numbers import exact_number
from understudy._core.randomness import Streams
from understudy.methods._junction import Clique, Decomposable, Pair, merge, triangulate
from understudy.methods._plan import Plan, plan_with_tables
from understudy.methods._remarks import if_independent
from understudy.methods._search import Progress
from understudy.methods._settings import ROWS_SHARE, refuse_drowning_noise, rows_share
from understudy.methods._usefulness import largest_useful_table
from understudy.models import Model, Network, NetworkModel, RScore, fit_conditionals
from understudy.options import Declared, Real, Whole, option
from understudy.privacy import BestCandidate, Budget, Candidate, Curator, NoisyTables, PrivacyTerms
from understudy.schema import Axis, Domain, Marginal, recode

LARGEST_TABLE = 1 << 16
"""No table has more cells, whatever the budget."""
PAIRS_EACH = 3
"""Pairs chosen for each attribute: from measurements, docs/research/baselines.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JTree(Declared):
    """Choose the most dependent pairs of columns, and measure the cliques of the junction tree they span.

    >>> JTree(pairs=20).pairs
    20
    >>> JTree(beta=2)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'beta' parameter of JTree must be a number above 0 and below 1. Got 2 \
instead.
    """

    name: ClassVar[str] = "jtree"
    makes: ClassVar[type[Model]] = NetworkModel

    pairs: int | None = option(
        None,
        Whole(),
        help="How many pairs are chosen, at most. None: as many as cliques have room for, and no more than three for "
        "each column.",
    )
    theta: Fraction | int | float = option(
        2,
        Real(above=0),
        help="A table is useful if its average cell is at least this many times the noise.",
    )
    beta: Fraction | int | float = option(
        Fraction(3, 10),
        Real(above=0, below=1),
        help="Share of the budget that goes into choosing pairs.",
    )

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        refuse_drowning_noise(terms.table_noise(self._tables_share(terms) / max(len(domain), 1)), terms.budget)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What the options came to, as the privacy statement lists them."""
        return {
            "score": "R",
            "pairs": self.n_pairs(domain, n, terms),
            "largest table of a clique": self.largest_clique(domain, n, terms),
            "theta": float(self.theta),
            "beta": float(self.beta),
        }

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return if_independent(
            model,
            "no pair of columns was measured together for its dependence, for want of budget or as asked: columns were "
            "published as independent of each other.",
        )

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        rows, tables = rows_share(terms), self._tables_share(terms)
        shares = {"rows": float(rows), "network": float(1 - rows - tables), "tables": float(tables)}
        noise = terms.table_noise(tables / max(len(domain), 1)).mean_abs
        varied = sum(attribute.size > 1 for attribute in domain)
        return plan_with_tables(
            self.name,
            domain,
            n,
            cells=self.largest_clique(domain, n, terms),
            noise=noise,
            candidates=tuple(varied * (varied - 1) // 2 - i for i in range(self.n_pairs(domain, n, terms))),
            max_candidates=varied * (varied - 1) // 2,
            shares=shares,
            notes=(
                "The noise above is for as many tables as columns; mostly there are fewer. What choices leave unspent "
                "goes into the tables.",
            ),
        )

    def largest_clique(self, domain: Domain, n: int, terms: PrivacyTerms) -> int:
        """Most cells of a clique: θ-useful even if there were as many tables as columns."""
        noise = terms.table_noise(self._tables_share(terms) / max(len(domain), 1))
        return min(largest_useful_table(n, noise, exact_number(self.theta)), LARGEST_TABLE)

    def n_pairs(self, domain: Domain, n: int, terms: PrivacyTerms) -> int:
        """How many pairs are to be chosen, if cliques have room for them."""
        sizes = sorted(attribute.size for attribute in domain if attribute.size > 1)
        most, room = len(sizes) * (len(sizes) - 1) // 2, self.largest_clique(domain, n, terms)
        if most == 0 or sizes[0] * sizes[1] > room:
            return 0
        if self.pairs is not None:
            return min(most, self.pairs)
        # a graph with cliques of w columns and no others has (w − 1)·(d − w/2) pairs
        width = min(log2(room) * len(sizes) / sum(map(log2, sizes)), len(sizes))
        return max(1, min(most, PAIRS_EACH * len(sizes), ceil((width - 1) * (len(sizes) - width / 2))))

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Learn a model. It tosses no coins beside the curator's noise."""
        n = curator.measure_rows(share=ROWS_SHARE)
        domain, terms = curator.domain, curator.terms
        graph = choose_graph(
            curator,
            pairs=self.n_pairs(domain, n, terms),
            limit=self.largest_clique(domain, n, terms),
            share=exact_number(self.beta) * (1 - rows_share(curator.terms)),
            progress=progress,
        )
        if progress is not None:
            progress("measuring its tables", 0, 1)
        # what choices left unspent goes into the tables
        return measure_cliques(curator, graph, n, share=curator.share_left)

    def _tables_share(self, terms: PrivacyTerms) -> Fraction:
        return (1 - exact_number(self.beta)) * (1 - rows_share(terms))


def choose_graph(
    curator: Curator, *, pairs: int, limit: int, share: Fraction, progress: Progress | None = None
) -> Decomposable:
    """Peel off the most dependent pairs, at most so many, with at most `share` of the budget.

    Open are the pairs that no clique holds yet and that can be joined within `limit` cells. A single one is no choice.
    """
    sizes = tuple(attribute.size for attribute in curator.domain)
    graph, chosen = triangulate(sizes, []), list[Pair]()
    for done in range(pairs):
        if progress is not None:
            progress("choosing pairs", done, pairs)
        open_pairs = graph.joinable(limit)
        if not open_pairs:
            break
        candidates = [Candidate(u, (Axis(v),)) for u, v in open_pairs]
        what = f"dependent pair {done + 1} of {pairs}"
        u, v = open_pairs[
            curator.ask(BestCandidate(candidates=candidates, score=RScore(), what=what), share=share / pairs)
        ]
        chosen.append((u, v))
        graph = _joined(graph, chosen, limit)
    return graph


def _joined(graph: Decomposable, chosen: Sequence[Pair], limit: int) -> Decomposable:
    """The graph with the last pair: from scratch if that fits in fewer cells, which forgets needless fill-in."""
    grown, fresh = graph.join(*chosen[-1], limit), triangulate(graph.sizes, chosen)
    if grown is None or (fresh.largest <= limit and fresh.total <= grown.total):
        return fresh
    return grown


def measure_cliques(curator: Curator, graph: Decomposable, n: int, *, share: Fraction) -> NetworkModel:
    """The model of a graph, its cliques' tables measured with this share of the budget."""
    network = Network(curator.domain, graph.nodes())
    measurements = curator.ask(
        NoisyTables(marginals=tables_of(graph, curator.budget), what="tables of cliques"), share=share
    )
    conditionals = fit_conditionals(network, measurements, n)
    return NetworkModel(network, conditionals, recode(curator.domain, "hierarchical"), measurements, n)


def tables_of(graph: Decomposable, budget: Budget) -> list[Marginal]:
    """What is measured: the cliques, merged where that makes the expected error smaller."""
    power = 2 if budget.pure else 1
    tables: list[Clique] = merge(graph, power=power, limit=LARGEST_TABLE)
    return [Marginal.of(*sorted(table)) for table in tables]
