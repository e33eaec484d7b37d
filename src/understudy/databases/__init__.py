"""Tables in databases: PostgreSQL servers, and files of DuckDB and SQLite. Nothing is ever written to one."""

from understudy.databases._address import (
    FileAddress,
    FileDatabase,
    ServerAddress,
    database_kind,
    is_server,
    refuse_other_schemes,
    server_address,
    shown_source,
    table_in_file,
)
from understudy.databases._duckdb import open_duckdb
from understudy.databases._naming import literal, quoted
from understudy.databases._postgres import PostgresTable
from understudy.databases._postgres_types import Arrives, SqlColumn
from understudy.databases._sqlite import SQLiteTable

__all__ = [
    "Arrives",
    "FileAddress",
    "FileDatabase",
    "PostgresTable",
    "SQLiteTable",
    "ServerAddress",
    "SqlColumn",
    "database_kind",
    "is_server",
    "literal",
    "open_duckdb",
    "quoted",
    "refuse_other_schemes",
    "server_address",
    "shown_source",
    "table_in_file",
]
