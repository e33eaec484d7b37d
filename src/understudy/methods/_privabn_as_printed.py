"""PrivABN exactly as its paper prints it (Lan, Hong, Chen, Cai, Wang 2021). It keeps no ε: for science and for audits.

Algorithm 2 (ABN) chooses among candidates that GParentSet (Algorithm 3) found by exact maxima; Algorithm 4 (SDG) puts
noise of scale 2m/(n·ε₂) on conditional probabilities, which one record moves by up to 2. What the paper leaves open is
read as in the soundness review: GParentSet goes through in-degrees downwards, so that no set holds an attribute twice;
ΔI is in natural logarithms, as printed, though I is in bits; a parent configuration without rows gets the uniform
distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy._core.randomness import Rng, Streams
from understudy.methods._flaw import Flaw, refuse_unprinted_terms
from understudy.methods._plan import Plan, baseline_plan
from understudy.methods._search import Progress
from understudy.models import Model, Network, NetworkModel, Node
from understudy.options import Declared, Whole, option
from understudy.privacy import Curator, PrivacyTerms
from understudy.schema import Axis, Domain, Marginal, recode

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Choose = Callable[[Floats], int]
"""A place, given the logarithms of weights."""

MOST_ATTRIBUTES = 20
"""Without a bound on parents the last table has 2^m cells."""
MOST_PARENTS = 22
_DIGITS = 12  # of an information: ties are real ties then, not accidents of addition


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivABNAsPrinted(Declared):
    """PrivABN as its paper prints it, for binary tables. It has no guarantee.

    >>> PrivABNAsPrinted(k=8).k
    8
    """

    name: ClassVar[str] = "privabn-as-printed"
    makes: ClassVar[type[Model]] = NetworkModel
    flaw: ClassVar[Flaw] = Flaw(
        sentence="PrivABN as printed takes its candidates from exact maxima, which no epsilon covers, and its noise "
        "on conditionals is about n times too small.",
        where="docs/privabn.md#what-is-wrong-as-printed",
    )

    k: int | None = option(None, Whole(), help="Most parents of an attribute. None: no bound, as in the paper.")

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what the paper does not cover, or what no machine could do."""
        refuse_unprinted_terms("PrivABN", terms)
        wide = [attribute.name for attribute in domain if attribute.size != 2]
        if wide:
            listed = ", ".join(f"'{name}'" for name in wide[:4]) + (", …" if len(wide) > 4 else "")
            raise OptionError(
                f"PrivABN as printed is for binary tables, and {len(wide)} of {len(domain)} columns have not two "
                f"values ({listed}). Choose 'privabn': the repaired method takes any columns."
            )
        if self.k is None and len(domain) > MOST_ATTRIBUTES:
            raise OptionError(
                f"PrivABN as printed has no bound on parents, and its networks run to the complete graph: the last of "
                f"{len(domain)} tables would have 2^{len(domain)} cells. Up to {MOST_ATTRIBUTES} columns are taken "
                "that way; for more bound the number of parents (k=…), which the paper does not."
            )
        if self.k is not None and self.k > MOST_PARENTS:
            raise OptionError(
                f"PrivABN as printed takes k up to {MOST_PARENTS}, for the size of its tables. Got {self.k}."
            )

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What the options came to, as the privacy statement lists them."""
        return {"variant": "as printed", "most parents": self.k}

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """None: the statement says that nothing was promised."""
        return ()

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        degree = len(domain) - 1 if self.k is None else min(self.k, len(domain) - 1)
        return baseline_plan(
            self.name,
            domain,
            n,
            noise=float(4 * len(domain) / terms.budget.epsilon),
            shares={"network": 0.5, "tables": 0.5},
            notes=(
                "As printed: no guarantee.",
                f"Attributes get up to {degree} parents, and mostly as many as there are. The paper's noise is on "
                "conditional probabilities, so the errors above do not apply.",
            ),
        )

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Learn a model. `streams` hold the method's own noise; fresh ones unless given."""
        coins = (streams or Streams.fresh()).get("privabn", "coins")
        return fit_as_printed(curator, k=self.k, coins=coins, progress=progress)


