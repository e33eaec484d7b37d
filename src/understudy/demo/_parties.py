"""The demo table split among three parties, each with some columns and most of the people."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

_HERE = Path(__file__).parent
_COLUMNS = {
    "hospital": ("doctor_visits", "chronic_disease_index"),
    "insurer": ("medical_spending", "free_care"),
    "employer": ("sex", "age", "income"),
}
_LACKS = {"hospital": 20, "insurer": 25, "employer": 0}  # one person in so many is not in its table; 0: all are
KEY = "person_id"


def write_parties(folder: str | Path) -> dict[str, Path]:
    """Make a folder for each of three parties, with its table and its schema; the tables, by party.

    A hospital, an insurer and an employer hold different columns about the same people, under the same person number,
    each in an order of its own. The hospital and the insurer do not know everybody.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     tables = write_parties(home)
    ...     [path.relative_to(home).as_posix() for path in tables.values()]
    ['hospital/hospital.csv', 'insurer/insurer.csv', 'employer/employer.csv']
    """
    people = _people()
    tables = {}
    for number, (party, columns) in enumerate(_COLUMNS.items()):
        home = Path(folder, party)
        home.mkdir(parents=True, exist_ok=True)
        schema = f"{party}.schema.yaml"
        (home / schema).write_bytes((_HERE / schema).read_bytes())
        tables[party] = home / f"{party}.csv"
        kept = [person for row, person in enumerate(people) if not _LACKS[party] or row % _LACKS[party]]
        # by another digit each: rows are matched by number, never by order
        _write(tables[party], sorted(kept, key=lambda person: (person[KEY][-1 - number], person[KEY])), columns)
    return tables


def _people() -> list[dict[str, str]]:
    with gzip.open(_HERE / "demo.csv.gz", "rt", encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))
    for number, person in enumerate(people):
        # 7919 is prime: different numbers for all, in no order that says anything about them
        person[KEY] = f"{100_000 + number * 7919 % 899_981}"
        person["free_care"] = "yes" if person["coinsurance"] == "0" else "no"
    return people


def _write(path: Path, people: list[dict[str, str]], columns: tuple[str, ...]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([KEY, *columns])
        writer.writerows([person[name] for name in (KEY, *columns)] for person in people)
