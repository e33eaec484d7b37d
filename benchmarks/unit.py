"""What it costs to protect people who have several rows: bounds, dropping and weighing beside a fifth of ε for a row.

Whoever has no unit column can divide ε: a run at ε/5 for one row keeps ε for five rows, if nobody has more and the
number of a person's rows may be known. Here it stands beside units with a bound, on all years of the demo's people (1
to 5 rows each) and on a made table with exactly 5 rows a person.

Each run is held against the whole table, as its user would, and against what its bound lets count: the same rows, each
weighted by min(m, k)/m where its person has m of them. That is what dropping gives on average, and weighing exactly.
How far that truth is from the whole table has nothing to do with noise: it is the bias.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import expm1
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow.csv import read_csv

from benchmarks._data import Codes
from benchmarks._made import binary_table
from benchmarks._metrics import pairs, triples
from benchmarks._ours import sizes, stack
from benchmarks._report import Line, Options, main
from understudy import PrivBayes, Schema, demo
from understudy.tables import read_table

Floats = npt.NDArray[np.float64]

ROWS, DELTA = 5, 1e-9
EPSILONS = (1, 4)
SEEDS, QUICK_SEEDS = 20, 2
PEOPLE = 4000


@dataclass(frozen=True)
class Years:
    """A table in which people have several rows."""

    name: str
    source: pa.Table
    schema: Schema
    person: npt.NDArray[np.int64]
    codes: Codes
    sizes: list[int]

    def share(self, bound: int) -> Floats:
        """How much of each row counts, if a person may count for so many rows."""
        rows = np.bincount(self.person)[self.person]
        return np.minimum(rows, bound) / rows


@dataclass(frozen=True)
class Strategy:
    """A way to protect a person; `bound` None: no unit, and a fifth of the budget."""

    words: str
    bound: int | None = None
    bounding: str = "drop"

    def options(self, epsilon: int, delta: float | None) -> dict[str, Any]:
        """For the estimator."""
        if self.bound is not None:
            unit = {"unit": "person", "max_rows": self.bound, "bounding": self.bounding}
            return {"epsilon": epsilon, "delta": delta or 0, "neighbours": "replace-one", **unit}
        # by group privacy five rows have ε, and δ grows by (e^ε − 1)/(e^(ε/5) − 1)
        less = 0 if delta is None else delta * expm1(epsilon / ROWS) / expm1(epsilon)
        return {"epsilon": Fraction(epsilon, ROWS), "delta": less, "neighbours": "replace-one"}


DIVIDED = Strategy("rows at ε/5")
STRATEGIES = [
    *(Strategy(f"k = {bound}, drop", bound) for bound in (5, 3, 2, 1)),
    *(Strategy(f"k = {bound}, weigh", bound, "weigh") for bound in (2, 1)),
]


def run(options: Options) -> list[Line]:
    lines = []
    for years in (visits(), made()):
        lines += [bias(years, bound) for bound in (3, 2, 1)]
        for epsilon in EPSILONS:
            for delta in (None, DELTA):
                lines += compare(years, epsilon, delta, QUICK_SEEDS if options.quick else SEEDS)
    return lines


def visits() -> Years:
    """All years of the demo's people."""
    return of("demo-visits", read_csv(demo.visits_path()), Schema.load(demo.visits_schema_path()))


def made() -> Years:
    """Exactly five rows a person; eight of sixteen columns stay the same in them."""
    columns, content = binary_table(PEOPLE * ROWS, 16, seed=12, alike=ROWS, stay=8)
    schema = Schema.from_dict({**content, "fieldsMatch": "subset"})
    person = np.repeat(np.arange(PEOPLE), ROWS)
    return of("made", pa.table({"person": person, **dict(zip(schema.names, columns, strict=True))}), schema)


def of(name: str, source: pa.Table, schema: Schema) -> Years:
    """A table with what is needed to hold others against it."""
    table = read_table(source, schema)
    person = source.column("person").cast(pa.int64()).to_numpy()
    return Years(name, source, schema, person, stack(table), sizes(table))


def compare(years: Years, epsilon: int, delta: float | None, n_seeds: int) -> list[Line]:
    """All strategies under one promise, each beside the run at a fifth of the budget."""
    promise = f"ε = {epsilon}" if delta is None else f"(ε = {epsilon}, δ = {delta:g})"
    whole = np.ones(len(years.person))
    divided = errors(years, DIVIDED, epsilon, delta, n_seeds, whole)[0]
    lines = []
    for strategy in STRATEGIES:
        counted = years.share(strategy.bound or ROWS)
        to_whole, to_counted = errors(years, strategy, epsilon, delta, n_seeds, whole, counted)
        lines.append(
            Line(
                f"unit, {years.name}, {promise}, {strategy.words}: mean 2- and 3-way distance, {n_seeds} seeds",
                f"{to_whole[0]:.4f}, {to_whole[1]:.4f}; to what counts {to_counted[0]:.4f}, {to_counted[1]:.4f}",
                f"{DIVIDED.words}: {divided[0]:.4f}, {divided[1]:.4f}",
                divided[1] / to_whole[1],
            )
        )
    return lines


def errors(
    years: Years, strategy: Strategy, epsilon: int, delta: float | None, n_seeds: int, *truths: Floats
) -> list[tuple[float, float]]:
    """Mean 2- and 3-way distances of synthetic tables, as long as the real one, to the real rows so weighted."""
    found = []
    for seed in range(n_seeds):
        model = PrivBayes(seed=seed, **strategy.options(epsilon, delta)).fit(years.source, years.schema)
        drawn = stack(read_table(model.sample(len(years.person), seed=seed), years.schema))
        found.append([distances(years, truth, drawn) for truth in truths])
    return [(float(two), float(three)) for two, three in np.mean(found, axis=0)]


def bias(years: Years, bound: int) -> Line:
    """How far the rows that count are from the whole table, without any noise."""
    two, three = distances(years, years.share(bound), years.codes)
    counted, n = years.share(bound).sum(), len(years.person)
    task = f"unit, {years.name}, k = {bound}: mean 2- and 3-way distance of what counts from the whole table"
    return Line(task, f"{two:.4f}, {three:.4f}", f"{round(counted):,} of {n:,} rows count")


def distances(years: Years, weights: Floats, drawn: Codes) -> tuple[float, float]:
    """Mean 2- and 3-way distance between the real rows, weighted, and drawn ones."""
    d = len(years.sizes)
    two, three = (
        float(np.mean([gap(years, weights, drawn, columns) for columns in groups])) for groups in (pairs(d), triples(d))
    )
    return two, three


def gap(years: Years, weights: Floats, drawn: Codes, columns: tuple[int, ...]) -> float:
    """The total variation distance of one table."""
    shape = tuple(years.sizes[c] for c in columns)
    real, other = (np.ravel_multi_index(tuple(codes[:, c] for c in columns), shape) for codes in (years.codes, drawn))
    cells = int(np.prod(shape))
    shares = np.bincount(real, weights=weights, minlength=cells) / weights.sum()
    return float(np.abs(shares - np.bincount(other, minlength=cells) / len(drawn)).sum() / 2)


if __name__ == "__main__":
    main(run)
