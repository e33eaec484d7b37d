"""What `bins: auto` costs relations: the error of all 2-way and 3-way tables beside a release with bins chosen by hand.

    python -m benchmarks.numbers_relations --seeds 31 32 33

Both releases are read back into the bins by hand, so those have every advantage; the error is the mean total variation
distance to the real rows. The demo has the edges of its bundled schema, Adult edges that a reader of its codebook might
declare.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

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


def errors(table: Path, hand: dict[str, Any], given: dict[str, Any], seed: int) -> list[float]:
    """The mean error of 2-way and of 3-way tables in the bins by hand."""
    schema = Schema.from_dict(hand)
    with tempfile.TemporaryDirectory() as home:
        release = understudy.publish(table, schema=given, epsilon=1, seed=seed, out=Path(home, "release"))
        real, made = read_table(table, schema), read_table(release.synthetic, schema)
    return [float(np.mean(distances(real, made, tables_of(len(real.columns), width)))) for width in (2, 3)]


def main() -> None:
    """A line for each table and kind of bins."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[31, 32, 33])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, (table, hand) in by_hand().items():
        found = {}
        for bins, given in (("hand", hand), ("auto", automatic(hand))):
            found[bins] = np.mean([errors(table, hand, given, seed) for seed in asked.seeds], axis=0)
            print(f"{name:6} {bins}  2-way {found[bins][0]:.4f}  3-way {found[bins][1]:.4f}", flush=True)
        print(f"{name:6} auto/hand  {' '.join(f'{ratio:.3f}' for ratio in found['auto'] / found['hand'])}", flush=True)


if __name__ == "__main__":
    main()
