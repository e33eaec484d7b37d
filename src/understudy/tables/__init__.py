"""Reading and writing tables: raw values to integer codes and back."""

from understudy.tables._read import CheckReport, ColumnCheck, check_table, read_table
from understudy.tables._sources import column_names, kind_of
from understudy.tables._table import Table, code_type

__all__ = ["CheckReport", "ColumnCheck", "Table", "check_table", "code_type", "column_names", "kind_of", "read_table"]
