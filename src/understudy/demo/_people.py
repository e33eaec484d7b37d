"""The bundled people with duplicates: invented, by `scripts/make_people.py`."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def people_path() -> Path:
    """4,000 entries about 3,200 invented people: one in five is a duplicate under another spelling.

    >>> people_path().is_file()
    True
    """
    return _HERE / "people.csv.gz"


def people_schema_path() -> Path:
    """Its schema: six columns that may be published. Names, addresses and numbers are no fields.

    >>> people_schema_path().is_file()
    True
    """
    return _HERE / "people.schema.yaml"


def people_pairs_path() -> Path:
    """600 pairs of its rows, labelled as the same person or not.

    >>> people_pairs_path().is_file()
    True
    """
    return _HERE / "people.pairs.csv"


def people_workload_path() -> Path:
    """Seven queries about them: counts, ranges and tables.

    >>> people_workload_path().is_file()
    True
    """
    return _HERE / "people.workload.csv"
