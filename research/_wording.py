"""How verdicts, power and runs are said in a few words, on pages and in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from research.rules import FEWEST

if TYPE_CHECKING:
    from research.sentences import Judged

_MANY = 1_000  # ten times what any of the papers has: more is no plan
_OWN = {"PrivBayes": 100, "PrivABN": 100, "HPPrivBayes": 20, "PRAM-BN": 10}
"""How often the papers repeat their experiments, where they say so: no longer plan is made for a sentence of theirs."""


def runs_in_words(judged: Judged) -> str:
    """How many runs a point had, what difference they would have shown, and how many would decide what is undecided.

    >>> from research.rules import Beats, Decision
    >>> from research.sentences import Judged, Test
    >>> test = Test(table="NLTCS", experiment="e", rule=Beats(ours=("a",), others=("b",), measures=("m",)))
    >>> runs_in_words(Judged(verdict="holds", tests=((test, Decision(verdict="holds", why="", runs=5, power=0.04)),)))
    '5 runs, sees 4 %.'
    """
    words = []
    open_ones = [(test, one) for test, one in judged.tests if one.verdict == "undecided"]
    own = min(filter(None, (own_repetitions(test.experiment) for test, _ in open_ones)), default=None)
    beyond = judged.verdict == "undecided" and own is not None and (judged.needed or 0) > own
    if judged.runs is not None:
        words.append(f"{_span(*(f'{runs:,}' for runs in judged.runs))} runs")
    if judged.power is not None and not beyond:
        words.append(f"sees {_span(*map(_share, judged.power))} %")
    if not words and judged.tests and judged.verdict != "undecided":
        words.append("Exact")
    said = ", ".join(words)
    if judged.verdict == "undecided":
        power = max((one.power for _, one in open_ones if one.power is not None), default=None)
        said += "; " * bool(said) + needed_in_words(judged.needed, own, power)
    return said[:1].upper() + said[1:] + "." * bool(said)


def own_repetitions(experiment: str) -> int | None:
    """How often a paper repeats an experiment; nothing where it does not say.

    >>> own_repetitions("privbayes-fig4"), own_repetitions("hpprivbayes-fig4"), own_repetitions("correlated-fig1")
    (100, 20, None)
    """
    from research.figures import EXPERIMENTS

    return _OWN.get(EXPERIMENTS[experiment].paper) if experiment in EXPERIMENTS else None


def needed_in_words(needed: int | None, own: int | None = None, power: float | None = None) -> str:
    """How many runs would decide; or, where they are more than a paper's own, that none of its size was seen.

    >>> needed_in_words(12), needed_in_words(None), needed_in_words(20_000)
    ('12 runs would decide', 'no number of runs would decide', 'over 1,000 runs would decide')
    >>> needed_in_words(662, own=100, power=0.07)
    "no difference of 7 % or more; the paper's 100 runs would not decide it"
    >>> needed_in_words(5)
    'it needs five runs'
    """
    if needed is not None and needed <= FEWEST:
        return "it needs five runs"
    if needed is None:
        return "no number of runs would decide"
    if own is not None and needed > own:
        seen = "" if power is None else f"no difference of {_share(power)} % or more; "
        return f"{seen}the paper's {own:,} runs would not decide it"
    return f"over {_MANY:,} runs would decide" if needed > _MANY else f"{needed:,} runs would decide"


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low}–{high}"


def _share(power: float) -> str:
    """As a number of hundredths, two digits.

    >>> _share(0.0412), _share(0.0006), _share(2.2)
    ('4.1', '0.06', '220')
    """
    return f"{100 * power:.2g}" if power < 1 else f"{round(100 * power, -1):.0f}"
