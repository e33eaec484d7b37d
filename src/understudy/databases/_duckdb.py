"""A table in a file of DuckDB: opened for reading only, and without any extension."""

from __future__ import annotations

import weakref
from importlib import import_module
from typing import Any, NamedTuple

from understudy._core.errors import OptionError, TableError
from understudy.databases._address import FileAddress
from understudy.databases._naming import Named, find_table

# Nothing is fetched, neither asked for nor on its own: what a file needs beyond DuckDB itself is refused.
_CONFIG = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_TABLES = """
SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary
UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal AND NOT temporary ORDER BY ALL"""


class OpenedRelation(NamedTuple):
    """A table of a file, as a relation of DuckDB."""

    relation: Any
    name: str
    n_rows: int


def open_duckdb(address: FileAddress) -> OpenedRelation:
    """The table as a relation of DuckDB. The file is closed once nothing refers to that.

    Raises TableError if the file cannot be opened, or has no such table.
    """
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        raise OptionError(
            'reading a DuckDB file needs DuckDB, which is not installed: pip install "understudy[duckdb]".'
        ) from None
    failed = ""
    try:
        connection = duckdb.connect(str(address.path), read_only=True, config=_CONFIG)
    except Exception as error:
        failed = _cannot_open(address, error)
    if failed:
        raise TableError(failed)
    known = [Named(schema, name, schema == "main") for schema, name in connection.sql(_TABLES).fetchall()]
    table = find_table(address.table, known, address.told, place=str(address.path))
    try:
        connection.execute("BEGIN TRANSACTION READ ONLY")
        relation = connection.sql(f"SELECT * FROM {table.sql}")
        n_rows = int(connection.sql(f"SELECT count(*) FROM {table.sql}").fetchall()[0][0])
    except Exception as error:
        failed = (
            f"{address.told}: '{table.whole}' cannot be read ({type(error).__name__}). Open the file in DuckDB to see "
            "why; a view that needs an extension or another file cannot be read here."
        )
    if failed:
        raise TableError(failed)
    weakref.finalize(relation, connection.close)
    return OpenedRelation(relation, table.name, n_rows)


def _cannot_open(address: FileAddress, error: Exception) -> str:
    """Why, as a sentence. An exception that its own frame refers to would keep all of DuckDB until the very end."""
    text = str(error).lower()
    if "lock" in text:
        return f"{address.told} is held by another program, which may write to it. Close it there, and start again."
    if "version" in text:
        return f"{address.told} was written by another version of DuckDB than is installed. Update the package duckdb."
    return f"{address.told} cannot be opened as a DuckDB file: it is damaged or cut off."
