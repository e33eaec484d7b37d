"""What becomes of raw numbers with peers that take raw tables: the measures of `benchmarks.numbers`, at equal ε.

    python -m benchmarks.numbers_peers --only demo adult --seeds 51

Each peer gets the same ranges, dates as seconds, and bins of its own choice, in its own environment; DataSynthesizer
promises pure ε, dpmm (ε, δ = 1e-9). Its categories are read off the table, as nobody is judged by them here.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._child import Limits, run_child
from benchmarks._peers import ONE_THREAD, problem_with
from benchmarks.numbers import MADE, Floats, distances, is_ranged, tables, values_of
from benchmarks.peers.setup import PEERS

SCRIPTS = {"dpmm": "run_numbers_dpmm.py", "datasynthesizer": "run_numbers_datasynthesizer.py"}
LIMITS = Limits(cpu=1200)


def ends_of(field: dict[str, Any]) -> list[float]:
    """The declared ends of a range, as numbers."""
    ends = pd.Series([field["constraints"]["minimum"], field["constraints"]["maximum"]])
    return [float(end) for end in values_of(ends, field["type"])]


def raw(table: Path, fields: list[dict[str, Any]]) -> pd.DataFrame:
    """The table with dates as seconds, columns that the schema names, and numbers kept inside their range."""
    rows = pd.read_csv(table)[[field["name"] for field in fields]]
    for field in filter(is_ranged, fields):
        name = field["name"]
        if field["type"] in ("date", "datetime"):
            rows[name] = (pd.to_datetime(rows[name], utc=True) - pd.Timestamp(0, tz="UTC")).dt.total_seconds()
        rows[name] = rows[name].clip(*ends_of(field))
    return rows


def run(peer: str, rows: pd.DataFrame, ranges: dict[str, list[float]], epsilon: float, seed: int) -> dict[str, Floats]:
    """The numbers of one synthetic table, by column; raises where the peer gave none."""
    with tempfile.TemporaryDirectory() as home:
        table, sizes, out = Path(home, "table.csv"), Path(home, "ranges.json"), Path(home, "out.csv")
        rows.to_csv(table, index=False)
        sizes.write_text(json.dumps(ranges))
        command: list[object] = [PEERS[peer].python, Path(__file__).parent / "peers" / SCRIPTS[peer]]
        command += ["--codes", table, "--sizes", sizes, "--rows", len(rows), "--epsilon", epsilon, "--seed", seed]
        command += ["--out", out, "--report", Path(home, "report.json")]
        child = run_child(command, limits=LIMITS, env=ONE_THREAD)
        if child.problem is not None:
            raise RuntimeError(f"{child.problem}; {child.cpu:.0f} CPU s")
        made = pd.read_csv(out)
        print(f"    {child.cpu:.0f} CPU s, {child.peak_mb:.0f} MB", flush=True)
        return {name: pd.to_numeric(made[name], errors="coerce").dropna().to_numpy(float) for name in ranges}


def main() -> None:
    """A line for each table and peer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--seeds", type=int, nargs="+", default=[51])
    parser.add_argument("--tables", type=Path, default=MADE)
    parser.add_argument("--only", nargs="+", default=["demo", "adult", "br2000", "flights", "movies", "food"])
    parser.add_argument("--peers", nargs="+", default=list(SCRIPTS))
    asked = parser.parse_args()
    print("table    peer             KS      mean    median  sd      spike", flush=True)
    for name, (table, schema) in tables(asked.tables).items():
        for peer in asked.peers if name in asked.only else ():
            rows = raw(table, schema["fields"])
            ranges = {field["name"]: ends_of(field) for field in schema["fields"] if is_ranged(field)}
            real = {column: rows[column].dropna().to_numpy(float) for column in ranges}
            try:
                if (problem := problem_with(peer)) is not None:
                    raise RuntimeError(problem)
                runs = [run(peer, rows, ranges, asked.epsilon, seed) for seed in asked.seeds]
            except RuntimeError as error:
                print(f"{name:8} {peer:16} {error}", flush=True)
                continue
            each = [[distances(real[column], made[column]) for column in ranges] for made in runs]
            told = "  ".join(f"{value:.4f}" for value in np.mean(each, axis=(0, 1)))
            print(f"{name:8} {peer:16} {told}", flush=True)


if __name__ == "__main__":
    main()
