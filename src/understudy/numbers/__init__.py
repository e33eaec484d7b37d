"""Numbers at two resolutions: a fine noisy histogram of each column, and the bins and shapes that follow from it."""

from understudy.numbers._asked import schema_at
from understudy.numbers._expected import expected_schema, terms_without_numbers
from understudy.numbers._grid import cell_starts, even_schema, fine_schema
from understudy.numbers._hidden import HIDDEN_AT_AN_END, most_hidden, most_leaning
from understudy.numbers._histogram import fit_histogram
from understudy.numbers._hull import LEAST_SPREAD, least_seen
from understudy.numbers._resolve import (
    BEYOND_SHARE,
    BEYOND_SPIKES,
    MEANS,
    ROUND_VALUES,
    VALUE_BY_VALUE,
    Resolved,
    numbers_share,
    resolve_numbers,
)

__all__ = [
    "BEYOND_SHARE",
    "BEYOND_SPIKES",
    "HIDDEN_AT_AN_END",
    "LEAST_SPREAD",
    "MEANS",
    "ROUND_VALUES",
    "VALUE_BY_VALUE",
    "Resolved",
    "cell_starts",
    "even_schema",
    "expected_schema",
    "fine_schema",
    "fit_histogram",
    "least_seen",
    "most_hidden",
    "most_leaning",
    "numbers_share",
    "resolve_numbers",
    "schema_at",
    "terms_without_numbers",
]
