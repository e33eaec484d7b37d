"""A table of numbers without chance in them: what a paper prints, what is here, and where the two differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research._experiment import Cell, Results

_WIDTH, _HEIGHT, _LABEL = 1.05, 0.24, 1.5  # inches, of half a column, a row and the names of the rows
_OTHER, _RULE = "#d55e00", "#585858"
_NOTHING = "–"
DIFFERS = "≠: not what the paper prints.  –: not printed, or not here."


def size_of(cells: Mapping[str, Mapping[str, Cell]]) -> tuple[float, float]:
    """The inches that a table takes, without its title.

    >>> size_of({"Adult": {"rows": Cell(series="Adult", measure="rows", x=3.0)}})
    (3.6, 1.2)
    """
    columns = len(next(iter(cells.values())))
    return _LABEL + 2 * _WIDTH * columns, _HEIGHT * (len(cells) + 4)


def draw_table(axis: Any, cells: Mapping[str, Mapping[str, Cell]], results: Results) -> None:
    """Rows by name, and for each column what is printed and what is here, beside each other."""
    names = list(next(iter(cells.values())))
    width, height = size_of(cells)
    axis.set_xlim(0, width)
    axis.set_ylim(height, 0)
    axis.axis("off")
    for number, name in enumerate(names):
        left = _LABEL + 2 * _WIDTH * number
        axis.text(left + 0.15 + _WIDTH, _HEIGHT, name, ha="center", va="center", weight="bold")
        axis.plot([left + 0.25, left + 2 * _WIDTH], [1.55 * _HEIGHT] * 2, color=_RULE, lw=0.6)
        for half, word in enumerate(("printed", "here")):
            axis.text(left + (half + 1) * _WIDTH, 2.1 * _HEIGHT, word, ha="right", va="center", color=_RULE)
    for row, (label, columns) in enumerate(cells.items(), start=3):
        axis.plot([0, width], [(row - 0.4) * _HEIGHT] * 2, color=_RULE, lw=0.3)
        axis.text(0, (row + 0.1) * _HEIGHT, label, ha="left", va="center")
        for number, name in enumerate(names):
            if name in columns:
                _draw_cell(axis, columns[name], results, _LABEL + 2 * _WIDTH * (number + 1), (row + 0.1) * _HEIGHT)
    axis.text(0, (len(cells) + 3.3) * _HEIGHT, DIFFERS, ha="left", va="center", color=_RULE, fontsize=8)


def _draw_cell(axis: Any, cell: Cell, results: Results, right: float, y: float) -> None:
    values = results.values(cell.measure, cell.series, cell.x)
    here = sum(values) / len(values) if values else None
    differs = cell.printed is not None and here != cell.printed
    axis.text(right - _WIDTH, y, number(cell.printed), ha="right", va="center")
    own = {"color": _OTHER, "weight": "bold"} if differs else {}
    axis.text(right, y, f"≠ {number(here)}" if differs else number(here), ha="right", va="center", **own)


def number(value: float | None) -> str:
    """A number of a table; a dash for none.

    >>> number(45222.0), number(49.68650736639942), number(None)
    ('45,222', '49.7', '–')
    """
    if value is None:
        return _NOTHING
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
