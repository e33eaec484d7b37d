"""A PostgreSQL server through ADBC: one read-only transaction, and so one snapshot, for as long as a table is open."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from understudy._core.errors import OptionError, TableError
from understudy.databases._address import ServerAddress
from understudy.databases._naming import Named, find_table, literal, quoted
from understudy.databases._postgres_errors import cannot_connect, query_failed
from understudy.databases._postgres_types import SqlColumn

_LOOKS_UP = 0.2  # seconds
_SESSION = (
    "SET client_encoding = 'UTF8'",
    "SET standard_conforming_strings = on",
    "SET TimeZone = 'UTC'",
    "SET DateStyle = 'ISO'",
    "SET extra_float_digits = 1",
    "SET synchronize_seqscans = off",
    "SET idle_in_transaction_session_timeout = 0",  # fitting a model between two rounds may take a while
    "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
)
_TABLES = """
SELECT n.nspname::text AS schema, c.relname::text AS name, pg_table_is_visible(c.oid) AS plain,
    has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT') AS readable
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
ORDER BY plain DESC, 1, 2"""
_COLUMNS = """
WITH RECURSIVE base AS (
    SELECT a.attnum, a.attname::text AS name, a.atttypid AS type FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = {schema} AND c.relname = {name} AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT b.attnum, b.name, t.typbasetype FROM base b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd')
SELECT b.name, t.typname::text AS type, t.typcategory::text AS category
FROM base b JOIN pg_type t ON t.oid = b.type WHERE t.typtype <> 'd' ORDER BY b.attnum"""


class PostgresTable:
    """One table or view of a server, as it was when it was opened.

    All that is asked of it is asked within one transaction that reads and cannot write. Only one query can be under way
    at a time.
    """

    def __init__(self, address: ServerAddress) -> None:
        self.told = address.told
        self._connection = _connect(address)
        self._thread = ThreadPoolExecutor(1)
        weakref.finalize(self, _close, self._connection, self._thread)
        for setting in _SESSION:
            self.ask(setting)
        found = self.ask(_TABLES).to_pylist()
        known = [Named(one["schema"], one["name"], one["plain"]) for one in found]
        table = find_table(address.table, known, address.told, place=address.shown.partition("?")[0])
        self.named = table
        self.told = f"table '{table.whole}' of {address.told}"
        if not all(one["readable"] for one in found if (one["schema"], one["name"]) == table[:2]):
            raise TableError(f"{self.told}: this user has no permission to read it. Ask its owner to grant SELECT.")
        asked = _COLUMNS.format(schema=literal(table.schema), name=literal(table.name))
        self.columns = {one["name"]: SqlColumn(**one) for one in self.ask(asked).to_pylist()}

    @property
    def source(self) -> str:
        """What its rows are selected from: the table, called t."""
        return f"{self.named.sql} AS t"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its columns."""
        return tuple(self.columns)

    def n_bytes(self) -> int | None:
        """What it takes on the server's disk; None where that is not known, as of a view."""
        found = self.ask(f"SELECT pg_table_size({literal(self.named.sql)}::regclass) AS n")["n"][0].as_py()
        return int(found) if found else None

    def n_rows(self) -> int:
        """Number of its rows, counted by the server."""
        return int(self.ask(f"SELECT count(*) AS n FROM {self.source}")["n"][0].as_py())

    def batches(self, wanted: Sequence[str], batch_bytes: int = 1 << 24) -> Iterator[Any]:
        """Batches of Arrow with these columns, each as `SqlColumn` asks for it: rows leave the server."""
        cells = [f"{self.columns[name].cell} AS {quoted(name)}" for name in wanted]
        return self._stream(f"SELECT {', '.join(cells)} FROM {self.source}", batch_bytes)

    def ask(self, sql: str) -> Any:
        """The answer to a query, as a table of Arrow."""
        with self._told(), self._connection.cursor() as cursor:
            self._wait(cursor, lambda: cursor.execute(sql))
            return self._wait(cursor, cursor.fetch_arrow_table)

    def _stream(self, sql: str, batch_bytes: int) -> Iterator[Any]:
        with self._told(), self._connection.cursor() as cursor:
            cursor.adbc_statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": str(batch_bytes)})
            self._wait(cursor, lambda: cursor.execute(sql))
            reader = iter(cursor.fetch_record_batch())
            while (batch := self._wait(cursor, lambda: next(reader, None))) is not None:
                yield batch

    def _wait(self, cursor: Any, call: Callable[[], Any]) -> Any:
        """What a call gives, made on another thread: on the main one the driver takes an interrupt for itself."""
        made = self._thread.submit(call)
        try:
            while not wait([made], timeout=_LOOKS_UP).done:  # so that a signal is seen soon
                pass
        except KeyboardInterrupt:
            cursor.adbc_cancel()
            wait([made])
            raise
        return made.result()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever the driver raises, as a sentence: its own words may quote cells, or the query."""
        try:
            yield
        except (TableError, GeneratorExit):
            raise
        except Exception as error:
            failed = query_failed(self.told, error, alive=self._alive())
        else:
            return
        raise TableError(failed)

    def _alive(self) -> bool:
        try:
            with self._connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except Exception as error:
            return getattr(error, "sqlstate", None) is not None  # it answers, if only that the transaction failed
        return True


def _connect(address: ServerAddress) -> Any:
    try:
        driver = import_module("adbc_driver_postgresql.dbapi")
    except ImportError:
        raise OptionError(
            'reading from PostgreSQL needs its driver, which is not installed: pip install "understudy[postgres]".'
        ) from None
    try:
        return driver.connect(address.uri, autocommit=True)
    except Exception as error:
        failed = cannot_connect(address.told, error)
    raise TableError(failed)


def _close(connection: Any, thread: ThreadPoolExecutor) -> None:
    thread.shutdown(wait=False)
    try:
        connection.close()
    except Exception:
        return  # the server has gone: nothing is left to be closed
