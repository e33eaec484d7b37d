"""The formats that synthetic tables are written in: the one list that options, files, cards and messages follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFormat:
    """A format: endings of its files, the usual one first; the media type for cards; the class that writes it.

    `writer` names a module and a class, which is loaded when a table is written.

    >>> FORMATS["csv"].endings
    ('.csv', '.csv.gz')
    """

    endings: tuple[str, ...]
    media_type: str
    writer: tuple[str, str]


FORMATS: Mapping[str, TableFormat] = {
    "csv": TableFormat(
        endings=(".csv", ".csv.gz"), media_type="text/csv", writer=("understudy.tables._write_csv", "CsvWriter")
    ),
    "parquet": TableFormat(
        endings=(".parquet", ".pq"),
        media_type="application/vnd.apache.parquet",
        writer=("understudy.tables._write_parquet", "ParquetWriter"),
    ),
}


def ending_of(name: str) -> str | None:
    """The ending by which a file's format is known; None if it is that of no format.

    >>> ending_of("people.CSV.gz"), ending_of("people.xlsx")
    ('.csv.gz', None)
    """
    known = [ending for format in FORMATS.values() for ending in format.endings]
    return max((ending for ending in known if name.lower().endswith(ending)), key=len, default=None)


def format_of(name: str) -> TableFormat | None:
    """The format of a file, by its name.

    >>> format_of("people.parquet") is FORMATS["parquet"]
    True
    """
    ending = ending_of(name)
    return next((format for format in FORMATS.values() if ending in format.endings), None)


def endings_in_words() -> str:
    """The endings that a table may have, for messages and help.

    >>> endings_in_words()
    '.csv, .csv.gz or .parquet'
    """
    usual = [ending for format in FORMATS.values() for ending in format.endings if ending != ".pq"]
    return f"{', '.join(usual[:-1])} or {usual[-1]}"
