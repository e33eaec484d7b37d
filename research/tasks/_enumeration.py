"""How many pairs of a column and its parents two searches look at, and what the shorter one misses."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

from research._data import load
from understudy._core.randomness import Streams
from understudy.counting import open_counter
from understudy.methods import flaw_of, read_method
from understudy.methods.printed import ParentSets, adaptive_network, information
from understudy.privacy import Curator, PrivacyWarning, make_budget, make_noise, open_curator
from understudy.schema import Domain, Marginal
from understudy.tables import Table

PAIRS_A_SECOND = 10_000
"""What the PrivABN paper supposes of a computer."""
_DAY = 86_400
_SAME = 1e-9  # bits


def greedy_pairs(m: int, k: int) -> int:
    """The pairs of GreedyBayes (PrivABN's Algorithm 1): with v columns placed, each other one with every min(k, v).

    >>> greedy_pairs(50, 1), greedy_pairs(50, 5)
    (20825, 115775290)
    """
    return sum((m - v) * comb(v, min(k, v)) for v in range(1, m))


def adaptive_pairs(m: int) -> int:
    """The pairs of ABN (Algorithms 2 and 3): with v columns placed, each other one with one new set of each size.

    >>> adaptive_pairs(50)
    20825
    """
    return sum((m - v) * v for v in range(1, m))


def pairs_by_definition(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """`pairs`, and the `days` they take at 10,000 a second.

    Parameters: `columns`, `k`, and `by`: "Algorithm 1", its leading term "C(m+1, k+2)", "Algorithms 2 and 3", or "m²".
    """
    m, k = params["columns"], params["k"]
    counts: dict[str, Callable[[], int]] = {
        "Algorithm 1": lambda: greedy_pairs(m, k),
        "C(m+1, k+2)": lambda: comb(m + 1, k + 2),
        "Algorithms 2 and 3": lambda: adaptive_pairs(m),
        "m²": lambda: m * m,
    }
    pairs = counts[params["by"]]()
    return {"pairs": float(pairs), "days": pairs / PAIRS_A_SECOND / _DAY}


def pairs_of_run(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The `pairs` that a method looked at in a run, by what its curator was asked, on a table's first columns.

    Parameters: `dataset`, `columns`, `method`, `epsilon`.
    """
    method = read_method(params["method"])
    curator = _curator(params, seed, folder, printed=flaw_of(method) is not None)
    method.fit(curator, streams=Streams(seed))
    chosen = sum(charge.n_candidates for charge in curator.charges)
    revealed = sum(charge.n_tables for charge in curator.charges if charge.what == "GParentSet")
    return {"pairs of a run": float(chosen + revealed)}


def missed_parents(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The `missed` share of GParentSet's sets: those that have less information than the best of their size has.

    Parameters: `dataset`, `columns`. Columns are placed by ABN without noise.
    """
    curator = _curator({**params, "epsilon": 1.0}, seed, folder, printed=True)
    root = int(Streams(seed).get("experiments", "root").integers(len(curator.domain)))
    nodes = adaptive_network(curator, root, lambda weights: int(weights.argmax()), 0.5)
    memo, order = ParentSets(curator, most=len(nodes)), [node.child for node in nodes]
    missed = total = 0
    for placed in range(1, len(order)):
        memo.extend(order[placed:], order[placed - 1])
        for child in order[placed:]:
            for size, (_, value) in enumerate(memo.best(child), start=1):
                sets = [Marginal.of(child, *parents) for parents in combinations(order[:placed], size)]
                best = max(information(table.reshape(2, -1)) for table in curator.reveal(sets))
                missed += value < best - _SAME
                total += 1
    return {"missed": missed / total, "sets": float(total)}


def _curator(params: Mapping[str, Any], seed: int, folder: Path, *, printed: bool) -> Curator:
    table = load(params["dataset"], folder).table
    m = params["columns"]
    first = Table(Domain(tuple(table.domain)[:m]), table.columns[:m])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return open_curator(
            open_counter(first),
            budget=make_budget(params["epsilon"]),
            noise=make_noise(seed=seed),
            no_guarantee=printed,
        )
