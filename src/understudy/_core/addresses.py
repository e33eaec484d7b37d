"""Addresses with passwords and tokens in them: known for what they are, and never shown whole."""

from __future__ import annotations

import os
import re

_SECRET = r"(?:password|passwd|passphrase|pwd|token|secret|(?:api|access|secret|account|client)[_-]?key|authorization)"
_SETTING = re.compile(
    rf"""([\w.-]{{0,40}}{_SECRET}\s*(?:=|%3D)\s*)
    (?:'(?:[^'\\]|\\.)*'?  |  "(?:[^"\\]|\\.)*"?  |  [^\s&;]*?(?=['")]*\.?(?:[\s&;]|$)))""",
    re.IGNORECASE | re.VERBOSE,
)
_SCHEME = r"(?:(?:jdbc:)?postgres(?:ql)?:/{0,2}|[a-z][a-z0-9+.-]{1,30}:/{1,2})"
# up to the last @ that could end it: a password may hold any character
_WITH_USER = re.compile(rf"({_SCHEME}[^\s:/@]*:)\S{{0,2000}}(?=@)", re.IGNORECASE)
_BARE_USER = re.compile(
    r"(?<![\w.+%/-])(?!postgres(?:ql)?:|jdbc:|[a-z]:[\\/])([\w.+%-]+:)(?!//)\S{0,2000}(?=@)", re.IGNORECASE
)
_NO_HOST = re.compile(rf"({_SCHEME}[^\s:/@\[]*:)(?!//)(?!\d{{1,5}}(?![^\s/?,;'\").]))[^\s@]*(?!\S*@)", re.IGNORECASE)
_CONNECT = re.compile(r"(\bsc:/{0,2}[^\s;]*;)[^\s'\")]+", re.IGNORECASE)  # whatever Spark Connect sends along
_LIBPQ = r"(?:host|hostaddr|port|dbname|user|service|sslmode|password|passfile|options)"
_KEYWORDS = re.compile(rf"\s*{_LIBPQ}\s*=\s*\S+\s+(?:\S.*\s)?{_LIBPQ}\s*=", re.IGNORECASE | re.DOTALL)
_NAMES_ONE = re.compile(rf"(?:^|[\s;?&])(?:ssl)?passw(?:or)?d\s*=|[\s;?&][\w.-]{{0,40}}{_SECRET}\s*=", re.IGNORECASE)
_BEGINS = re.compile(r"\s*(?:[a-z][a-z0-9+.-]+:/|postgres(?:ql)?:|jdbc:)", re.IGNORECASE)
_USER = re.compile(r"(?![a-z]:[\\/])[^\s:/@\\]+:[^@]*@", re.IGNORECASE)


def hide_secrets(text: str) -> str:
    """A text without the passwords and tokens of addresses in it, for whatever quotes what somebody typed.

    >>> hide_secrets("unexpected argument (postgresql://ann:secret@db.example/health?table=a&password=secret)")
    'unexpected argument (postgresql://ann:…@db.example/health?table=a&password=…)'
    >>> hide_secrets("there is no file host=db.example password=secret."), hide_secrets("no file ann:secret@db/health")
    ('there is no file host=db.example password=….', 'no file ann:…@db/health')
    """
    if "=" not in text and ":" not in text and "%3" not in text:
        return text
    text = _SETTING.sub(r"\1…", _CONNECT.sub(r"\1…", text))
    return _NO_HOST.sub(r"\1…", _BARE_USER.sub(r"\1…", _WITH_USER.sub(r"\1…", text)))


def looks_like_an_address(given: str | os.PathLike[str]) -> bool:
    """Whether a text can hardly be meant as the name of a file: an address, or settings of a connection.

    >>> [looks_like_an_address(text) for text in ("postgresql:ann:x@db/health", "host=db user=ann", "ann:x@db/health")]
    [True, True, True]
    >>> [looks_like_an_address(text) for text in ("visits.csv", "visits/user=3/part.parquet", "C:/visits@home.csv")]
    [False, False, False]
    """
    text = os.fsdecode(given)
    return any((_BEGINS.match(text), _USER.match(text), _KEYWORDS.match(text), _NAMES_ONE.search(text)))
