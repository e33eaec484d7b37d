"""Putting tables on the tests' own PostgreSQL server."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from itertools import count
from typing import Any

import pyarrow as pa
import pytest

from understudy.counting import Counter, open_counter
from understudy.counting._open_passes import open_passes
from understudy.counting._opening import Opening
from understudy.counting._sql_codes import SqlCode
from understudy.counting._sql_passes import SqlPasses
from understudy.counting._view import View
from understudy.databases import PostgresTable, quoted, server_address
from understudy.schema import Schema
from understudy.tables import Table

STARTED = ExitStack()
_NUMBERS = count()


def shared_server() -> str:
    """The address of a server, started once a process; skips the test where there can be none."""
    address = _start()
    if not address.startswith("postgresql:"):
        pytest.skip(address)
    return address


@cache
def _start() -> str:
    pytest.importorskip("adbc_driver_postgresql", reason="the driver of PostgreSQL is not installed")
    from scripts.start_postgres import NoServerError, server

    try:
        return STARTED.enter_context(server())
    except NoServerError as why:
        return str(why)


def counted_there(rows: Any, schema: Schema | None = None, **told: Any) -> Counter:
    """A counter of rows that were put on the server first: of a table with a schema, or of codes."""
    address = shared_server()
    if schema is not None:
        return open_counter(load(address, rows), schema, engine="database")
    table: Table = rows
    names = [f"a{i}" for i in range(len(table.domain))]
    codes = {name: pa.array(column.astype("int64")) for name, column in zip(names, table.columns, strict=True)}
    server = PostgresTable(server_address(load(address, pa.table(codes))))
    passes = SqlPasses(
        server=server,
        table=server.source,
        codes=tuple(SqlCode(code=f"t.{quoted(name)}") for name in names),
        view=View.of(table.domain),
        n_rows=table.n,
    )
    return open_passes(passes, Opening(), n_rows=table.n)


@cache
def _connection(address: str) -> Any:
    from adbc_driver_postgresql import dbapi

    connection = STARTED.enter_context(dbapi.connect(address, autocommit=True))
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 20000")  # a test that failed may still hold its table
    return connection


def ask(address: str, *statements: str) -> pa.Table | None:
    """The answer to the last of some statements."""
    with _connection(address).cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetch_arrow_table()


def load(address: str, table: pa.Table, name: str | None = None) -> str:
    """The address of a table on the server with these rows."""
    name = f"loaded_{next(_NUMBERS)}" if name is None else name
    with _connection(address).cursor() as cursor:
        cursor.adbc_ingest(name, table, mode="replace")
    return f"{address}?table={name}"


def named(address: str, name: str, **more: str) -> str:
    """The address of a table that is there."""
    return f"{address}?table={name}" + "".join(f"&{key}={value}" for key, value in more.items())
