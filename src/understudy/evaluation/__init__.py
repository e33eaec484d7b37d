"""Whether a synthetic table is any good: measures against the real table. What they find is private to the holder."""

from understudy.evaluation._association import ASSOCIATIONS, COLUMN_ASSOCIATIONS, measure_associations
from understudy.evaluation._classify import CLASSIFICATION, CLASSIFIERS, measure_classification
from understudy.evaluation._counts import Joint, choose_groups, joint_counts
from understudy.evaluation._detection import DETECTION, DETECTORS, measure_detection
from understudy.evaluation._facts import BudgetLine, ReportFacts
from understudy.evaluation._interval import mean_interval
from understudy.evaluation._learning import quiet, rows_of, scikit_learn, some_rows
from understudy.evaluation._matrices import AssociationMatrices
from understudy.evaluation._measure import (
    ASSOCIATIONS_GROUP,
    DETECTION_GROUP,
    LEARNING_GROUP,
    NETWORK_GROUP,
    NUMBERS_GROUP,
    QUERIES_GROUP,
    TABLES_GROUP,
    VALIDITY_GROUP,
    Direction,
    Group,
    Measure,
    MeasureInput,
    Need,
)
from understudy.evaluation._measures import MEASURES, compute_measures
from understudy.evaluation._network import NETWORK_INFORMATION, measure_network
from understudy.evaluation._numbers import Bars, Error, Figures, NumberColumn, Spike
from understudy.evaluation._page_first import number_rows
from understudy.evaluation._pair import Pair, PairFaults, Progress, TableFaults, pair_of_codes, read_pair
from understudy.evaluation._public import PublicReport, make_public_report
from understudy.evaluation._ranges import RANGE_QUERIES, measure_ranges
from understudy.evaluation._rating import Tone, tone_of
from understudy.evaluation._raw import RAW_VALUES, measure_raw_values
from understudy.evaluation._reference import (
    References,
    draw_fresh_sample,
    draw_independent_columns,
    make_references,
    reference_coins,
)
from understudy.evaluation._report import Report, make_report
from understudy.evaluation._result import MeasureResult, find_result
from understudy.evaluation._sdmetrics_columns import SDMETRICS_COLUMNS, measure_sdmetrics_columns
from understudy.evaluation._sdmetrics_pairs import SDMETRICS_PAIRS, measure_sdmetrics_pairs
from understudy.evaluation._summaries import Cell, Histogram, Shares, WorstTable
from understudy.evaluation._tables import TABLE_DISTANCES, measure_tables, total_variation
from understudy.evaluation._targets import check_targets, default_targets
from understudy.evaluation._validity import VALIDITY, measure_validity
from understudy.evaluation._verdict import beside_references, columns_named, points
from understudy.evaluation._verdicts import Verdict

__all__ = [
    "ASSOCIATIONS",
    "ASSOCIATIONS_GROUP",
    "CLASSIFICATION",
    "CLASSIFIERS",
    "COLUMN_ASSOCIATIONS",
    "DETECTION",
    "DETECTION_GROUP",
    "DETECTORS",
    "LEARNING_GROUP",
    "MEASURES",
    "NETWORK_GROUP",
    "NETWORK_INFORMATION",
    "NUMBERS_GROUP",
    "QUERIES_GROUP",
    "RANGE_QUERIES",
    "RAW_VALUES",
    "SDMETRICS_COLUMNS",
    "SDMETRICS_PAIRS",
    "TABLES_GROUP",
    "TABLE_DISTANCES",
    "VALIDITY",
    "VALIDITY_GROUP",
    "AssociationMatrices",
    "Bars",
    "BudgetLine",
    "Cell",
    "Direction",
    "Error",
    "Figures",
    "Group",
    "Histogram",
    "Joint",
    "Measure",
    "MeasureInput",
    "MeasureResult",
    "Need",
    "NumberColumn",
    "Pair",
    "PairFaults",
    "Progress",
    "PublicReport",
    "References",
    "Report",
    "ReportFacts",
    "Shares",
    "Spike",
    "TableFaults",
    "Tone",
    "Verdict",
    "WorstTable",
    "beside_references",
    "check_targets",
    "choose_groups",
    "columns_named",
    "compute_measures",
    "default_targets",
    "draw_fresh_sample",
    "draw_independent_columns",
    "find_result",
    "joint_counts",
    "make_public_report",
    "make_references",
    "make_report",
    "mean_interval",
    "measure_associations",
    "measure_classification",
    "measure_detection",
    "measure_network",
    "measure_ranges",
    "measure_raw_values",
    "measure_sdmetrics_columns",
    "measure_sdmetrics_pairs",
    "measure_tables",
    "measure_validity",
    "number_rows",
    "pair_of_codes",
    "points",
    "quiet",
    "read_pair",
    "reference_coins",
    "rows_of",
    "scikit_learn",
    "some_rows",
    "tone_of",
    "total_variation",
]
