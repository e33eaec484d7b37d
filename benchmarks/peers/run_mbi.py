"""A maximum spanning tree (MST) of marginals, with mbi (private-pgm) to infer and to sample. Run with its own Python.

mbi is a library for inference, not a synthesizer. This follows the mechanism of McKenna, Miklau and Sheldon (2021),
with a third of ρ for each step and the numbers of iterations of the authors' example: measure every column; merge
values whose noisy count is below three standard deviations; choose a tree of pairs by the exponential mechanism, by
how far mbi's model of the columns is from each pair; measure the chosen pairs; infer and sample. Neighbours add or
remove a row: that changes one count of each table by one, and the score of a pair by at most one.
"""

from __future__ import annotations

import json
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
from _clock import Clock, arguments, write_report

warnings.simplefilter("ignore")
from mbi import Dataset, Domain, LinearMeasurement, estimation  # noqa: E402

FIRST, LAST = 2500, 10_000  # iterations of mirror descent
RARE = 3.0  # standard deviations of noise


def main() -> None:
    options = arguments()
    sizes = json.loads(options.sizes.read_text())
    delta = options.settings.get("delta", 1e-9)
    codes = pd.read_csv(options.codes)
    rng = np.random.default_rng(options.seed)
    np.random.seed(options.seed)  # mbi samples with this one
    data = Dataset({name: codes[name].to_numpy() for name in sizes}, Domain(tuple(sizes), tuple(sizes.values())))
    clock = Clock()
    with clock.phase("fit"):
        third = rho_of(options.epsilon, delta) / 3
        singles = measure(data, [(name,) for name in sizes], third, rng)
        merged = {m.clique[0]: merging(m) for m in singles if rare(m).any()}
        small = data.compress(merged) if merged else data
        singles = [m.compress(merged, data.domain) for m in singles]
        alone = estimation.MirrorDescent().estimate(small.domain, singles, iters=FIRST)
        pairs = measure(small, tree(small, alone, third, rng), third, rng)
        model = estimation.MirrorDescent().estimate(small.domain, [*singles, *pairs], iters=LAST)
    with clock.phase("sample"):
        synthetic = model.synthetic_data(rows=options.rows)
        whole = synthetic.decompress(merged) if merged else synthetic
    pd.DataFrame(whole.to_dict())[list(sizes)].astype(int).to_csv(options.out, index=False)
    privacy = f"(ε, δ = {delta:g}) by zCDP; calibrated to add/remove"
    write_report(options.report, package="mbi", clock=clock, privacy=privacy)


def rho_of(epsilon: float, delta: float) -> float:
    """The largest ρ whose zCDP implies (ε, δ), by the bound of Canonne, Kamath and Steinke (2020), on a grid."""
    order = 1 + np.logspace(-2, 6, 8000)

    def log_delta(rho: float) -> float:
        less = order - 1
        return float(np.min(less * (order * rho - epsilon) + order * np.log1p(-1 / order) - np.log(less)))

    low, high = 0.0, epsilon + 1
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if log_delta(middle) <= np.log(delta) else (low, middle)
    return low


def measure(data: Dataset, cliques: list[tuple[str, ...]], rho: float, rng: np.random.Generator) -> list:
    """Tables with Gaussian noise, the budget in equal parts: each costs 1 / 2σ²."""
    sigma = float(np.sqrt(len(cliques) / (2 * rho)))
    exact = [np.asarray(data.project(clique).datavector(), dtype=float) for clique in cliques]
    return [
        LinearMeasurement(counts + rng.normal(0, sigma, counts.size), clique, sigma)
        for clique, counts in zip(cliques, exact, strict=True)
    ]


def rare(single: LinearMeasurement) -> np.ndarray:
    """Which values of a column drown in their noise."""
    return np.asarray(single.noisy_measurement) < RARE * single.stddev


def merging(single: LinearMeasurement) -> np.ndarray:
    """The column's codes with its rare values as one, after the others."""
    drowned = rare(single)
    return np.where(drowned, np.count_nonzero(~drowned), np.cumsum(~drowned) - 1)


def tree(data: Dataset, model: object, rho: float, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """A spanning tree by Kruskal's algorithm with the exponential mechanism: each draw at ε costs ε² / 8."""
    names = list(data.domain.attributes)
    group = {name: i for i, name in enumerate(names)}
    scores = {pair: gap(data, model, pair) for pair in combinations(names, 2)}
    epsilon = float(np.sqrt(8 * rho / (len(names) - 1)))
    chosen = []
    for _ in names[1:]:
        open_pairs = [(a, b) for a, b in scores if group[a] != group[b]]
        weights = epsilon / 2 * np.array([scores[pair] for pair in open_pairs])
        chances = np.exp(weights - weights.max())
        a, b = open_pairs[rng.choice(len(open_pairs), p=chances / chances.sum())]
        chosen.append((a, b))
        group = {name: group[a] if number == group[b] else number for name, number in group.items()}
    return chosen


def gap(data: Dataset, model: object, pair: tuple[str, str]) -> float:
    """L1 distance of a pair's counts from the model's."""
    return float(
        np.abs(np.asarray(data.project(pair).datavector()) - np.asarray(model.project(pair).datavector())).sum()
    )


if __name__ == "__main__":
    main()
