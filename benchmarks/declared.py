"""What declared dependencies are worth: a made table, fitted without and with them, at several ε.

    python -m benchmarks.declared 0.2 0.4 1 3

An industry determines its sector, a start is never later than its end; other columns follow from these. Error is the
total variation distance of tables of as many rows, mean of three seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import Adaptive
from understudy.privacy import ADD_REMOVE, make_budget, make_noise, open_curator
from understudy.schema import Marginal, Schema
from understudy.tables import Table

ROWS, INDUSTRIES, SECTORS, SEEDS = 20_000, 120, 12, 3
DECLARED = [{"determines": ["industry"], "column": "sector"}, {"lower": "start", "upper": "end"}]
INDUSTRY, SECTOR, START, END = 0, 1, 6, 7

Ints = npt.NDArray[np.int64]


def made_columns() -> tuple[dict[str, tuple[Ints, int]], Ints]:
    """Columns with their numbers of values, and the sector of each industry."""
    rng = Streams(5).get("declared")
    often = 1 / np.arange(1, INDUSTRIES + 1)
    sector_of = rng.integers(0, SECTORS, INDUSTRIES)
    industry = rng.choice(INDUSTRIES, ROWS, p=often / often.sum())
    sector = sector_of[industry]
    region = np.where(rng.random(ROWS) < 0.4, sector % 8, rng.integers(0, 8, ROWS))
    wage = np.clip((sector + rng.normal(0, 2.5, ROWS) + 4) // 2, 0, 9).astype(np.int64)
    sex = (rng.random(ROWS) < 0.2 + 0.05 * sector).astype(np.int64)
    education = np.clip(wage // 2 + rng.integers(-1, 2, ROWS), 0, 5)
    start = rng.integers(0, 24, ROWS)
    end = np.minimum(start + rng.geometric(0.2, ROWS) - 1, 23)
    columns = {
        "industry": (industry, INDUSTRIES), "sector": (sector, SECTORS), "region": (region, 8), "wage": (wage, 10),
        "sex": (sex, 2), "education": (education, 6), "start": (start, 24), "end": (end, 24),
    }  # fmt: skip
    return columns, sector_of


def made_table(columns: dict[str, tuple[Ints, int]], *, declared: bool) -> Table:
    """The table under a schema that declares the dependencies, or does not."""
    number = {"type": "integer", "bins": 24, "constraints": {"minimum": 0, "maximum": 23}}
    fields = [
        {"name": name, **(number if name in ("start", "end") else {"categories": [f"{name} {i}" for i in range(size)]})}
        for name, (_, size) in columns.items()
    ]
    schema = Schema.from_dict({"fields": fields, **({"dependencies": DECLARED} if declared else {})})
    return Table(schema.domain, tuple(codes.astype(np.uint8) for codes, _ in columns.values()))


def run(table: Table, sector_of: Ints, epsilon: str, seed: int) -> list[float]:
    """Errors of the two pairs and of all three-way tables, and the shares of rows that are wrong."""
    curator = open_curator(
        MemoryCounter(table), budget=make_budget(epsilon, "1e-9"), neighbours=ADD_REMOVE, noise=make_noise(seed=seed)
    )
    model = Adaptive().fit(curator, streams=Streams(seed))
    drawn = next(model.sample_codes(ROWS, streams=Streams(seed)))
    real, synthetic = MemoryCounter(table), MemoryCounter(Table(table.domain, tuple(drawn)))

    def error(groups: Sequence[tuple[int, ...]]) -> float:
        marginals = [Marginal.of(*group) for group in groups]
        pairs = zip(real.count(marginals), synthetic.count(marginals), strict=True)
        return float(np.mean([np.abs(one - other).sum() / (2 * ROWS) for one, other in pairs]))

    return [
        error([(INDUSTRY, SECTOR)]),
        error([(START, END)]),
        error(list(combinations(range(len(table.domain)), 3))),
        float(np.mean(drawn[START] > drawn[END])),
        float(np.mean(sector_of[drawn[INDUSTRY]] != drawn[SECTOR])),
    ]


def main() -> None:
    """A line for each ε, without and with what is declared."""
    columns, sector_of = made_columns()
    print("epsilon declared  industry-sector  start-end  three-way  order broken  wrong sector")
    for epsilon in sys.argv[1:] or ["1"]:
        for declared in (False, True):
            table = made_table(columns, declared=declared)
            found = np.mean([run(table, sector_of, epsilon, seed) for seed in range(SEEDS)], axis=0)
            print(f"{epsilon:>7} {declared!s:>8}  " + "  ".join(f"{value:.4f}" for value in found), flush=True)


if __name__ == "__main__":
    main()
