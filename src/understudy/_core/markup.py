"""Text inside markup. The standard library's `xml.sax.saxutils` does the same and loads `urllib` and `ssl` with it."""

from __future__ import annotations

_SPACES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def escape(text: str) -> str:
    """The text as it stands between two tags.

    >>> escape("R&D < 3")
    'R&amp;D &lt; 3'
    """
    return text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def quoteattr(text: str) -> str:
    """The text as the value of an attribute, in quotation marks.

    >>> print(quoteattr('6" & more'))
    '6" &amp; more'
    """
    found = escape(text)
    for space, written in _SPACES.items():
        found = found.replace(space, written)
    if '"' not in found:
        return f'"{found}"'
    return f"'{found}'" if "'" not in found else '"{}"'.format(found.replace('"', "&quot;"))
