"""Relations of numbers that are lost though tables of bins may be right: how many, the worst. Private to the holder."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.evaluation._numbers import NumberColumn, in_unit, number_text
from understudy.evaluation._rating import CLOSE, FAIR, Tone
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._verdict import columns_named

_STRONG = 0.4
"""A correlation that counts by itself; of weaker ones a quarter must be lost, and more than one."""
_PART, _SEVERAL = 0.25, 2


def tone_of_lost(results: Sequence[MeasureResult]) -> Tone:
    """With care where a strong correlation is lost, or many clear ones, or a group's mean by a factor of two.

    >>> tone_of_lost([]).name
    'close'
    """
    columns = _columns(results)
    pairs = {(column.name, tie.column) for column in columns for tie in column.ties}
    lost = [(column.name, tie) for column in columns for tie in column.ties if tie.lost]
    several = len({(name, tie.column) for name, tie in lost})
    ties = several >= max(_SEVERAL, _PART * len(pairs)) or any(abs(tie.real) >= _STRONG for _, tie in lost)
    means = any(column.ratios and group.lost_by_half for column in columns for group in column.groups)
    return FAIR if ties or means else CLOSE


def lost_ties(results: Sequence[MeasureResult]) -> str:
    """Pairs of numbers that lose a clear correlation: how many, and the worst. Begins with a space if there is any.

    >>> lost_ties([])
    ''
    """
    pairs = [(column, tie) for column in _columns(results) for tie in column.ties]
    lost = [(column, tie) for column, tie in pairs if tie.lost]
    if not lost:
        return ""
    column, tie = max(lost, key=lambda one: one[1].fallen)
    several, of = (len({(column.name, tie.column) for column, tie in some}) for some in (lost, pairs))
    where = "The only clear correlation" if of == 1 else f"{several} of {of:,} clear correlations"
    lose = "loses" if several == 1 else "lose"
    return (
        f" {where} of numbers {lose} more than a third: "
        f"{'worst ' if several > 1 else ''}{columns_named([column.name, tie.column])}, {tie.measure} "
        f"{_signed(tie.real)} became {_signed(tie.synthetic)}."
    )


def lost_in_groups(results: Sequence[MeasureResult]) -> str:
    """Numbers whose means in groups of rows are lost: how many, and the worst. Begins with a space if there is any.

    >>> lost_in_groups([])
    ''
    """
    pairs = [(column, group) for column in _columns(results) for group in column.groups]
    lost = [(column, group) for column, group in pairs if group.lost]
    if not lost:
        return ""
    # what is off by a factor of two is told before what is off by more deviations
    column, group = max(lost, key=lambda one: (one[0].ratios and one[1].lost_by_half, one[1].off))
    where = "the only pair" if len(pairs) == 1 else f"{len(lost)} of {len(pairs):,} pairs"
    return (
        f" A group's mean is lost in {where} of a number and categories: "
        f"{'worst ' if len(lost) > 1 else ''}{columns_named([column.name])} where {columns_named([group.column])} is "
        f"{columns_named([group.value])}, {' became '.join(_apart(column, group.real, group.synthetic))}."
    )


def _apart(column: NumberColumn, real: float, synthetic: float) -> tuple[str, str]:
    """Two values of the column, with digits enough to tell them apart."""
    texts = column.text(real), column.text(synthetic)
    if texts[0] != texts[1] or column.text_type in ("date", "datetime"):
        return texts
    gap = abs(real - synthetic)
    return in_unit(number_text(real, gap), column.unit), in_unit(number_text(synthetic, gap), column.unit)


def _signed(correlation: float) -> str:
    return f"{correlation:.2f}".replace("-", "−")


def _columns(results: Sequence[MeasureResult]) -> list[NumberColumn]:
    return [column for known in results for column in known.numbers]
