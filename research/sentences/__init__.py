"""What the papers say of their experiments, a sentence each, and what came out: a module for each paper or part.

To add a paper: a module with `SENTENCES`, a line below, reasons in `research/reasons.yaml`. Lines of figures are named
as `results.csv` names them.
"""

from research.sentences import hpprivbayes
from research.sentences._sentence import Sentence, Test
from research.sentences._verdict import Assessed, Judged, Verdict, assess, together

SENTENCES: tuple[Sentence, ...] = (*hpprivbayes.SENTENCES,)
"""In the order of the page."""

__all__ = ["SENTENCES", "Assessed", "Judged", "Sentence", "Test", "Verdict", "assess", "together"]
