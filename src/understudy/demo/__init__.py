"""The demo table: 5,912 people of the RAND Health Insurance Experiment, bundled as data with its reviewed schema.

>>> table_path().name, schema_path().name
('demo.csv.gz', 'demo.schema.yaml')
"""

from __future__ import annotations

from pathlib import Path

from understudy.demo._parties import write_parties

__all__ = ["schema_path", "source_path", "table_path", "write_parties"]

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


def source_path() -> Path:
    """Where the table comes from and what was done to it.

    >>> source_path().read_text(encoding="utf-8").splitlines()[0]
    '# The demo table'
    """
    return _HERE / "SOURCE.md"
