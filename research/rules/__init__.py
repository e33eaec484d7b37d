"""Rules that decide a paper's sentence on one table: what is compared, what is clear, what would have been seen."""

from research.rules._contrast import FEWEST, LEVEL, Contrast, clear, jackknife, of_values, paired
from research.rules._decision import Compared, Decision, Rule, Strength, Word, weigh
from research.rules._lines import Beats, Near, Trend, difference
from research.rules._other import Contrasts, Decided, Exact

__all__ = [
    "FEWEST",
    "LEVEL",
    "Beats",
    "Compared",
    "Contrast",
    "Contrasts",
    "Decided",
    "Decision",
    "Exact",
    "Near",
    "Rule",
    "Strength",
    "Trend",
    "Word",
    "clear",
    "difference",
    "jackknife",
    "of_values",
    "paired",
    "weigh",
]
