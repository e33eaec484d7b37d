"""The outlook of a plan as a table of texts, for the screen and for notebooks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from understudy.methods._outlook import Outlook

OUTLOOK_HEADER = ("ε", "50 % guess", "column", "pair", "independent", "pairs kept", "relations")
_MUCH_MORE = 1.5
OUTLOOK_LEGEND = (
    "50 % guess: what a guess about one row, or one unit if units are named, can become at most. Column, pair: "
    "expected error, by total variation distance, on average; 0.05 means that five rows in a hundred would have to "
    "change. Independent: that of pairs if columns were drawn independently, without noise. Pairs kept: those at most "
    "half as far off."
)


def outlook_rows(outlook: Sequence[Outlook]) -> list[list[str]]:
    """A row for each ε, as `OUTLOOK_HEADER` has them.

    >>> outlook_rows([Outlook(epsilon=1.0, delta=0.0, guess=0.73106, hits=0.73106)])
    [['1', '≤ 73.2%', '-', '-', '-', '-', '-']]
    """
    return [
        [
            f"{line.epsilon:g}",
            f"≤ {_percent(line.guess)}",
            error_text(line.column_error),
            _ranged(line.pair_error, line.pair_error_low, line.pair_error_high),
            _ranged(line.independent_error, line.independent_error_low, line.independent_error_high),
            _kept(line),
            "-" if line.relations == "unknown" else line.relations,
        ]
        for line in outlook
    ]


def outlook_notes(outlook: Sequence[Outlook], assumed: str) -> list[str]:
    """What to say below the table."""
    return [*(line.words for line in outlook), *([assumed] if assumed else []), OUTLOOK_LEGEND]


def error_text(error: float | None) -> str:
    """An error with two or three digits that say something.

    >>> error_text(0.0312), error_text(0.00312), error_text(None)
    ('0.031', '0.0031', '-')
    """
    return "-" if error is None else f"{error:.4f}" if error < 0.01 else f"{error:.3f}"


def column_error_text(error: float, even: float) -> str:
    """An error, and in brackets what it is where all values are equally frequent, if that is much more.

    >>> column_error_text(0.0381, 0.117), column_error_text(0.0381, 0.0402)
    ('0.038 [0.117]', '0.038')
    """
    return f"{error_text(error)} [{error_text(even)}]" if even > _MUCH_MORE * error else error_text(error)


def _percent(chance: float) -> str:
    """Rounded up, as a bound must be; what is known to fifteen digits is no reason to go a step higher."""
    return f"{min(math.ceil(round(1000 * chance, 9)) / 10, 100):g}%"


def _ranged(error: float | None, low: float | None, high: float | None) -> str:
    return "-" if error is None else f"{error_text(error)} [{error_text(low)}–{error_text(high)}]"


def _kept(line: Outlook) -> str:
    if line.pairs_kept is None:
        return "-"
    return f"{line.pairs_kept:,} of {line.pairs:,} [{line.pairs_kept_low:,}–{line.pairs_kept_high:,}]"
