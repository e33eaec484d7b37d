"""What `bins: auto` costs relations: the error of all 2-way and 3-way tables beside a release with bins chosen by hand.

    python -m benchmarks.numbers_relations --seeds 31 32 33 34 --only demo adult

The error is the mean total variation distance to the real rows, all releases read back into the same bins: those by
hand, which gives these every advantage; eighths of the real values; 16 of equal width. The demo has the edges of its
bundled schema, the others edges that a reader of a codebook might declare, written down before any result was seen.
Beside `auto` stands what it would reach if values inside its bins were drawn from the real ones of the bin ("shapes
known"): what is left of the difference then is the share spent, relations inside bins, and more cells to measure.
`--tables` is a folder that `benchmarks/peers/make_numbers.py` filled.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import understudy
from benchmarks._flagship_runs import distances, tables_of
from benchmarks.numbers import DATA, MADE, is_ranged
from understudy import demo
from understudy.release import load_model
from understudy.schema import Schema
from understudy.tables import Table, read_table

EDGES: dict[str, dict[str, list[float]]] = {
    "adult": {
        "age": [17, 22, 25, 30, 35, 40, 45, 50, 55, 60, 65, 75, 90],
        "fnlwgt": [10_000, 50_000, 100_000, 150_000, 200_000, 250_000, 300_000, 400_000, 1_500_000],
        "capital-gain": [0, 1, 2_000, 4_000, 5_000, 8_000, 15_000, 50_000, 100_000],
        "capital-loss": [0, 1, 1_500, 1_800, 2_000, 2_500, 5_000],
        "hours-per-week": [1, 10, 20, 30, 35, 40, 41, 45, 50, 60, 99],
    },
    "br2000": {
        "b02": [0, 1, 2, 3, 4, 6, 8, 12, 21],
        "b04_age": [0, 18, 25, 35, 45, 55, 65, 90],
        "b10": [0, 5, 10, 20, 40, 60, 90, 125],
        "b12": [0, 10, 20, 30, 40, 50, 60, 90],
    },
    "flights": {
        "dep_delay": [-60, -5, 0, 1, 15, 30, 60, 120, 1440],
        "arr_delay": [-120, -30, -15, 0, 15, 30, 60, 120, 1440],
        "air_time": [0, 60, 120, 180, 240, 360, 1000],
        "distance": [0, 250, 500, 750, 1000, 1500, 2500, 6000],
    },
    "food": {
        "wfood": [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1],
        "totexp": [0, 100_000, 200_000, 400_000, 800_000, 1_600_000, 20_000_000],
        "age": [0, 25, 35, 45, 55, 65, 75, 120],
        "size": [0, 1, 2, 3, 4, 5, 6, 8, 50],
    },
}
GRIDS = ("by hand", "eighths", "16 even")


def by_hand(made: Path = MADE) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Tables, and schemas with bins by hand: those that are there."""
    found = {"demo": (Path(demo.table_path()), Schema.load(demo.schema_path()).to_dict())}
    for name, file in (("adult", DATA / "adult.csv.gz"), ("br2000", DATA / "br2000.csv")):
        if file.exists():
            found[name] = (file, with_edges(Schema.load(DATA / f"{name}.schema.yaml").to_dict(), EDGES[name]))
    for name in ("flights", "food"):
        if (made / f"{name}.csv").exists():
            schema = json.loads((made / f"{name}.schema.json").read_text())
            found[name] = (made / f"{name}.csv", with_edges({**schema, "fieldsMatch": "subset"}, EDGES[name]))
    return found


def with_edges(schema: dict[str, Any], edges: dict[str, list[float]]) -> dict[str, Any]:
    """The schema with these edges; columns of moments, which have none, are left out."""
    fields = []
    for field in schema["fields"]:
        if field["name"] in edges:
            kept = {key: value for key, value in field.items() if key != "taxonomy"}
            fields.append({**kept, "bins": {"edges": edges[field["name"]], "closed": "left"}})
        elif field["type"] != "datetime":
            fields.append(field)
    return {**schema, "fields": fields}


