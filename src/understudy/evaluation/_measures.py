"""All measures, in the order in which a reader asks. A new one is a file of its own and a line here."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.evaluation._association import COLUMN_ASSOCIATIONS
from understudy.evaluation._classify import CLASSIFICATION
from understudy.evaluation._detection import DETECTION
from understudy.evaluation._measure import Measure, MeasureInput
from understudy.evaluation._network import NETWORK_INFORMATION
from understudy.evaluation._ranges import RANGE_QUERIES
from understudy.evaluation._raw import RAW_VALUES
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._sdmetrics_columns import SDMETRICS_COLUMNS
from understudy.evaluation._sdmetrics_pairs import SDMETRICS_PAIRS
from understudy.evaluation._tables import TABLE_DISTANCES
from understudy.evaluation._validity import VALIDITY

MEASURES: tuple[Measure, ...] = (
    VALIDITY,
    RAW_VALUES,
    TABLE_DISTANCES,
    COLUMN_ASSOCIATIONS,
    RANGE_QUERIES,
    NETWORK_INFORMATION,
    DETECTION,
    CLASSIFICATION,
    SDMETRICS_COLUMNS,
    SDMETRICS_PAIRS,
)


def compute_measures(given: MeasureInput, measures: Sequence[Measure] | None = None) -> list[MeasureResult]:
    """What all measures find that have what they need; those of `MEASURES`, unless others are named.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> pair = read_pair(pa.table({"sex": ["M", "F"]}), pa.table({"sex": ["M", "M", "M", "F"]}), schema)
    >>> given = MeasureInput(pair=pair, references=make_references(pair), classifiers=False)
    >>> [(one.name, one.value) for one in compute_measures(given, [TABLE_DISTANCES])]
    [('1-way', 0.25)]
    """
    found: list[MeasureResult] = []
    for measure in MEASURES if measures is None else measures:
        if all(given.has(need) for need in measure.needs):
            found += measure.compute(given)
    return found
