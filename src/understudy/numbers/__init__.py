"""Numbers at two resolutions: a fine noisy histogram of each column, and the bins and shapes that follow from it."""

from understudy.numbers._grid import even_schema, fine_schema
from understudy.numbers._histogram import fit_histogram
from understudy.numbers._resolve import NUMBERS_SHARE, Resolved, resolve_numbers

__all__ = ["NUMBERS_SHARE", "Resolved", "even_schema", "fine_schema", "fit_histogram", "resolve_numbers"]
