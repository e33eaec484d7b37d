"""Bins for the numbers that queries ask about: cut at the values that the queries name, so that none cuts a bin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from understudy._core.errors import OptionError, UnderstudyError
from understudy.answers import Line, LinearQuery
from understudy.numbers import schema_at
from understudy.release import find_field, parse_question, parse_terms, terms_to_conditions
from understudy.schema import Field, Schema


def schema_for_queries(lines: Sequence[Line | LinearQuery], schema: Schema) -> Schema:
    """The schema that queries are answered over: `bins: auto` ends where queries begin or end.

    What queries ask is public, so this costs nothing; and their answers have no error from values inside bins.

    >>> fields = [{"name": "gain", "type": "integer", "constraints": {"minimum": 0, "maximum": 99_999}}]
    >>> schema = Schema.from_dict({"fields": fields})
    >>> schema_for_queries([Line.of("gain=1..5000", where="line 1")], schema)["gain"].labels
    ('0', '1–5000', '5001–99999')
    """
    if not any(field.counted_finely for field in schema.fields):
        return schema
    cuts: dict[int, set[int]] = {}
    tabled: set[int] = set()
    for line in lines:
        if isinstance(line, LinearQuery):
            _refuse_linear(line, schema)
            continue
        try:
            _note_cuts(line, schema, cuts, tabled)
        except UnderstudyError:
            continue  # told with all other mistakes when the workload is made
    return schema_at(schema, cuts, tabled)


def _note_cuts(line: Line, schema: Schema, cuts: dict[int, set[int]], tabled: set[int]) -> None:
    if line.kind == "table":
        question = parse_question(line.text)
        terms, asked = question.terms, [find_field(schema, name) for name in question.names]
        tabled.update(asked)
        cuts.update({attribute: set() for attribute in asked if attribute not in cuts})
    else:
        terms = parse_terms(line.text)
    for attribute, choices in terms_to_conditions(schema, terms).choices.items():
        field = schema.fields[attribute]
        if field.automatic:
            noted = cuts.setdefault(attribute, set())
            for choice in choices:
                noted.update(_first_points(field, choice.code, choice.low, choice.high))


def _first_points(field: Field, code: int | None, low: Any, high: Any) -> list[int]:
    """The grid points at which a bin is to begin: the first one of the range, and the first one after it."""
    if field.bins is None or (code is not None and code >= field.n_main):
        return []
    if code is not None and low is None:  # a bin of equal width, by its label
        first, last = field.bins.grid
        return [int(first[code]), int(last[code]) + 1]
    found = []
    unit = float(field.bins.unit)
    if low is not None:
        found.append(math.ceil(round(float(field.form.parse(low)) / unit, 6)))
    if high is not None:
        found.append(math.floor(round(float(field.form.parse(high)) / unit, 6)) + 1)
    return found


def _refuse_linear(given: LinearQuery, schema: Schema) -> None:
    for name in given.columns:
        if schema.fields[find_field(schema, name)].automatic:
            raise OptionError(
                f"a linear query has weights for the bins of '{name}', and its schema declares none: where they lie "
                "would follow from the other queries. Declare them (bins: {edges: [0, 1000, 5000]}, or bins: 16)."
            )
