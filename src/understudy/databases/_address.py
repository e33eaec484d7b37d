"""Where a table in a database is: an address of PostgreSQL, or a file of DuckDB or SQLite with a table's name."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlencode

from understudy._core.addresses import hide_secrets, looks_like_an_address
from understudy._core.errors import TableError
from understudy._core.files import can_name_a_file, exists, is_file

FileDatabase: TypeAlias = Literal["duckdb", "sqlite"]
_SERVER = re.compile(r"postgres(?:ql)?:/{1,2}", re.IGNORECASE)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_BAD_TOKEN = re.compile(r"%(?![0-9A-Fa-f]{2})")
_HOST = re.compile(r"[\w.~%-]*|\[[0-9a-fA-F:.%]+\]")
_MOST_PORT = 65535
_SUCH_AS = "Write it as postgresql://user@host:5432/database?table=visits"
_ENCODED = (
    f"{_SUCH_AS}; what is special in a password is percent-encoded, such as %40 for @. Better still, leave it out, and "
    "set PGPASSWORD or keep it in ~/.pgpass."
)
_MARKS: tuple[tuple[FileDatabase, int, bytes], ...] = (("sqlite", 0, b"SQLite format 3\x00"), ("duckdb", 8, b"DUCK"))


@dataclass(frozen=True, kw_only=True)
class ServerAddress:
    """A table on a PostgreSQL server. What is printed of it never has a password.

    >>> address = server_address("postgresql://ann:secret@db.example:5433/health?table=clinic.visits&sslmode=require")
    >>> address.table, address.told
    ('clinic.visits', "database 'health' at db.example:5433")
    >>> address
    ServerAddress(told="database 'health' at db.example:5433", table='clinic.visits')
    """

    told: str
    table: str | None
    uri: str = field(repr=False)
    """For the driver, with the password if one was given."""

    @property
    def shown(self) -> str:
        """The address without any password, as it may be printed and typed again."""
        base, _, query = self.uri.partition("?")
        scheme, _, rest = base.partition("://")
        user, at, place = rest.rpartition("@")
        kept = [(name, value) for name, value in parse_qsl(query) if name not in _OURS and not _is_secret(name, value)]
        kept += [] if self.table is None else [("table", self.table)]
        asked = f"?{urlencode(kept, quote_via=quote)}" if kept else ""
        return f"{scheme}://{user.partition(':')[0]}{at}{place}{asked}"


_OURS = {"connect_timeout": "15", "application_name": "understudy"}


@dataclass(frozen=True, kw_only=True)
class FileAddress:
    """A table in a file of DuckDB or SQLite.

    >>> FileAddress(kind="sqlite", path=Path("clinic.db"), table="visits").told
    'clinic.db'
    """

    kind: FileDatabase
    path: Path
    table: str | None

    @property
    def told(self) -> str:
        """What the database is called in messages."""
        return self.path.name


def _is_secret(name: str, value: str) -> bool:
    return hide_secrets(f"{name}={value}") != f"{name}={value}"


def is_server(given: object) -> bool:
    """Whether something is an address of a PostgreSQL server.

    >>> is_server("postgresql://db.example/health?table=visits"), is_server("visits.csv")
    (True, False)
    """
    return isinstance(given, str | os.PathLike) and _SERVER.match(os.fspath(given)) is not None


def refuse_other_schemes(given: str | os.PathLike[str]) -> None:
    """Raise TableError for an address of anything but PostgreSQL, or one that is slightly off; it is not quoted.

    >>> refuse_other_schemes("visits.csv")
    """
    scheme = _SCHEME.match(os.fsdecode(given))
    if scheme is not None and not is_server(given):
        raise TableError(
            f"tables are not read from {scheme.group(1)} addresses. Give a file, a folder, or the address of a "
            "PostgreSQL table: postgresql://user@host:5432/database?table=visits."
        )
    if not is_server(given) and _slightly_off(os.fsdecode(given)):
        raise TableError(
            "there is no file of that name, which looks like settings of a connection and is not shown: it may hold a "
            f"password. {_ENCODED}"
        )


def _slightly_off(name: str) -> bool:
    """Whether this was meant as an address: no file is called so, nor is one before the name of a table."""
    if not looks_like_an_address(name) or not can_name_a_file(name):
        return False
    return not any(exists(Path(one)) for one in (name, name.rpartition("?")[0]) if one) and not glob.glob(name)


def shown_source(given: object) -> str:
    """What was given as a table, as it may be printed: of an address without its password.

    >>> shown_source("visits.csv"), shown_source("postgresql://ann:secret@db.example/health?table=visits")
    ('visits.csv', 'postgresql://ann@db.example/health?table=visits')
    """
    if is_server(given):
        return server_address(str(given)).shown
    return "…" if _slightly_off(str(given)) else hide_secrets(str(given))


def server_address(text: str) -> ServerAddress:
    """The parts of an address; raises TableError, which quotes nothing of it, if it is none."""
    scheme = _SERVER.match(text)
    if scheme is None:
        raise TableError(f"this is no address of a PostgreSQL server. {_ENCODED}")
    base, _, query = text[scheme.end() :].partition("?")
    authority, slash, database = base.partition("/")
    asked = parse_qsl(query, keep_blank_values=True)
    user, at, place = authority.rpartition("@")
    _refuse_unreadable(base, user, place, database, asked)
    table = next((value for name, value in asked if name == "table"), None)
    others = [(name, value) for name, value in asked if name != "table"]
    others += [(name, value) for name, value in _OURS.items() if name not in dict(others)]
    uri = f"postgresql://{user}{at}{place}{slash}{database}?{urlencode(others, quote_via=quote)}"
    named = unquote(database) or dict(others).get("dbname", "")
    host = unquote(place) or dict(others).get("host", "")
    told = f"database '{named}'" if named else "the database"
    return ServerAddress(told=f"{told} at {host}" if host else told, table=table or None, uri=uri)


def _refuse_unreadable(base: str, user: str, place: str, database: str, asked: list[tuple[str, str]]) -> None:
    """Whatever a password with odd characters may be taken for: never to be sent on, nor to be quoted."""
    stray = "@" in user or "@" in database or any("@" in name for name, _ in asked) or "/" in database
    told = [unquote(database), *(value for name, value in asked if name in ("dbname", "host"))]
    if stray or _BAD_TOKEN.search(base) or not _are_hosts(place) or any(map(looks_like_an_address, told)):
        raise TableError(f"the address of the PostgreSQL server cannot be read. {_ENCODED}")
    twice = [name for name, _ in asked].count("table") > 1
    if twice:
        raise TableError(f"the address names more than one table. {_SUCH_AS}.")


def _are_hosts(place: str) -> bool:
    """Whether each of some places is a host, with or without a port.

    >>> _are_hosts("db.example:5433,[::1]"), _are_hosts("ann:secret#db.example:5433")
    (True, False)
    """
    for part in place.split(","):
        host, colon, port = part.rpartition(":") if ":" in part.rpartition("]")[2] else (part, "", "")
        number = not colon or port == "" or (port.isdecimal() and int(port) <= _MOST_PORT)
        if not number or not _HOST.fullmatch(host):
            return False
    return True


def table_in_file(given: str | os.PathLike[str]) -> tuple[Path, str | None] | None:
    """The file and the table that `clinic.db?table=visits` names; None for all else, and where a file has that name.

    >>> table_in_file("visits.csv") is None
    True
    """
    text = os.fsdecode(given)
    name, mark, query = text.rpartition("?")
    asked = dict(parse_qsl(query, keep_blank_values=True))
    if not mark or "table" not in asked or (can_name_a_file(Path(text)) and is_file(Path(text))):
        return None
    path = Path(name)
    refuse_other_schemes(text)
    if not can_name_a_file(path) or not is_file(path):
        raise TableError(f"there is no file {path}.")
    return path, asked["table"] or None


def database_kind(start: bytes) -> FileDatabase | None:
    """What a file is a database of, by its first 16 bytes; None if it is none.

    >>> database_kind(b"checksumDUCK"), database_kind(b"a,b")
    ('duckdb', None)
    """
    return next((kind for kind, at, mark in _MARKS if start[at : at + len(mark)] == mark), None)
