"""Bundled tables with reviewed schemas: 5,912 people of the RAND Health Insurance Experiment, and all of their years.

>>> table_path().name, schema_path().name
('demo.csv.gz', 'demo.schema.yaml')
>>> visits_path().name, visits_schema_path().name
('visits.csv.gz', 'visits.schema.yaml')
"""

from __future__ import annotations

from pathlib import Path

from understudy.demo._parties import write_parties
from understudy.demo._people import people_pairs_path, people_path, people_schema_path, people_workload_path

__all__ = [
    "bundled",
    "health_schema_path",
    "people_pairs_path",
    "people_path",
    "people_schema_path",
    "people_workload_path",
    "schema_path",
    "source_path",
    "table_path",
    "visits_path",
    "visits_schema_path",
    "write_parties",
]

_HERE = Path(__file__).parent


def table_path() -> Path:
    """The demo table.

    >>> table_path().is_file()
    True
    """
    return _HERE / "demo.csv.gz"


def schema_path() -> Path:
    """Its schema, every bound declared by hand from what was public about the study's design.

    >>> schema_path().is_file()
    True
    """
    return _HERE / "demo.schema.yaml"


def health_schema_path() -> Path:
    """A schema of the demo table in which numbers keep their means and quantiles: finer bins, or bins that are found.

    >>> health_schema_path().is_file()
    True
    """
    return _HERE / "health.schema.yaml"


def visits_path() -> Path:
    """All years of the same people: one to five rows a person, whose number is in the column `person`.

    >>> visits_path().is_file()
    True
    """
    return _HERE / "visits.csv.gz"


def visits_schema_path() -> Path:
    """Its schema, in which `person` is no field: it tells which rows belong together, and is never published.

    >>> visits_schema_path().is_file()
    True
    """
    return _HERE / "visits.schema.yaml"


def bundled(source: object) -> tuple[Path, Path] | None:
    """The table and the schema that a word stands for: "demo" or "demo-visits"; None for anything else.

    >>> [path.name for path in bundled("demo-visits")]
    ['visits.csv.gz', 'visits.schema.yaml']
    >>> bundled("./demo") is None
    True
    """
    if not isinstance(source, str):
        return None
    words = {"demo": (table_path(), schema_path()), "demo-visits": (visits_path(), visits_schema_path())}
    return words.get(source)


def source_path() -> Path:
    """Where the tables come from and what was done to them.

    >>> source_path().read_text(encoding="utf-8").splitlines()[0]
    '# The demo tables'
    """
    return _HERE / "SOURCE.md"
