"""How noisy tables become conditionals: clipping (as in the paper), projection, consistency and shrinkage.

The same noisy measurements are post-processed in the four ways, so only the choice differs. All are free.
"""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np

from benchmarks._metrics import distances
from benchmarks._ours import fit, load_table, sample, sizes, stack
from benchmarks._report import Line, Options, main
from understudy.models import Network, NetworkModel, conditionals_from, consistent_tables, project_to_simplex
from understudy.privacy import Measurement

CASES = [
    (name, epsilon) for name in ("nltcs", "adult_privbayes16", "br2000_privbayes16") for epsilon in (0.1, 0.4, 1.6)
]
SEEDS, QUICK_SEEDS = 6, 2


def clipped(measurements: list[Measurement], network: Network, n: int) -> list[np.ndarray]:
    """Negative cells to zero, then scaled to the total: what the paper does."""
    tables = [np.maximum(m.counts, 0).astype(float) for m in measurements]
    return [t * n / t.sum() if t.sum() > 0 else np.full(t.shape, n / t.size) for t in tables]


def projected(measurements: list[Measurement], network: Network, n: int) -> list[np.ndarray]:
    """Each table on its own."""
    return [project_to_simplex(m.counts.astype(float).ravel(), float(n)).reshape(m.counts.shape) for m in measurements]


def consistent(measurements: list[Measurement], network: Network, n: int) -> list[np.ndarray]:
    """Made to agree, then projected; not drawn towards their margins."""
    with patch("understudy.models._fitting.shrink", lambda noisy, *_: noisy):
        return consistent_tables(measurements, network.domain, n)


def shipped(measurements: list[Measurement], network: Network, n: int) -> list[np.ndarray]:
    """Consistency, shrinkage and projection."""
    return consistent_tables(measurements, network.domain, n)


WAYS = {"clipped": clipped, "projected": projected, "consistent": consistent, "shipped": shipped}


def run(options: Options) -> list[Line]:
    return [compare_one(name, epsilon, QUICK_SEEDS if options.quick else SEEDS) for name, epsilon in CASES]


def compare_one(name: str, epsilon: float, n_seeds: int) -> Line:
    """One table at one ε."""
    table = load_table(name)
    real, sized = stack(table), sizes(table)
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for seed in range(n_seeds):
        model = fit(table, epsilon=epsilon, seed=seed)
        for way, process in WAYS.items():
            synthetic = sample(processed(model, process), table.n, seed=seed)
            found[way].append(distances(real, synthetic, sized)[1])
    means = {way: float(np.mean(values)) for way, values in found.items()}
    return Line(
        f"fitting, {name}, ε = {epsilon:g}: mean 3-way distance, {n_seeds} seeds",
        f"as shipped {means['shipped']:.4f}",
        f"without shrinkage {means['consistent']:.4f}, projected only {means['projected']:.4f}, "
        f"clipped {means['clipped']:.4f}",
        means["clipped"] / means["shipped"],
    )


def processed(model: NetworkModel, process) -> NetworkModel:
    """The model with its conditionals made in another way from the same measurements."""
    tables = process(list(model.measurements), model.network, model.n)
    return replace(model, conditionals=conditionals_from(model.network, model.measurements, tables))


if __name__ == "__main__":
    main(run)
