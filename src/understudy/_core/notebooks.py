"""Small tables in HTML, as notebooks show values: self-contained, escaped, in the notebook's own colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from understudy._core.errors import OptionError

_CELL = "padding:2px 12px 2px 0;border-bottom:1px solid rgba(128,128,128,.3);vertical-align:top"
_MOST_ROWS = 20
_CODE = re.compile("`([^`]+)`")


def card(
    title: str,
    rows: Iterable[Sequence[object]],
    *,
    header: Sequence[str] = (),
    notes: Iterable[str] = (),
    warning: str | None = None,
) -> str:
    """A title, a small table and notes. Columns after the first are flush right where there is a header.

    What stands in backticks in notes, and in a table without a header, is shown as code.

    >>> shown = card("a < b", [("rows", 9)])
    >>> "<b>a &lt; b</b>" in shown, shown.count("<td")
    (True, 2)
    >>> "<code>age</code> is off" in card("a", [("b", "`age` is off")])
    True
    """
    listed = list(rows)
    lines = [_row("th", header, right=True)] if header else []
    lines += [_row("td", row, right=bool(header), marked=not header) for row in listed[:_MOST_ROWS]]
    told = list(notes) + ([f"… and {len(listed) - _MOST_ROWS:,} more"] if len(listed) > _MOST_ROWS else [])
    said = "".join(f'<div style="font-size:smaller;opacity:.8">{_marked(escape(note))}</div>' for note in told)
    loud = f'<div style="color:#d9534f;font-weight:bold">{escape(warning)}</div>' if warning else ""
    table = f'<table style="border-collapse:collapse;color:inherit;background:none">{"".join(lines)}</table>'
    return f'<div style="font-family:sans-serif">{loud}<b>{escape(title)}</b>{table if lines else ""}{said}</div>'


def to_pandas(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Mappings as the rows of a pandas dataframe, if pandas is there."""
    try:
        import pandas
    except ImportError:
        raise OptionError("pandas is not installed. Install it, or use rows() or to_dict().") from None
    return pandas.DataFrame(list(rows))


def _marked(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", text)


def _row(tag: str, cells: Sequence[object], *, right: bool, marked: bool = False) -> str:
    shown = [_marked(escape(str(cell))) if marked else escape(str(cell)) for cell in cells]
    made = [
        f'<{tag} style="{_CELL};text-align:{"right" if right and i else "left"}">{cell}</{tag}>'
        for i, cell in enumerate(shown)
    ]
    return f"<tr>{''.join(made)}</tr>"
