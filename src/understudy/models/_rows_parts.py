"""Rows with weights as parts of a file, and back: rows packed into words, weights, merged values, what was measured."""

from __future__ import annotations

import numpy as np

from understudy.models._merged_parts import MergedPlan, merged_to_parts, name
from understudy.models._protocol import Parts, PartsReader
from understudy.models._reading import read_probabilities, read_rows, read_whole
from understudy.models._rows_model import RowsModel
from understudy.models._rows_values import WeightedRows, n_words
from understudy.schema import Domain

_MOST_ROWS = 1 << 24


def rows_to_parts(model: RowsModel) -> Parts:
    """All parts of rows with weights."""
    said, arrays = merged_to_parts(model.within, model.measurements)
    words = {name("rows", i): word for i, word in enumerate(model.rows.packed())}
    document = {"n": model.n, "rows": len(model.rows), **said}
    return Parts(document, {name("weight", 0): model.rows.weights, **words, **arrays})


def rows_from_parts(parts: PartsReader, domain: Domain) -> RowsModel:
    """The rows again. All that is said of their shape is checked before the first array is unpacked."""
    document = parts.document
    plan, n_rows = MergedPlan.of(document, domain), read_whole(document["rows"])
    names = [name("rows", i) for i in range(n_words(plan.sizes))]
    if parts.names != plan.names | {name("weight", 0), *names}:
        raise ValueError("arrays that are missing, or that nothing refers to")
    if not 0 < n_rows <= _MOST_ROWS:
        raise ValueError("more rows than any model has, or none")
    words = np.array([parts.array(word, np.int64, (n_rows,)) for word in names], dtype=np.int64)
    rows = WeightedRows.unpacked(plan.sizes, words, read_probabilities(parts, name("weight", 0), (n_rows,)))
    n, within, measurements = read_rows(document["n"]), plan.within(parts), plan.measurements(parts)
    return RowsModel(domain, n, rows=rows, within=within, measurements=measurements)
