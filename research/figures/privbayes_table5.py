"""PrivBayes, Table 5: the data sets as they are here."""

from __future__ import annotations

from research.figures._budgets import BENCHMARKS
from research.figures._sizes import table_of_data

PRINTED = {
    "NLTCS": {"rows": 21_574, "columns": 16, "bits": 16},
    "ACS": {"rows": 47_461, "columns": 23, "bits": 23},
    "Adult": {"rows": 45_222, "columns": 15, "bits": 52},
    "BR2000": {"rows": 38_000, "columns": 14, "bits": 32},
}
"""What Table 5 says; its domain sizes, such as 2⁵², are those of a row in binary encoding."""
EXPERIMENT = table_of_data("privbayes-table5", "PrivBayes", "Table 5", BENCHMARKS, PRINTED)
