"""What went wrong with a PostgreSQL server, as a sentence. Its own messages may quote cells, and are not passed on."""

from __future__ import annotations

from typing import Any

_CONNECTING = (
    ("password authentication failed", "the user or the password is wrong. Check both, also PGPASSWORD and ~/.pgpass."),
    ("no password supplied", "it asks for a password. Set PGPASSWORD, or keep one in ~/.pgpass."),
    ("no pg_hba.conf entry", "it lets nobody in from here as this user. Ask whoever runs it."),
    ("connection refused", "nobody answers there. Is the server running, and are host and port right?"),
    ("could not translate host name", "no host of that name is known. Look at the host in the address."),
    ("timeout expired", "no answer came in time. Are host and port right, and does a firewall let you through?"),
    ("no route to host", "the host cannot be reached from here."),
    ("network is unreachable", "the host cannot be reached from here."),
    ("no such file or directory", "there is no server on this machine at that socket. Name a host in the address."),
    ("too many", "it has no connection left. Try again later."),
    ("starting up", "it is just starting up. Try again in a moment."),
    ("ssl", "no encrypted connection came about. Look at sslmode and its files in the address."),
    ("certificate", "no encrypted connection came about. Look at sslmode and its files in the address."),
    ("invalid uri query parameter", "the address has a setting after its question mark that libpq does not know."),
)
_NO_DATABASE = "there is no such database. Look at its name in the address."
_NO_ROLE = "there is no such user. Look at the address, or at PGUSER."
_QUERIES = {
    "57014": "the server cancelled a query: it took longer than statement_timeout allows, or somebody stopped it. Ask "
    "for a longer time, or try again.",
    "42501": "this user has no permission to read it. Ask its owner to grant SELECT.",
    "42P01": "the table is not there any more.",
    "42703": "one of its columns is not there any more.",
    "40001": "the server could not keep one snapshot for the whole run. Try again.",
    "53100": "the server's disk is full.",
    "53200": "the server has no memory left for a query.",
    "54001": "a query was too deep for the server. Publish fewer columns at a time.",
}
_GONE = "the connection to the server broke off: it was stopped, or the network failed. Start again once it is back."
_GONE_WORDS = ("terminating connection", "server closed the connection", "no connection", "connection reset", "eof")


def cannot_connect(told: str, error: Exception) -> str:
    """The sentence for a connection that did not come about."""
    text = str(error).lower()
    found = next((reason for words, reason in _CONNECTING if words in text), None)
    if found is None and "does not exist" in text:
        found = _NO_DATABASE if "database" in text.partition("fatal")[2] else _NO_ROLE
    return f"cannot connect to {told}: {found or 'the server or its driver refused. Look at the address.'}"


def query_failed(told: str, error: Exception, *, alive: bool) -> str:
    """The sentence for a query that failed; `alive` says whether the server still answers."""
    state = _state(error)
    text = str(error).lower()
    if state is None and "canceling statement" in text:
        state = "57014"
    if state is None and "permission denied" in text:
        state = "42501"
    if state in ("57P01", "57P02", "57P03") or (state is None and (not alive or _says_gone(text))):
        return f"{told}: {_GONE}"
    known = _QUERIES.get(state or "")
    number = f" (SQLSTATE {state})" if state else ""
    return f"{told}: {known or f'the server refused a query{number}. Its log says why.'}"


def _says_gone(text: str) -> bool:
    return any(words in text for words in _GONE_WORDS)


def _state(error: Any) -> str | None:
    found = getattr(error, "sqlstate", None)
    return None if not found else str(found)
