"""PrivABN, Table 3: the data sets as they are here."""

from __future__ import annotations

from research.figures._sizes import table_of_data
from research.figures.privabn_lines import TABLES

EXPERIMENT = table_of_data(
    "privabn-table3", "PrivABN", "Table 3", {**TABLES, "Retail": "retail50"}, ("rows", "columns", "domain")
)
