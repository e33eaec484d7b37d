"""HPPrivBayes exactly as its paper prints it (Deng 2025, Algorithms 3 to 6). It keeps no ε: for science and for audits.

What the paper leaves open is read as in the soundness review: the sensitive attribute is in group A; a scale of zero
or below means no noise; a parent configuration without mass gets the uniform distribution; ties of the order go to the
attribute that comes first. A value that no record has is given half a record, since its −log₂ P would be infinite.
Noise is put on counts, at n times the scale the paper puts on probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.methods._flaw import Flaw, refuse_unprinted_terms
from understudy.methods._groups import Number, Split, named_sensitivities, read_split
from understudy.methods._plan import Plan, baseline_plan
from understudy.methods._search import Progress
from understudy.methods._usefulness import LARGEST_TABLE
from understudy.models import InformationScore, Model, Network, NetworkModel, Node
from understudy.options import Declared, Names, Real, Whole, option
from understudy.privacy import Candidate, Curator, Neighbours, PrivacyTerms
from understudy.schema import Axis, Domain, Marginal, recode

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_DIGITS = 12  # of an average information; ties are real ties then, not accidents of addition
_MOST_CANDIDATES = 500_000
_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedSpec:
    """The paper's parameters: S, L1 to L3, the degree k, and the threshold that the paper calls θ."""

    sensitive: int
    split: Split
    k: int
    threshold: float


def most_sensitive(domain: Domain, sensitivities: Sequence[Fraction]) -> int:
    """The paper's S: the one attribute that is most sensitive.

    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "ab"))
    >>> most_sensitive(domain, [Fraction(0), Fraction(1)])
    1
    """
    most = max(sensitivities, default=Fraction(0))
    found = [i for i, u in enumerate(sensitivities) if u == most]
    if most == 0 or len(found) > 1:
        raise OptionError(
            "HPPrivBayes as printed has one sensitive column, and groups the others by how much they say about it. "
            + ("None is named" if most == 0 else f"{len(found)} are named")
            + ": give one with --sensitive (sensitive=…)."
        )
    return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class HPPrivBayesAsPrinted(Declared):
    """HPPrivBayes as its paper prints it, with one sensitive column. It has no guarantee.

    >>> HPPrivBayesAsPrinted(sensitive="occupation").k
    2
    """

    name: ClassVar[str] = "hpprivbayes-as-printed"
    makes: ClassVar[type[Model]] = NetworkModel
    flaw: ClassVar[Flaw] = Flaw(
        sentence="HPPrivBayes as printed sorts, groups and weighs columns by exact counts, which no epsilon covers, "
        "and some tables get no noise at all.",
        where="docs/hpprivbayes.md#what-is-wrong-as-printed",
    )

    sensitive: tuple[str, ...] = option((), Names(), help="The sensitive column, unless the schema declares one.")
    L1: Number | None = option(
        None, Real(above=0, below=1), help="Share of the budget that goes into choosing the network. None: 0.3."
    )
    L2: Number | None = option(
        None, Real(above=0, below=1), help="Share for tables of the sensitive group. None: as r has it."
    )
    L3: Number | None = option(None, Real(above=0, below=1), help="Share for tables of the others. None: as r has it.")
    r: Number | None = option(None, Real(above=0), help="L2/L3. None: 1/3.")
    k: int = option(2, Whole(), help="Number of parents of each column.")
    mi_threshold: Number = option(
        Fraction(1, 10),
        Real(at_least=0),
        help="Columns that have this much mutual information with the sensitive one are sensitive too.",
    )

    def check_together(self) -> None:
        """Refuse options that do not go together."""
        read_split(self.L1, self.L2, self.L3, self.r)

    def spec(self, domain: Domain) -> PrintedSpec:
        """The paper's parameters for these columns."""
        return PrintedSpec(
            sensitive=most_sensitive(domain, named_sensitivities(domain, self.sensitive)),
            split=read_split(self.L1, self.L2, self.L3, self.r),
            k=self.k,
            threshold=float(self.mi_threshold),
        )

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what the paper does not cover, or what no machine could do."""
        k = self.spec(domain).k
        refuse_unprinted_terms("HPPrivBayes", terms)
        n_candidates = sum(comb(i, size) for i in range(len(domain)) for size in range(min(k, i) + 1))
        largest = prod(sorted((a.size for a in domain), reverse=True)[: k + 1])
        if n_candidates > _MOST_CANDIDATES or largest > LARGEST_TABLE:
            raise OptionError(
                f"with k = {k} HPPrivBayes as printed looks at {n_candidates:,} tables of up to {largest:,} cells. "
                "Choose a smaller k."
            )

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What the options came to, as the privacy statement lists them."""
        spec = self.spec(domain)
        return {
            "sensitive": domain[spec.sensitive].name,
            **spec.split.to_dict(),
            "k": spec.k,
            "mi_threshold": spec.threshold,
        }

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """None: the statement says that nothing was promised."""
        return ()

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """The dry run. Groups are made from the rows as they are, so what noise a table will get cannot be told."""
        split = self.spec(domain).split
        shares = {"network": split.network, "group A": split.sensitive, "group B": split.others}
        return baseline_plan(
            self.name,
            domain,
            n,
            noise=float(2 * len(domain) / (split.others * terms.budget.epsilon)),
            shares={name: float(share) for name, share in shares.items()},
            notes=("As printed: no guarantee.",),
        )

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Learn a model. It tosses no coins beside the curator's noise."""
        return fit_as_printed(curator, self.spec(curator.domain), progress=progress)


