"""Rules that decide a paper's sentence on one table: what is compared, what is clear, what would have been seen."""

from research.rules._contrast import FEWEST, LEVEL, NONE, Contrast, clear, jackknife, none, of_values, paired
from research.rules._decision import Compared, Decision, Rule, Strength, Word, in_words, weigh
from research.rules._lines import Beats, Line, Near, Trend, difference
from research.rules._other import Contrasts, Decided, Exact

__all__ = [
    "FEWEST",
    "LEVEL",
    "NONE",
    "Beats",
    "Compared",
    "Contrast",
    "Contrasts",
    "Decided",
    "Decision",
    "Exact",
    "Line",
    "Near",
    "Rule",
    "Strength",
    "Trend",
    "Word",
    "clear",
    "difference",
    "in_words",
    "jackknife",
    "none",
    "of_values",
    "paired",
    "weigh",
]
