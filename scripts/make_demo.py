"""Make the two bundled tables from the RAND Health Insurance Experiment as statsmodels ships it.

    python scripts/make_demo.py path/to/statsmodels/datasets/randhie/src/randhie.csv src/understudy/demo

The source has one row per person and year. `demo.csv.gz` keeps each person's first year, so that a row is a person: the
privacy unit. `visits.csv.gz` keeps all years, under a new number of the person. Imputed values (fractions where only
whole numbers can occur) become missing values, as they were.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SITES = {
    "1": "Dayton",
    "2": "Seattle",
    "3": "Fitchburg",
    "4": "Franklin County",
    "5": "Charleston",
    "6": "Georgetown County",
}
MISSING = ""
Row = dict[str, str]


def main(source: str, folder: str) -> None:
    """Read the person-years, write the table of people and the table of all their years."""
    with Path(source).open(newline="") as file:
        years = list(csv.DictReader(file))
    # Sorted by content: the source's order groups families, and a shuffled-looking order would need a seed.
    people = sorted([column(row) for column in COLUMNS.values()] for row in first_years(years))
    write(Path(folder, "demo.csv.gz"), [*COLUMNS], people)
    number = new_numbers({row["zper"] for row in years})
    every = [[number[row["zper"]], int(row["year"]), *(column(row) for column in COLUMNS.values())] for row in years]
    write(Path(folder, "visits.csv.gz"), ["person", "year", *COLUMNS], sorted(every, key=lambda row: row[:2]))


def write(target: Path, header: list[str], rows: list[list[Any]]) -> None:
    """A packed CSV, the same bytes on every run."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    # mtime=0 and no file name: nothing but the rows decides the bytes
    with target.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
        packed.write(text.getvalue().encode())


def new_numbers(people: set[str]) -> dict[str, int]:
    """1, 2, … in the order of a hash: numbers of one family no longer follow each other, nor name the site."""
    shuffled = sorted(people, key=lambda person: hashlib.sha256(person.encode()).digest())
    return {person: number for number, person in enumerate(shuffled, start=1)}


def first_years(rows: list[Row]) -> list[Row]:
    """Each person's earliest row."""
    first: dict[str, Row] = {}
    for row in rows:
        known = first.get(row["zper"])
        if known is None or int(row["year"]) < int(known["year"]):
            first[row["zper"]] = row
    return list(first.values())


def whole(name: str) -> Callable[[Row], str]:
    """A whole number."""
    return lambda row: str(int(float(row[name])))


def index(name: str) -> Callable[[Row], str]:
    """A 0–100 index published with one decimal; more decimals mean that it was imputed."""

    def read(row: Row) -> str:
        if row[name] == "":
            return MISSING
        value = float(row[name])
        return f"{value:.1f}" if abs(value - round(value, 1)) < 1e-6 else MISSING

    return read


def dollars(name: str) -> Callable[[Row], str]:
    """Whole dollars, rounded up so that any spending at all stays above zero."""
    return lambda row: str(math.ceil(float(row[name])))


def education(row: Row) -> str:
    """Completed years; averages (imputed) are missing."""
    text = row["educdec"]
    return str(int(float(text))) if text and float(text) == int(float(text)) else MISSING


def health(row: Row) -> str:
    """The three dummies of self-rated health as one column; "Excellent" is where none is set."""
    for name, label in (("hlthg", "Good"), ("hlthf", "Fair"), ("hlthp", "Poor")):
        if row[name] == "1":
            return label
    return "Excellent"


COLUMNS: dict[str, Callable[[Row], str]] = {
    "site": lambda row: SITES[row["site"]],
    "sex": lambda row: "Female" if row["female"] == "1" else "Male",
    "age": whole("xage"),
    "education_years": education,
    "income": lambda row: str(round(float(row["income"]))),
    "coinsurance": whole("coins"),
    "self_rated_health": health,
    "chronic_disease_index": index("disea"),
    "doctor_visits": whole("mdvis"),
    "hospital_admissions": whole("totadm"),
    "medical_spending": dollars("meddol"),
}

if __name__ == "__main__":
    main(*sys.argv[1:])
