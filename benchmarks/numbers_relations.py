"""What `bins: auto` costs relations: the error of all 2-way and 3-way tables beside a release with bins chosen by hand.

    python -m benchmarks.numbers_relations --seeds 31 32 33

The error is the mean total variation distance to the real rows, both releases read back into the same bins: first those
by hand, which gives these every advantage, then eighths of the real values, which neither release knows. The demo has
the edges of its bundled schema, Adult edges that a reader of its codebook might declare.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import understudy
from benchmarks._flagship_runs import distances, tables_of
from benchmarks.numbers import DATA, is_ranged
from understudy import demo
from understudy.schema import Schema
from understudy.tables import read_table

EDGES = {
    "age": [17, 22, 25, 30, 35, 40, 45, 50, 55, 60, 65, 75, 90],
    "fnlwgt": [10_000, 50_000, 100_000, 150_000, 200_000, 250_000, 300_000, 400_000, 1_500_000],
    "capital-gain": [0, 1, 2_000, 4_000, 5_000, 8_000, 15_000, 50_000, 100_000],
    "capital-loss": [0, 1, 1_500, 1_800, 2_000, 2_500, 5_000],
    "hours-per-week": [1, 10, 20, 30, 35, 40, 41, 45, 50, 60, 99],
}


def by_hand() -> dict[str, tuple[Path, dict[str, Any]]]:
    """Tables, and schemas with bins by hand."""
    found = {"demo": (Path(demo.table_path()), Schema.load(demo.schema_path()).to_dict())}
    if (DATA / "adult.csv.gz").exists():
        adult = Schema.load(DATA / "adult.schema.yaml").to_dict()
        for field in adult["fields"]:
            if field["name"] in EDGES:
                field["bins"] = {"edges": EDGES[field["name"]], "closed": "left"}
                field.pop("taxonomy", None)
        found["adult"] = (DATA / "adult.csv.gz", adult)
    return found


def automatic(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without its bins."""
    left_out = ("bins", "taxonomy")
    fields = [{k: v for k, v in f.items() if not is_ranged(f) or k not in left_out} for f in schema["fields"]]
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


def errors(table: Path, read_in: list[dict[str, Any]], given: dict[str, Any], seed: int) -> list[float]:
    """The mean error of 2-way and of 3-way tables in the bins of each schema."""
    found: list[float] = []
    with tempfile.TemporaryDirectory() as home:
        release = understudy.publish(table, schema=given, epsilon=1, seed=seed, out=Path(home, "release"))
        for schema in map(Schema.from_dict, read_in):
            real, made = read_table(table, schema), read_table(release.synthetic, schema)
            asked = [tables_of(len(real.columns), width) for width in (2, 3)]
            found += [float(np.mean(distances(real, made, tables))) for tables in asked]
    return found


def main() -> None:
    """A line for each table and kind of bins."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[31, 32, 33])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, (table, hand) in by_hand().items():
        found = {}
        for bins, given in (("hand", hand), ("auto", automatic(hand))):
            read_in = [hand, neutral(table, hand)]
            found[bins] = np.mean([errors(table, read_in, given, seed) for seed in asked.seeds], axis=0)
            two, three, *eighths = found[bins]
            said = f"by hand: 2-way {two:.4f} 3-way {three:.4f}, eighths: {eighths[0]:.4f} {eighths[1]:.4f}"
            print(f"{name:6} {bins}  {said}", flush=True)
        print(f"{name:6} auto/hand  {' '.join(f'{ratio:.3f}' for ratio in found['auto'] / found['hand'])}", flush=True)


if __name__ == "__main__":
    main()
