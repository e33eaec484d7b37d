"""Reading and writing tables: raw values to integer codes and back."""

from understudy.tables._table import Table, code_type

__all__ = ["Table", "code_type"]
