"""What becomes of raw numbers when ranges are all that is declared of them, sensible ones or ten times too wide.

    python -m benchmarks.numbers --epsilon 1 --seeds 31 32 33
    python -m benchmarks.numbers --only adult --rows 3000 --columns

Over the numeric columns of a table, on average: Kolmogorov–Smirnov distance of raw values; errors of mean and median in
standard deviations; how far the deviation is off, as a part of it; the error of the most frequent value's share. Beside
`bins: auto` stand 16 bins of equal width, which a range without `bins` used to have. `--tables` is a folder that
`benchmarks/peers/make_numbers.py` filled, with the Python of its own environment.
"""

from __future__ import annotations

import argparse
import json
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
MADE = Path(".bench/numbers")
Floats = npt.NDArray[np.float64]
ROUND = ("loans", "couples", "rooms", "insured", "birds", "injuries")
"""Tables of round numbers."""
KINDS = ("integer", "number", "year", "date", "datetime")
SPENDING = {"name": "medical_spending", "type": "integer", "constraints": {"minimum": 0, "maximum": 50_000}}


def tables(made: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Tables with raw numbers, and schemas that declare ranges of them and nothing else: those that are there."""
    found = {"demo": (Path(demo.table_path()), bare(Schema.load(demo.schema_path()).to_dict()))}
    spending = next(i for i, f in enumerate(found["demo"][1]["fields"]) if f["name"] == "medical_spending")
    found["demo"][1]["fields"][spending] = SPENDING  # the bundled schema cuts the tail off
    for name, file in (("adult", DATA / "adult.csv.gz"), ("br2000", DATA / "br2000.csv")):
        if file.exists():
            found[name] = (file, bare(Schema.load(DATA / f"{name}.schema.yaml").to_dict()))
    for name in ("flights", "movies", "food", *ROUND):
        if (made / f"{name}.csv").exists():
            found[name] = (made / f"{name}.csv", json.loads((made / f"{name}.schema.json").read_text()))
    for name in {"adult", "br2000", "flights", "movies", "food", *ROUND} - set(found):
        print(f"{name}: not there, left out")
    return found


def bare(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with nothing but a range for each column that has one."""
    kept = ("name", "type", "constraints", "outside", "decimals")
    fields = [
        {key: field[key] for key in kept if key in field} if is_ranged(field) else field for field in schema["fields"]
    ]
    return {"name": schema["name"], "missingValues": schema.get("missingValues", [""]), "fields": fields}


def is_ranged(field: dict[str, Any]) -> bool:
    """Whether it is a number with a range."""
    return field.get("type") in KINDS and "minimum" in field.get("constraints", {})


def declared(schema: dict[str, Any], *, wide: bool, even: bool) -> dict[str, Any]:
    """The schema with ranges ten times as wide, or with 16 bins of equal width, as is wanted."""
    fields = [json.loads(json.dumps(field)) for field in schema["fields"]]
    for field in filter(is_ranged, fields):
        ends = field["constraints"]
        if wide and field["type"] in ("integer", "number"):
            ends["minimum"], ends["maximum"] = min(ends["minimum"], 10 * ends["minimum"]), 10 * ends["maximum"]
        whole = field["type"] in ("integer", "year")
        if even:
            field["bins"] = min(16, ends["maximum"] - ends["minimum"] + 1) if whole else 16
    return {**schema, "fields": fields}


def values_of(column: pd.Series, kind: str) -> Floats:
    """A column as numbers, without missing ones."""
    if kind in ("date", "datetime"):
        moments = pd.to_datetime(column, utc=True).dropna()
        return (moments - pd.Timestamp("1970-01-01", tz="UTC")).dt.total_seconds().to_numpy(float)
    return pd.to_numeric(column, errors="coerce").dropna().to_numpy(float)


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


def compare(schema: dict[str, Any], real: pd.DataFrame, made: pd.DataFrame) -> dict[str, tuple[float, ...]]:
    """The five measures of every column with a range."""
    kinds = {field["name"]: field["type"] for field in schema["fields"] if is_ranged(field)}
    return {name: distances(values_of(real[name], kind), values_of(made[name], kind)) for name, kind in kinds.items()}


def run(
    table: Path, schema: dict[str, Any], *, epsilon: str, seed: int, rows: int | None = None
) -> dict[str, tuple[float, ...]]:
    """One release, column by column, of so many rows that are chosen by the seed, or of all."""
    real = pd.read_csv(table)
    given: Any = table
    if rows is not None and rows < len(real):
        given = real = real.sample(rows, random_state=seed).reset_index(drop=True)
    with tempfile.TemporaryDirectory() as home:
        release = understudy.publish(given, schema=schema, epsilon=epsilon, seed=seed, out=Path(home, "release"))
        return compare(schema, real, pd.read_csv(release.synthetic))


def main() -> None:
    """A line for each table, kind of range and kind of bins."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--seeds", type=int, nargs="+", default=[31, 32, 33])
    parser.add_argument("--tables", type=Path, default=MADE)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--rows", type=int, help="of samples of so many rows")
    parser.add_argument("--columns", action="store_true", help="a line for each column, too")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("table    range  bins   KS      mean    median  sd      spike", flush=True)
    for name, (table, schema) in tables(asked.tables).items():
        for wide, even in ((False, False), (True, False), (False, True)):
            if asked.only and name not in asked.only:
                continue
            given = declared(schema, wide=wide, even=even)
            runs = [run(table, given, epsilon=asked.epsilon, seed=seed, rows=asked.rows) for seed in asked.seeds]
            label = f"{name:8} {'×10' if wide else '':5}  {'16' if even else 'auto':5}"
            print(label, line([list(one.values()) for one in runs]), flush=True)
            for column in runs[0] if asked.columns else ():
                print(f"    {column:24}", line([[one[column]] for one in runs]), flush=True)


def line(each: list[list[tuple[float, ...]]]) -> str:
    """The measures on average over seeds and columns."""
    return "  ".join(f"{value:.4f}" for value in np.mean(each, axis=(0, 1)))


if __name__ == "__main__":
    main()