def fit_as_printed(curator: Curator, spec: PrintedSpec, *, progress: Progress | None = None) -> NetworkModel:
    """Steps 1 to 5 of the paper."""
    domain, n = curator.domain, curator.rows
    epsilon = curator.budget.epsilon
    information = pairwise_information(curator)
    nodes = choose_network(
        curator, order_by_information(information), spec.k, spec.split.network * epsilon, progress=progress
    )
    group_a, group_b = split_groups(information[spec.sensitive], spec)
    tables = noisy_tables(curator, nodes, group_a, group_b, spec)
    conditionals = [_conditional(table) for table in tables]
    return NetworkModel(Network(domain, nodes), conditionals, recode(domain, "hierarchical"), (), n)


def pairwise_information(curator: Curator) -> Floats:
    """I(Sᵢ, Sⱼ) in bits, exact; zero on the diagonal (Definition 10)."""
    d = len(curator.domain)
    pairs = list(combinations(range(d), 2))
    found = np.zeros((d, d))
    for (i, j), table in zip(pairs, _revealed(curator, [Marginal.of(*pair) for pair in pairs]), strict=True):
        found[i, j] = found[j, i] = mutual_information(table)
    return found


def mutual_information(table: Ints) -> float:
    """In bits.

    >>> mutual_information(np.array([[2, 0], [0, 2]]))
    1.0
    """
    joint = table / max(table.sum(), 1)
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / product[seen])).sum())


def order_by_information(information: Floats) -> list[int]:
    """Attributes by average information with the others, largest first, ties by position (line 2 of Algorithm 3).

    >>> order_by_information(np.array([[0.0, 0.1, 0.2], [0.1, 0.0, 0.3], [0.2, 0.3, 0.0]]))
    [2, 1, 0]
    """
    average = np.round(information.sum(axis=1) / max(len(information) - 1, 1), _DIGITS)
    return [int(i) for i in np.argsort(-average, kind="stable")]


