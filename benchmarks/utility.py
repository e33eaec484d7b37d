"""How good the synthetic rows are: average 2-way and 3-way distances at the targets' settings, over seeds.

Beside each stand a fresh sample (real rows drawn anew, with replacement: what a perfect model of independent draws
would give) and independent columns.
"""

from __future__ import annotations

import numpy as np

from benchmarks._data import Codes
from benchmarks._metrics import distances
from benchmarks._ours import fit, load_table, sample, sizes, stack
from benchmarks._report import Line, Options, main

TARGETS: dict[tuple[str, float], tuple[float, float] | None] = {
    ("nltcs", 1.6): (0.019, 0.033),
    ("nltcs", 0.4): (0.036, 0.058),
    ("nltcs", 0.1): None,
    ("adult_privbayes16", 1.6): (0.049, 0.089),
    ("adult_privbayes16", 0.4): (0.083, 0.136),
    ("adult_privbayes16", 0.1): None,
    ("br2000_privbayes16", 1.6): (0.034, 0.060),
    ("br2000_privbayes16", 0.4): None,
    ("br2000_privbayes16", 0.1): None,
}
SEEDS, QUICK_SEEDS = 10, 3


def run(options: Options) -> list[Line]:
    n_seeds = QUICK_SEEDS if options.quick else SEEDS
    return [compare_one(name, epsilon, target, n_seeds) for (name, epsilon), target in TARGETS.items()]


def compare_one(name: str, epsilon: float, target: tuple[float, float] | None, n_seeds: int) -> Line:
    """One table at one ε."""
    table = load_table(name)
    real, sized = stack(table), sizes(table)
    found = np.array(
        [distances(real, sample(fit(table, epsilon=epsilon, seed=s), table.n, seed=s), sized) for s in range(n_seeds)]
    )
    two, three = found.mean(axis=0)
    error = found.std(axis=0, ddof=1) / np.sqrt(n_seeds)
    fresh, unrelated = distances(real, redrawn(real), sized), distances(real, independent(real), sized)
    return Line(
        f"utility, {name}, ε = {epsilon:g}: mean 2-way / 3-way distance, {n_seeds} seeds",
        f"{two:.4f} / {three:.4f} (± {error[0]:.4f} / {error[1]:.4f})",
        f"fresh sample {fresh[0]:.3f} / {fresh[1]:.3f}, independent columns {unrelated[0]:.3f} / {unrelated[1]:.3f}",
        None if target is None else target[1] / three,
        "" if target is None else f"at most {target[0]:.3f} / {target[1]:.3f}",
        None if target is None else bool(two <= target[0] and three <= target[1]),
    )


def redrawn(real: Codes) -> Codes:
    """As many real rows, drawn with replacement."""
    return real[np.random.default_rng(1).integers(len(real), size=len(real))]


def independent(real: Codes) -> Codes:
    """Every column shuffled on its own."""
    rng = np.random.default_rng(1)
    return np.stack([rng.permutation(column) for column in real.T], axis=1)


if __name__ == "__main__":
    main(run)
