"""How many bins are to be expected where they are to be found: for plans, which look at no row."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from understudy.numbers._grid import fine_cells
from understudy.numbers._resolve import looked_part, numbers_share
from understudy.privacy import PrivacyTerms
from understudy.schema import Schema, binary_depth

_BINS = 16  # of about equal mass, where noise allows as many


def expected_schema(schema: Schema, n: int, terms: PrivacyTerms) -> Schema:
    """The same schema with as many bins in place of automatic ones as noise is expected to leave.

    A bin holds at least three times the noise of a cell of the fine histogram, and a sixteenth of the rows; a column of
    few values has them all.

    >>> from understudy.privacy import make_budget
    >>> schema = Schema.from_dict({"fields": [{"name": "gain", "type": "integer", "bins": "auto",
    ...     "constraints": {"minimum": 0, "maximum": 99_999}}]})
    >>> terms = PrivacyTerms(budget=make_budget(1, "1e-9"))
    >>> [expected_schema(schema, n, terms)["gain"].size for n in (500, 2000, 50_000)]
    [3, 11, 16]
    """
    cells = {i: fine_cells(field) for i, field in enumerate(schema.fields) if field.counted_finely}
    if not cells:
        return schema
    tables = sum(-(-(1 + binary_depth(values)) // 2) for values in cells.values())
    noise = terms.table_noise(numbers_share(schema) * looked_part(schema, list(cells)) / max(tables, 1))
    least = 3 * sqrt(float(noise.variance)) / terms.unit.parts  # noise is of what is counted; a huge ε has none
    room = min(float(_BINS), n / least) if least else float(_BINS)
    written = schema.to_dict()
    for i, values in cells.items():
        if schema.fields[i].shaped:
            continue  # its bins are declared
        few = values <= schema.fields[i].n_main  # as many bins as values: each keeps its own
        bins = max(2, round(room)) + len(schema.fields[i].cuts)  # what is declared of rows cuts as well
        written["fields"][i]["bins"] = {"count": values if few else min(bins, values)}
    for rules in ("dependencies", "brokenRows"):
        written.pop(rules, None)  # bins of equal width need not end where a rule does; found ones will
    return Schema.from_dict(written)


def terms_without_numbers(schema: Schema, terms: PrivacyTerms) -> PrivacyTerms:
    """What is left for the method once bins are found."""
    share = numbers_share(schema)
    return replace(terms, budget=terms.budget.part(1 - share)) if share else terms