def automatic(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without its bins."""
    left_out = ("bins", "taxonomy")
    fields = [{k: v for k, v in f.items() if not is_ranged(f) or k not in left_out} for f in schema["fields"]]
    return {**schema, "fields": fields}


def filled(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema with a histogram of what is inside its bins (`inside: auto`)."""
    fields = []
    for field in schema["fields"]:
        bins = field.get("bins")
        if is_ranged(field) and isinstance(bins, int | dict):
            field = {**field, "bins": {**({"count": bins} if isinstance(bins, int) else bins), "inside": "auto"}}
        fields.append(field)
    return {**schema, "fields": fields}


def neutral(table: Path, hand: dict[str, Any]) -> dict[str, Any]:
    """The schema with eighths of the real values as bins, and the least value apart where it fills one by itself."""
    frame, fields = pd.read_csv(table), []
    for field in hand["fields"]:
        if not is_ranged(field) or "bins" not in field:
            fields.append(field)
            continue
        low, high = field["constraints"]["minimum"], field["constraints"]["maximum"]
        values = pd.to_numeric(frame[field["name"]], errors="coerce").dropna().clip(low, high)
        inner = np.quantile(values, np.arange(1, 8) / 8, method="lower").tolist()
        apart = [low + (1 if field["type"] == "integer" else 0.1)] if (values == low).mean() > 1 / 8 else []
        edges = sorted({low, high, *apart, *(round(value, 4) for value in inner if low < value < high)})
        kept = {key: value for key, value in field.items() if key != "taxonomy"}
        fields.append({**kept, "bins": {"edges": edges, "closed": "left"}})
    return {**hand, "fields": fields}


def even(hand: dict[str, Any]) -> dict[str, Any]:
    """The schema with 16 bins of equal width in place of those by hand, or one for each value."""
    fields = []
    for field in hand["fields"]:
        if is_ranged(field) and "bins" in field:
            span = field["constraints"]["maximum"] - field["constraints"]["minimum"]
            few = field["type"] == "integer" and span < 16
            kept = {key: value for key, value in field.items() if key != "taxonomy"}
            field = {**kept, "bins": span + 1 if few else 16}
        fields.append(field)
    return {**hand, "fields": fields}


def with_real_shapes(table: Path, synthetic: Path, found: Schema) -> pd.DataFrame:
    """The synthetic rows with values from the real ones of their bins, spread evenly over these by rank."""
    real, made, rng = pd.read_csv(table), pd.read_csv(synthetic), np.random.default_rng(0)
    bins = [read_table(source, found).columns for source in (table, synthetic)]
    for i, field in enumerate(found.fields):
        if field.bins is None or field.bins.shape is None:
            continue
        values, drawn = real[field.name].to_numpy(), made[field.name].to_numpy().copy()
        for code in range(field.n_main):
            own, rows = np.sort(values[bins[0][i] == code]), np.flatnonzero(bins[1][i] == code)
            if len(own) and len(rows):
                ranks = (np.arange(len(rows)) + 0.5) / len(rows) * len(own)
                drawn[rows] = rng.permutation(own[ranks.astype(np.int64)])
        made[field.name] = drawn
    return made


Real = list[tuple[Schema, Table]]


def errors(real: Real, made: Path | pd.DataFrame) -> list[float]:
    """The mean error of 2-way and of 3-way tables in the bins of each schema."""
    found: list[float] = []
    for schema, rows in real:
        asked = [tables_of(len(rows.columns), width) for width in (2, 3)]
        read = read_table(made, schema)
        found += [float(np.mean(distances(rows, read, tables))) for tables in asked]
    return found


def run(table: Path, hand: dict[str, Any], real: Real, seed: int) -> list[list[float]]:
    """The errors of one seed: by hand, the same filled, `auto`, and `auto` with the real shapes inside its bins."""
    found = []
    with tempfile.TemporaryDirectory() as home:
        for name, given in (("hand", hand), ("inside", filled(hand)), ("auto", automatic(hand))):
            release = understudy.publish(table, schema=given, epsilon=1, seed=seed, out=Path(home, name))
            found.append(errors(real, release.synthetic))
        schema = load_model(Path(home, "auto", "model.understudy")).schema
        return [*found, errors(real, with_real_shapes(table, release.synthetic, schema))]


def main() -> None:
    """A line for each table and kind of bins."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[31, 32, 33])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--tables", type=Path, default=MADE)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("2-way and 3-way error", *GRIDS, sep="  ", flush=True)
    for name, (table, hand) in by_hand(asked.tables).items():
        if asked.only and name not in asked.only:
            continue
        schemas = [Schema.from_dict(schema) for schema in (hand, neutral(table, hand), even(hand))]
        real = [(schema, read_table(table, schema)) for schema in schemas]
        found = np.mean([run(table, hand, real, seed) for seed in asked.seeds], axis=0)
        labels = ("hand", "hand, inside", "auto", "shapes known")
        for label, line in zip(labels, found, strict=True):
            print(f"{name:8} {label:12}", *(f"{value:.4f}" for value in line), flush=True)
        for label, line in zip(labels[1:], found[1:], strict=True):
            print(f"{name:8} {label:12} / hand", *(f"{ratio:.2f}" for ratio in line / found[0]), flush=True)


if __name__ == "__main__":
    main()
