"""What it brings to bend what a model expects of tables along columns in order, with `bins: auto`: with it and without.

    python -m benchmarks.along --epsilon 1 --seeds 61 62 63 --only food loans

The mean error (total variation) of 2-way and of 3-way tables in eighths of the real values; over pairs of numbers whose
Spearman correlation is beyond 0.15, how many lose more than a third of it, and which part of it is kept in the mean.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from contextlib import nullcontext
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

import understudy
from benchmarks.numbers import MADE, is_ranged, tables
from benchmarks.numbers_relations import Real, errors, neutral
from understudy.schema import Schema
from understudy.tables import read_table

CLEAR, LOST = 0.15, 2 / 3
BENT = "understudy.methods._adaptive_shrink.bent"


def numbers_of(schema: dict[str, Any]) -> list[str]:
    """Its columns of numbers."""
    return [f["name"] for f in schema["fields"] if is_ranged(f) and f["type"] in ("integer", "number")]


def in_eighths(table: Path, schema: dict[str, Any]) -> Schema:
    """The schema by which errors are measured."""
    numbers = numbers_of(schema)
    fields = [
        {**f, "bins": 8} if f["name"] in numbers else f
        for f in schema["fields"]
        if f["name"] in numbers or not is_ranged(f)
    ]
    found = neutral(table, {**schema, "fields": fields, "fieldsMatch": "subset"})
    return Schema.from_dict({key: value for key, value in found.items() if key != "dependencies"})


def kept(real: pd.DataFrame, made: pd.DataFrame, names: list[str]) -> list[float]:
    """For each clear pair of numbers, which part of its correlation the synthetic rows have."""
    found = []
    for pair in combinations(names, 2):
        there, here = (
            rows[list(pair)].apply(pd.to_numeric, errors="coerce").corr("spearman").to_numpy()[0, 1]
            for rows in (real, made)
        )
        if abs(there) > CLEAR:
            found.append(float(here / there))
    return found


def run(table: Path, schema: dict[str, Any], real: Real, epsilon: float, seed: int) -> list[float]:
    """Errors of a release, part of clear correlations that are lost, and that is kept."""
    with tempfile.TemporaryDirectory() as home, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = understudy.publish(table, schema=schema, epsilon=epsilon, seed=seed, out=Path(home, "release"))
        parts = kept(pd.read_csv(table), pd.read_csv(release.synthetic), numbers_of(schema))
        return [*errors(real, release.synthetic), float(np.mean(np.array(parts) < LOST)), float(np.mean(parts))]


def main() -> None:
    """Two lines for each table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[61, 62, 63])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--tables", type=Path, default=MADE)
    asked = parser.parse_args()
    print("2-way error  3-way error  correlations lost  kept", flush=True)
    for name, (table, schema) in tables(asked.tables).items():
        if asked.only and name not in asked.only:
            continue
        found = in_eighths(table, schema)
        real = [(found, read_table(table, found))]
        for words in ("without", "with"):
            with mock.patch(BENT, lambda table, expected, *_: expected) if words == "without" else nullcontext():
                line = np.mean([run(table, schema, real, asked.epsilon, seed) for seed in asked.seeds], axis=0)
            print(f"{name:10} {words:8}", *(f"{value:.4f}" for value in line), flush=True)


if __name__ == "__main__":
    main()
