"""How often the 95 % intervals of questions about numbers hold the truth.

    python -m benchmarks.asked demo br2000 --runs 20

Seeded rehearsals at ε = 1 under the default promise. The truth is that of the real table's raw values, kept inside
their range. Intervals cover noise and where values lie inside bins, not what the model leaves out: questions under a
condition are counted by themselves where the column and the condition were never measured together, and there they miss
more often. Beside each stands how wide the intervals are in the middle, as a part of the truth.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import understudy
from understudy import demo
from understudy.schema import Schema

DATA = Path(os.environ.get("UNDERSTUDY_DATA", "../shared/data"))


def tables() -> dict[str, tuple[Path, Path]]:
    """Tables with raw numbers, and their schemas: those that are there."""
    found = {"demo": (Path(demo.table_path()), Path(demo.schema_path()))}
    if (DATA / "br2000.csv").exists():
        found["br2000"] = (DATA / "br2000.csv", DATA / "br2000.schema.yaml")
    return found


def schema_of(path: Path, *, automatic: bool) -> tuple[dict[str, Any], list[str]]:
    """The schema, with `bins: auto` for every column that has a range if that is wanted, and the names of those."""
    content, names = Schema.load(path).to_dict(), []
    for field in content["fields"]:
        if field.get("type") in ("integer", "number") and "minimum" in field.get("constraints", {}):
            names.append(field["name"])
            if automatic:
                field["bins"] = "auto"
                field.pop("taxonomy", None)
    return content, names


def questions(frame: pd.DataFrame, schema: Schema, names: list[str]) -> dict[str, Any]:
    """Questions about every numeric column → the truth of the raw values."""
    found: dict[str, Any] = {}
    texts = [field for field in schema.fields if field.type == "string" and field.bins is None][:2]
    for name in names:
        column = frame[name].dropna()
        middle = column.quantile(0.6)
        found[f"mean({name})"] = column.mean()
        found[f"sd({name})"] = column.std()
        found[f"sum({name})"] = column.sum()
        found[f"median({name})"] = column.quantile(0.5, interpolation="lower")
        found[f"quantile({name}, 0.9)"] = column.quantile(0.9, interpolation="lower")
        found[f"share({name} > {middle:g})"] = (frame[name] > float(f"{middle:g}")).mean()
        for field in texts:
            often = frame[field.name].mode()[0]
            rows = frame[frame[field.name] == often]
            found[f"mean({name}) | {field.name}='{often}'"] = rows[name].mean()
            found[f"count({name} > {middle:g}) | {field.name}='{often}'"] = (rows[name] > float(f"{middle:g}")).sum()
    return found


def kept_inside(frame: pd.DataFrame, content: dict[str, Any]) -> pd.DataFrame:
    """The table with numbers beyond their range at its ends, as the schema has them read."""
    for field in content["fields"]:
        if "minimum" in field.get("constraints", {}) and field["type"] in ("integer", "number"):
            name, ends = field["name"], field["constraints"]
            frame[name] = frame[name].clip(ends["minimum"], ends["maximum"])
    return frame


def run(table: Path, schema: Path, *, automatic: bool, runs: int) -> dict[str, list[tuple[bool, float]]]:
    """For each kind of question, whether the interval held the truth and its width, in every run for every column."""
    content, names = schema_of(schema, automatic=automatic)
    read = Schema.from_dict(content)
    asked = questions(kept_inside(pd.read_csv(table), content), read, names)
    hits: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for seed in range(runs):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            release = understudy.publish(table, schema=content, epsilon=1, out=f"{folder}/r", seed=seed)
        for question, truth in asked.items():
            answer = release.model.query(question)
            (figure,) = answer.figures  # type: ignore[union-attr]
            apart = any("never measured together" in note for note in answer.notes)
            kind = question.split("(")[0] + (f" | {'apart' if apart else 'together'}" if "|" in question else "")
            low, high = float(figure.low), float(figure.high)  # type: ignore[arg-type]
            hits[kind].append((low <= truth <= high, (high - low) / max(abs(truth), 1e-9)))
    return hits


def main() -> None:
    """Print a line for each kind of question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["demo", "br2000"])
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    for name in options.names:
        for automatic in (False, True):
            hits = run(*tables()[name], automatic=automatic, runs=options.runs)
            print(f"{name}, bins {'auto' if automatic else 'as declared'}, {options.runs} runs")
            for kind, found in hits.items():
                held, widths = zip(*found, strict=True)
                print(f"  {kind:16} {np.mean(held):6.1%} of {len(held)}, width {np.median(widths):.2f}", flush=True)


if __name__ == "__main__":
    main()
