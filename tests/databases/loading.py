"""Putting tables on the tests' own PostgreSQL server."""

from __future__ import annotations

from itertools import count

import pyarrow as pa

_NUMBERS = count()


def ask(address: str, *statements: str) -> pa.Table | None:
    """The answer to the last of some statements."""
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 20000")  # a test that failed may still hold its table
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetch_arrow_table()


def load(address: str, table: pa.Table, name: str | None = None) -> str:
    """The address of a table on the server with these rows."""
    from adbc_driver_postgresql import dbapi

    name = f"loaded_{next(_NUMBERS)}" if name is None else name
    with dbapi.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(name, table, mode="replace")
    return f"{address}?table={name}"


def named(address: str, name: str, **more: str) -> str:
    """The address of a table that is there."""
    return f"{address}?table={name}" + "".join(f"&{key}={value}" for key, value in more.items())
