"""How often the 95 % intervals of questions about numbers hold the truth.

    python -m benchmarks.asked demo br2000 --runs 20

Seeded rehearsals at ε = 1 under the default promise. The truth is the real table's. With bins as declared it is that of
the real rows in their bins, values spread evenly inside: what such a release can know. With `bins: auto` it is that of
the raw values. Intervals cover noise, not what the model leaves out: questions under a condition are counted by
themselves where the column and the condition were never measured together, and there they miss more often.
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
from understudy.models import Estimate, Evidence
from understudy.release import PublishedModel, Statement
from understudy.schema import Marginal, Schema
from understudy.tables import Table, read_table

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


class Rows:
    """A table's own rows, asked as a model is."""

    kind = "rows of the real table"

    def __init__(self, table: Table) -> None:
        self.table, self.domain, self.n = table, table.domain, table.n

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The exact shares of one column."""
        weights = np.ones(self.n)
        for attribute, allowed in (evidence or {}).items():
            weights *= np.asarray(allowed)[self.table.columns[attribute]]
        (attribute,) = marginal.attributes
        found = np.bincount(self.table.columns[attribute], weights=weights, minlength=self.domain[attribute].size)
        return Estimate(probabilities=found / found.sum())


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


def run(table: Path, schema: Path, *, automatic: bool, runs: int) -> dict[str, list[bool]]:
    """For each kind of question, whether the interval held the truth, in every run and for every column."""
    content, names = schema_of(schema, automatic=automatic)
    read = Schema.from_dict(content)
    asked = questions(pd.read_csv(table), read, names)
    if not automatic:
        real = PublishedModel(read, Rows(read_table(table, read)), Statement.example())  # type: ignore[arg-type]
        scaled = PublishedModel(read, real.model, Statement.example(n_rows=real.model.n))
        asked = {question: scaled.query(question).value for question in asked}  # type: ignore[union-attr]
    hits: dict[str, list[bool]] = defaultdict(list)
    for seed in range(runs):
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            release = understudy.publish(table, schema=content, epsilon=1, out=f"{folder}/r", seed=seed)
        for question, truth in asked.items():
            answer = release.model.query(question)
            (figure,) = answer.figures  # type: ignore[union-attr]
            apart = any("never measured together" in note for note in answer.notes)
            kind = question.split("(")[0] + (f" | {'apart' if apart else 'together'}" if "|" in question else "")
            hits[kind].append(figure.low <= truth <= figure.high)
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
                print(f"  {kind:16} {np.mean(found):6.1%} of {len(found)}", flush=True)


if __name__ == "__main__":
    main()
