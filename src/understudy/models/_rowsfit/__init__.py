"""Fitting weights of rows to noisy tables, and choosing among rows by their weights."""

from understudy.models._rowsfit._choosing import choose_rows, draw_rows, tables_of
from understudy.models._rowsfit._engine import MOST_VALUES, RowsFit, draw_from
from understudy.models._rowsfit._layout import Codes, Pair

__all__ = ["MOST_VALUES", "Codes", "Pair", "RowsFit", "choose_rows", "draw_from", "draw_rows", "tables_of"]
