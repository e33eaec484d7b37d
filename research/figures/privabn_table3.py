"""PrivABN, Table 3: the data sets as they are here."""

from __future__ import annotations

from research.figures._sizes import table_of_data
from research.figures.privabn_lines import TABLES

PRINTED = {
    "NLTCS": {"rows": 21_574, "columns": 16, "domain": 16},
    "ACS": {"rows": 47_461, "columns": 23, "domain": 23},
    "Retail": {"rows": 88_162, "columns": 50, "domain": 50},
}
"""What Table 3 says."""
EXPERIMENT = table_of_data("privabn-table3", "PrivABN", "Table 3", {**TABLES, "Retail": "retail50"}, PRINTED)
