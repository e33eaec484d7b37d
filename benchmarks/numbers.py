"""What becomes of raw numbers: a release with `bins: auto` beside one with the bins that the schema declares.

    python -m benchmarks.numbers --epsilon 1 --seeds 31 32 33

Over the numeric columns of a table, on average: Kolmogorov–Smirnov distance of raw values; errors of mean and median in
standard deviations; how far the deviation is off, as a part of it; the error of the most frequent value's share.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

import understudy
from understudy import demo
from understudy.schema import Schema

DATA = Path(os.environ.get("UNDERSTUDY_DATA", "../shared/data"))
Floats = npt.NDArray[np.float64]


def tables() -> dict[str, tuple[Path, Path]]:
    """Tables with raw numbers, and their schemas: those that are there."""
    found = {"demo": (Path(demo.table_path()), Path(demo.schema_path()))}
    for name, file in (("adult", "adult.csv.gz"), ("br2000", "br2000.csv")):
        if (DATA / file).exists():
            found[name] = (DATA / file, DATA / f"{name}.schema.yaml")
        else:
            print(f"{name}: not in {DATA}, left out")
    return found


def schema_of(path: Path, *, automatic: bool) -> tuple[dict[str, Any], list[str]]:
    """The schema, with `bins: auto` for every column that has a range if that is wanted, and the names of those."""
    content = Schema.load(path).to_dict()
    names = []
    for field in content["fields"]:
        if field.get("type") in ("integer", "number") and "minimum" in field.get("constraints", {}):
            names.append(field["name"])
            if automatic:
                field["bins"] = "auto"
                field.pop("taxonomy", None)
    return content, names


def distances(real: Floats, made: Floats) -> tuple[float, ...]:
    """The five measures of one column."""
    points = np.union1d(real, made)
    below = [np.searchsorted(np.sort(values), points, side="right") / len(values) for values in (real, made)]
    deviation, often = real.std(), pd.Series(real).mode()[0]
    return (
        float(np.abs(below[0] - below[1]).max()),
        abs(real.mean() - made.mean()) / deviation,
        abs(float(np.median(real)) - float(np.median(made))) / deviation,
        abs(made.std() / deviation - 1),
        abs(float((real == often).mean()) - float((made == often).mean())),
    )


def run(table: Path, schema: Path, *, automatic: bool, epsilon: str, seed: int) -> list[tuple[float, ...]]:
    """One release, column by column."""
    content, names = schema_of(schema, automatic=automatic)
    with tempfile.TemporaryDirectory() as home:
        release = understudy.publish(table, schema=content, epsilon=epsilon, seed=seed, out=Path(home, "release"))
        real, made = pd.read_csv(table), pd.read_csv(release.synthetic)
    columns = [[pd.to_numeric(frame[name], errors="coerce").dropna() for frame in (real, made)] for name in names]
    return [distances(one.to_numpy(float), other.to_numpy(float)) for one, other in columns]


def main() -> None:
    """A line for each table and kind of bins."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--seeds", type=int, nargs="+", default=[31, 32, 33])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("table    bins      KS      mean    median  sd      spike")
    for name, (table, schema) in tables().items():
        for automatic in (True, False):
            each = [run(table, schema, automatic=automatic, epsilon=asked.epsilon, seed=s) for s in asked.seeds]
            values = "  ".join(f"{value:.4f}" for value in np.mean(each, axis=(0, 1)))
            print(f"{name:8} {'auto' if automatic else 'declared':8}  {values}", flush=True)


if __name__ == "__main__":
    main()
