"""What it brings to ask how many rows lie at round numbers, and what it costs columns that nobody rounded.

    python -m benchmarks.heaps --seeds 61 62 63 64 65 66
    python -m benchmarks.heaps --asked --seeds 0 1 2 3 4 5 6 7 8 9 10 11

The figures of `benchmarks.numbers`, with the question and without it; `benchmarks/peers/make_numbers.py` makes the
tables. Or of answers about a made table of amounts, days and weights (`--asked`): how far shares are off, how often
their 95 % intervals hold the truth, and how wide they are.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

import understudy
from benchmarks.numbers import MADE, ROUND, declared, line, run, tables

ASKED = "understudy.numbers._resolve.may_have_heaps"
POINTS = {
    "amount": (1_000, 2_000, 4_500, 5_000, 7_000, 10_000),
    "days": (100, 200, 250, 300, 500),
    "weight": (60, 70, 75, 80, 90),
}
RANGES = {"amount": 15_000, "days": 3_000, "weight": 300}


def made(n: int) -> pd.DataFrame:
    """Amounts, days and weights that most people round."""
    rng = np.random.default_rng(1)
    step = rng.choice([1_000, 500, 100, 5], n, p=[0.35, 0.4, 0.15, 0.1])
    amount = np.clip(np.round(rng.gamma(2.2, 2_500, n) / step) * step, 100, 15_000).astype(int)
    days, weight = rng.gamma(2, 150, n).astype(int), np.round(rng.normal(75, 14, n), 1)
    days = np.where(rng.random(n) < 0.5, np.round(days / 50) * 50, days).clip(0, 2_999).astype(int)
    weight = np.where(rng.random(n) < 0.7, np.round(weight / 5) * 5, weight).clip(30, 200)
    return pd.DataFrame({"amount": amount, "days": days, "weight": weight, "group": rng.choice(list("abcd"), n)})


def answers(n: int, seeds: list[int]) -> None:
    """A line for each kind of share."""
    table, found = made(n), defaultdict(list)
    fields = [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": RANGES[name]}} for name in RANGES
    ]
    fields[-1] |= {"type": "number", "decimals": 1}
    schema = {"fields": [*fields, {"name": "group", "categories": list("abcd")}]}
    for seed in seeds:
        with tempfile.TemporaryDirectory() as home:
            understudy.publish(table, schema=schema, epsilon=1, seed=seed, out=Path(home, "release"))
            model = understudy.load(Path(home, "release", "model.understudy"))
        for column, points in POINTS.items():
            for point in points:
                values = table[column]
                for kind, meant in (("=", values == point), (">", values > point), (">=", values >= point)):
                    answer = model.query(f"share({column}{kind}{point})")
                    held = answer.low <= meant.mean() <= answer.high
                    found[kind].append((abs(answer.value - meant.mean()), held, answer.high - answer.low))
    for kind, each in found.items():
        off, held, width = np.mean(each, axis=0)
        print(f"{n:6} rows  share(x {kind:2} point)  off by {off:.4f}  held {held:.3f}  width {width:.4f}", flush=True)


def figures(seeds: list[int], folder: Path, only: list[str]) -> None:
    """Two lines for each table and kind of range."""
    print("table    range             KS      mean    median  sd      spike", flush=True)
    for name, (table, schema) in tables(folder).items():
        for wide in (False, True) if name in only else ():
            given = declared(schema, wide=wide, even=False)
            runs = [run(table, given, epsilon="1", seed=seed) for seed in seeds]
            with mock.patch(ASKED, return_value=False):
                without = [run(table, given, epsilon="1", seed=seed) for seed in seeds]
            for kind, some in (("asked", runs), ("without", without)):
                print(
                    f"{name:8} {'×10' if wide else '':5}  {kind:8}",
                    line([list(one.values()) for one in some]),
                    flush=True,
                )


def main() -> None:
    """Figures of tables, or of answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[61, 62, 63])
    parser.add_argument("--tables", type=Path, default=MADE)
    parser.add_argument("--only", nargs="+", default=ROUND)
    parser.add_argument("--asked", action="store_true", help="of answers about a made table")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if not given.asked:
        figures(given.seeds, given.tables, given.only)
        return
    for n in (2_500, 6_000):
        answers(n, given.seeds)
        print("without:")
        with mock.patch(ASKED, return_value=False):
            answers(n, given.seeds)


if __name__ == "__main__":
    main()