def fit_as_printed(curator: Curator, *, k: int | None, coins: Rng, progress: Progress | None = None) -> NetworkModel:
    """Algorithm 5: half of ε for the network, half for the conditionals. Exact parts follow the curator (NoPrivABN)."""
    domain, epsilon = curator.domain, curator.budget.epsilon

    def choose(weights: Floats) -> int:
        if curator.noiseless in ("all", "selection"):
            return int(weights.argmax())
        return int((weights + coins.gumbel(size=weights.size)).argmax())  # the exponential mechanism

    root = int(coins.integers(len(domain)))
    nodes = adaptive_network(curator, root, choose, float(epsilon / 2), k=k, progress=progress)
    scale = 0.0 if curator.noiseless in ("all", "tables") else 2 * len(domain) / (curator.rows * float(epsilon / 2))
    conditionals = noisy_conditionals(curator, nodes, scale, coins)
    return NetworkModel(Network(domain, nodes), conditionals, recode(domain, "hierarchical"), (), curator.rows)


def adaptive_network(
    curator: Curator,
    root: int,
    choose: Choose,
    epsilon: float,
    *,
    k: int | None = None,
    progress: Progress | None = None,
) -> tuple[Node, ...]:
    """ABN (Algorithm 2): each attribute with its best set of each size is a candidate; one is drawn."""
    m, n = len(curator.domain), curator.rows
    memo = ParentSets(curator, most=m - 1 if k is None else min(k, m - 1))
    nodes, newest = [Node(root)], root
    left = [a for a in range(m) if a != root]
    sensitivity = log(n) / n + (n - 1) / n * log(n / (n - 1)) if n > 1 else 1.0
    rate = epsilon / (2 * max(m - 1, 1) * sensitivity)
    while left:
        if progress is not None:
            progress("choosing the network", m - 1 - len(left), m - 1)
        memo.extend(left, newest)
        candidates = [(a, parents, value) for a in left for parents, value in memo.best(a)]
        child, parents, _ = candidates[choose(np.array([rate * value for _, _, value in candidates]))]
        nodes.append(Node(child, tuple(Axis(a) for a in sorted(parents))))
        left.remove(child)
        newest = child
    return tuple(nodes)


class ParentSets:
    """GParentSet (Algorithm 3) with its memory: for each attribute and in-degree the best set seen, by exact I."""

    def __init__(self, curator: Curator, *, most: int) -> None:
        self._curator, self._most = curator, most
        self._best: dict[int, list[tuple[frozenset[int], float]]] = {}

    def best(self, attribute: int) -> list[tuple[frozenset[int], float]]:
        """The best sets of one, two, … parents, each with its information."""
        return self._best[attribute][1:]

    def extend(self, attributes: Sequence[int], newest: int) -> None:
        """One more parent has come: Π′ = dp[S, i−1] ∪ {fa} against Π″ = dp[S, i], from the largest i down."""
        asked: list[tuple[int, int, frozenset[int]]] = []
        for a in attributes:
            known = self._best.setdefault(a, [(frozenset(), 0.0)])
            asked += [(a, i, known[i - 1][0] | {newest}) for i in range(1, min(len(known), self._most) + 1)]
        values = self._information([(a, parents) for a, _, parents in asked])
        for (a, i, parents), value in reversed(list(zip(asked, values, strict=True))):
            known = self._best[a]
            if i == len(known):
                known.append((parents, value))
            elif value >= known[i][1]:
                known[i] = (parents, value)

    def _information(self, pairs: Sequence[tuple[int, frozenset[int]]]) -> list[float]:
        found = []
        for a, parents in pairs:  # one table at a time: the largest have 2^m cells
            [table] = self._curator.reveal([Marginal.of(a, *sorted(parents))], what="GParentSet")
            found.append(information(table.reshape(2, -1)))
        return found


def information(table: Ints) -> float:
    """Mutual information of rows and columns, in bits, to twelve digits.

    >>> information(np.array([[2, 0], [0, 2]]))
    1.0
    """
    joint = table / table.sum()
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return round(float((joint[there] * np.log2(joint[there] / apart[there])).sum()), _DIGITS)


def noisy_conditionals(curator: Curator, nodes: Sequence[Node], scale: float, coins: Rng) -> list[Floats]:
    """SDG (Algorithm 4, lines 2 to 7): noise on conditional probabilities, negative ones to zero, scaled to one."""
    found = []
    for node in nodes:
        parents = [axis.attribute for axis in node.parents]
        [table] = curator.reveal([Marginal.of(*parents, node.child)], what="SDG")
        mass = table.sum(axis=-1, keepdims=True)
        exact = np.where(mass > 0, table / np.maximum(mass, 1), 0.5)
        noisy = np.maximum(exact + coins.laplace(0.0, scale, exact.shape) if scale > 0 else exact, 0.0)
        total = noisy.sum(axis=-1, keepdims=True)
        found.append(np.where(total > 0, noisy / np.where(total > 0, total, 1.0), 0.5))
    return found