def choose_network(
    curator: Curator, order: Sequence[int], k: int, epsilon: Fraction, *, progress: Progress | None = None
) -> tuple[Node, ...]:
    """Algorithm 3: each attribute in this order gets at most k parents before it, by the exponential mechanism."""
    nodes = [Node(child=order[0])]
    score, n, d = InformationScore(), curator.rows, len(order)
    for i in range(1, d):
        if progress is not None:
            progress("choosing the network", i, d)
        child, before = order[i], sorted(order[:i])
        sets = [
            tuple(Axis(a) for a in subset) for size in range(min(k, i) + 1) for subset in combinations(before, size)
        ]
        candidates = [Candidate(child, parents) for parents in sets]
        marginals = [Marginal((Axis(c.child), *c.parents)).canonical() for c in candidates]
        flat = [
            np.moveaxis(table, marginal.attributes.index(child), 0).reshape(1, curator.domain[child].size, -1)
            for marginal, table in zip(marginals, _revealed(curator, marginals), strict=True)
        ]
        scores = np.array([int(score(np.ascontiguousarray(table), n)[0]) for table in flat], dtype=np.int64)
        # the paper's weight is exp(ε₁·I / (2(d−1)·ΔI)), and twice ΔI is the spread of I
        spread = score.difference_sensitivity(n, [table.shape[1:] for table in flat], Neighbours.REPLACE_ONE)
        chosen = curator.noise.exponential(scores, epsilon / ((d - 1) * spread * score.scale(n)))
        nodes.append(Node(child=child, parents=sets[chosen]))
    return tuple(nodes)


def split_groups(information: Floats, spec: PrintedSpec) -> tuple[list[int], list[int]]:
    """Algorithm 4: A, the more sensitive attributes with S among them, and B, the others."""
    group_a = [i for i, bits in enumerate(information) if i == spec.sensitive or bits >= spec.threshold]
    return group_a, [i for i in range(len(information)) if i not in group_a]


def noisy_tables(
    curator: Curator, nodes: Sequence[Node], group_a: Sequence[int], group_b: Sequence[int], spec: PrintedSpec
) -> list[Ints]:
    """Algorithms 5 and 6, before negative cells are cut off: one table a node, parents first, then the child."""
    epsilon, d = curator.budget.epsilon, len(nodes)
    epsilon_a, epsilon_b = spec.split.sensitive * epsilon, spec.split.others * epsilon
    scale_a = 2 * (d - spec.k - len(group_b)) / epsilon_a
    found: list[Ints] = []
    marginals = [Marginal((*node.parents, Axis(node.child))) for node in nodes]
    for node, table in zip(nodes, _revealed(curator, marginals), strict=True):
        if node.child in group_a:
            found.append(curator.noise.laplace(table, scale_a) if scale_a > 0 else table)
            continue
        noisy = table.copy()
        for value, weight in enumerate(value_weights(table.reshape(-1, table.shape[-1]).sum(axis=0))):
            if weight > 0:
                scale = 2 * len(group_b) / (weight * epsilon_b)
                noisy[..., value] = curator.noise.laplace(np.ascontiguousarray(table[..., value]), scale)
        found.append(noisy)
    return found


def value_weights(counts: Ints) -> list[Fraction]:
    """w_v = SD_v / Σ SD with SD_v = −log₂ P(v) (Definition 11): rare values get more budget, so less noise.

    >>> [float(weight) for weight in value_weights(np.array([2, 1, 1]))]
    [0.2, 0.4, 0.4]
    """
    n = max(int(counts.sum()), 1)
    surprise = [-math.log2(max(float(count), 0.5) / n) for count in counts]
    total = sum(surprise)
    if total <= 0:
        return [Fraction(0)] * len(surprise)  # a single value, which "does not require privacy protection"
    return [Fraction(max(one, 0.0) / total).limit_denominator(10**9) for one in surprise]


def _conditional(noisy: Ints) -> Floats:
    """Negative cells cut off, rows normalised; a row without mass is uniform."""
    table = np.maximum(noisy, 0).astype(np.float64)
    mass = table.sum(axis=-1, keepdims=True)
    return np.where(mass > 0, table / np.where(mass > 0, mass, 1.0), 1 / table.shape[-1])


def _revealed(curator: Curator, marginals: Sequence[Marginal]) -> list[Ints]:
    """Exact counts, not too many cells at a time."""
    found: list[Ints] = []
    batch: list[Marginal] = []
    cells = 0
    for marginal in marginals:
        size = marginal.n_cells(curator.domain)
        if batch and cells + size > _CELLS_AT_ONCE:
            found += curator.reveal(batch)
            batch, cells = [], 0
        batch.append(marginal)
        cells += size
    return found + (curator.reveal(batch) if batch else [])
