"""What is said beside a number: which functions a column has no answer to, and which rows were left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.models import Model
from understudy.release._answer import percent
from understudy.release._histogram_noise import cut_field, hiding_noise
from understudy.release._number_answer import Figure, shown
from understudy.release._regions import Region, number_specials
from understudy.release._unplaced import Stretch
from understudy.schema import Field, Marginal

_ORDER_ONLY = ("median", "quantile")
_MUCH = 0.2
"""The part of an answer from which on it is said that nobody measured it."""
_FAR = 1.0
"""How far from its interval a figure may lie if nobody says so, in widths of it."""
_HIDDEN = 0.05
"""The part of the rows from which on it is said that nobody knows where they lie."""
_SEEN = 2.0
"""Rows that stand out from noise, in its deviations."""


def refuse_function(function: str, field: Field) -> None:
    """Refuse a mean of names, a sum of dates and the like."""
    name = field.name
    if field.type == "string" and not (field.ordered and function in _ORDER_ONLY):
        if all(_is_number(label) for label in field.labels[: field.n_main]):
            raise OptionError(
                f"column '{name}' holds texts, so it has no {function}. They look like numbers: declare its type as "
                "integer or number when you publish."
            )
        order = " Its values have an order, so median and quantile can be asked for." if field.ordered else ""
        raise OptionError(
            f"column '{name}' holds names, and names have no {function}. Ask for '{name}' itself, or for the share of "
            f"some, such as share({name}={field.labels[0]}).{order}"
        )
    if function in ("sum", "variance") and field.type in ("date", "datetime", "year"):
        raise OptionError(
            f"column '{name}' holds {field.type}s, which have no {function}. Ask for their mean, median, quantile "
            "or sd."
        )


def left_out(field: Field, probabilities: npt.NDArray[np.float64]) -> list[str]:
    """Sentences on rows that are no numbers, special values that are, and bins; of codes with these probabilities."""
    total = probabilities.sum()
    shares = probabilities / total if total > 0 else probabilities
    zeros = number_specials(field)
    notes = []
    for i, special in enumerate(field.special):
        share = float(shares[field.n_main + i])
        if share > 0 and i in zeros:
            notes.append(f"'{field.name}': the special value {special.label} counts as 0 ({percent(share)} of rows).")
        elif share > 0:
            notes.append(
                f"'{field.name}': {percent(share)} of rows have the special value {special.label}, which is no number "
                "here. They are left out."
            )
    bins = field.bins
    if bins is not None and bins.shape is None and (bins.grid[1] > bins.grid[0]).any():
        notes.append(spread_evenly(field))
    for code, words in ((field.other_code, "a value outside the domain"), (field.missing_code, "no value")):
        if code is not None and shares[code] > 0:
            notes.append(f"'{field.name}': {percent(float(shares[code]))} of rows have {words}. They are left out.")
    return notes


def cut_bins(region: Region, noise: tuple[float, float] | None) -> list[str]:
    """What is to be said of a condition that cuts bins: nobody measured how much of them fulfils it.

    Of found bins there is something to say where much of the answer lies in cells of the histogram that are cut, or
    where next to nothing was found. `noise` is that of these cells (`fine_noise`).
    """
    field, bins = region.field, region.field.bins
    if bins is None:
        return []
    weights = region.weights[: bins.count]
    if bins.shape is None:
        return [spread_evenly(field)] if ((weights > 0) & (weights < 1)).any() else []
    if noise is None or not region.spans:
        return []
    cut = cut_field(field, region.spans)
    uncounted, inside = cut.uncounted
    if uncounted > _MUCH * inside and uncounted > 0:
        return [
            f"'{field.name}': the condition takes a part of values that were counted together. How they are spread is "
            "a guess; the interval reckons with all of them being meant, or none."
        ]
    if cut.partly and inside < _SEEN * sqrt(noise[1]):
        return [
            f"'{field.name}': so few rows, if any, do not stand out from the noise of its histogram, which is some "
            f"{roughly(hiding_noise(noise))} rows for a value or a stretch of values, and may hide several times that."
        ]
    return []


def parts_given(model: Model, given: Mapping[int, Region], wanted: Collection[int]) -> list[str]:
    """What is to be said of conditions that take parts of bins, where some columns are asked about."""
    return [
        note
        for attribute, region in given.items()
        if set(wanted) - {attribute}
        for note in parts_of_bins(region, model.marginal(Marginal.of(attribute), errors=False).probabilities)
    ]


def parts_of_bins(region: Region, probabilities: npt.NDArray[np.float64]) -> list[str]:
    """What is to be said of a condition that takes parts of bins: all rows of a bin count as alike in other columns.

    `probabilities` are those of the column's codes.
    """
    bins = region.field.bins
    if bins is None:
        return []
    held = (probabilities * region.weights)[: bins.count]
    partly = held[(region.weights[: bins.count] < 1)].sum()
    if partly <= _MUCH * (probabilities * region.weights).sum():
        return []
    return [
        f"'{region.field.name}': the condition takes a part of a bin. All rows of a bin count as alike in other "
        "columns, and no interval covers how far they are not."
    ]


def at_the_end(field: Field, level: float, hidden: tuple[float, float]) -> list[str]:
    """What is to be said of a quantile beside which fewer rows lie than stand out from noise, at either end."""
    if hidden[0] <= level <= 1 - hidden[1]:
        return []
    few = percent(hidden[int(level > 0.5)])
    return [
        f"'{field.name}': the outermost {few} of rows do not stand out from noise, so this quantile may lie anywhere "
        "up to the end of the range."
    ]


def far_out(field: Field, worst: Figure, widths: float, share: float) -> list[str]:
    """What is to be said of a mean or a deviation, if rows at the very end of a range would move it far.

    `worst` is what it would be if this share of rows lay there, so many widths of its interval beyond it.
    """
    if widths <= _FAR:
        return []
    return [
        f"'{field.name}': the outermost {percent(share)} of rows do not stand out from noise. The interval reckons "
        "with a long tail of them, not with all of them at the end of the range, where "
        f"{worst.statistic} would be {shown(worst.value, worst)}."
    ]


def hidden_places(field: Field, found: Sequence[Stretch]) -> list[str]:
    """What is to be said of a mean or a deviation, of rows of which nobody knows where in a stretch they lie."""
    share = sum(one.share for one in found if one.hidden)
    if share <= _HIDDEN:
        return []
    return [
        f"'{field.name}': how {share:.0%} of these rows lie in the range was hidden by noise. The "
        "interval reckons with all of them at either end of the stretch in which they were found."
    ]


def roughly(number: float) -> str:
    """A number of rows with the one digit that counts.

    >>> roughly(283.4), roughly(0.2)
    ('300', '1')
    """
    return f"{float(f'{number:.1g}'):,.0f}" if number >= 1 else "1"


def spread_evenly(field: Field) -> str:
    """The sentence on values inside declared bins."""
    return (
        f"'{field.name}': inside its declared bins values count as spread evenly; intervals reckon with other shapes."
    )


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
