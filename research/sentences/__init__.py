"""What the papers say of their experiments, a sentence each, and what came out: a module for each paper or part.

To add a paper: a module with `SENTENCES`, a line below, reasons in `research/reasons.yaml`. Lines of figures are named
as `results.csv` names them.
"""

from research.sentences import (
    correlated,
    hpprivbayes,
    pram,
    privabn,
    privbayes_classifiers,
    privbayes_data,
    privbayes_encodings,
    privbayes_marginals,
    privbayes_parameters,
    privbayes_scores,
)
from research.sentences._sentence import Sentence, Test
from research.sentences._verdict import Assessed, Judged, Verdict, assess, together

SENTENCES: tuple[Sentence, ...] = (
    *privbayes_data.SENTENCES,
    *privbayes_scores.SENTENCES,
    *privbayes_encodings.SENTENCES,
    *privbayes_parameters.SENTENCES,
    *privbayes_marginals.SENTENCES,
    *privbayes_classifiers.SENTENCES,
    *privabn.SENTENCES,
    *hpprivbayes.SENTENCES,
    *correlated.SENTENCES,
    *pram.SENTENCES,
)
"""In the order of the page."""

__all__ = ["SENTENCES", "Assessed", "Judged", "Sentence", "Test", "Verdict", "assess", "together"]
