"""Figures of experiments, in the papers' layout, and tables of numbers beside what a paper prints."""

from research.drawing._figure import MOST_LINES, check_matplotlib, draw, laid_out
from research.drawing._looks import COLOURS, Look, looks_of

__all__ = ["COLOURS", "MOST_LINES", "Look", "check_matplotlib", "draw", "laid_out", "looks_of"]
