"""How verdicts, power and runs are said in a few words, on pages and in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from research.rules import FEWEST

if TYPE_CHECKING:
    from research.sentences import Judged

_MANY = 1_000  # ten times what any of the papers has: more is no plan


def runs_in_words(judged: Judged) -> str:
    """How many runs a point had, what difference they would have shown, and how many would decide what is undecided.

    >>> from research.rules import Beats, Decision
    >>> from research.sentences import Judged, Test
    >>> test = Test(table="NLTCS", experiment="e", rule=Beats(ours=("a",), others=("b",), measures=("m",)))
    >>> runs_in_words(Judged(verdict="holds", tests=((test, Decision(verdict="holds", why="", runs=5, power=0.04)),)))
    '5 runs, sees 4 %.'
    """
    words = []
    if judged.runs is not None:
        words.append(f"{_span(*(f'{runs:,}' for runs in judged.runs))} runs")
    if judged.power is not None:
        words.append(f"sees {_span(*map(_share, judged.power))} %")
    if not words and judged.tests and judged.verdict != "undecided":
        words.append("Exact")
    said = ", ".join(words)
    if judged.verdict == "undecided":
        said += "; " * bool(said) + needed_in_words(judged.needed)
    return said[:1].upper() + said[1:] + "." * bool(said)


def needed_in_words(needed: int | None) -> str:
    """How many runs would decide.

    >>> needed_in_words(12), needed_in_words(None), needed_in_words(20_000)
    ('12 runs would decide', 'no number of runs would decide', 'over 1,000 runs would decide')
    >>> needed_in_words(5)
    'it needs five runs'
    """
    if needed is not None and needed <= FEWEST:
        return "it needs five runs"
    if needed is None:
        return "no number of runs would decide"
    return f"over {_MANY:,} runs would decide" if needed > _MANY else f"{needed:,} runs would decide"


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low}–{high}"


def _share(power: float) -> str:
    """As a number of hundredths, two digits.

    >>> _share(0.0412), _share(0.0006), _share(2.2)
    ('4.1', '0.06', '220')
    """
    return f"{100 * power:.2g}" if power < 1 else f"{round(100 * power, -1):.0f}"
