"""PrivBayes, Table 5: the data sets as they are here."""

from __future__ import annotations

from research.figures._budgets import BENCHMARKS
from research.figures._sizes import table_of_data

EXPERIMENT = table_of_data(
    "privbayes-table5", "PrivBayes", "Table 5", BENCHMARKS, ("rows", "columns", "domain", "bits")
)
