"""Whether a synthetic table is any good: measures against the real table. What they find is private to the holder."""

from understudy.evaluate._pair import Found, Pair, Progress, TableFound, pair_of_codes, read_pair
from understudy.evaluate._property import Better, Property, find_property
from understudy.evaluate._reference import References, ceiling_table, floor_table, make_references

__all__ = [
    "Better",
    "Found",
    "Pair",
    "Progress",
    "Property",
    "References",
    "TableFound",
    "ceiling_table",
    "find_property",
    "floor_table",
    "make_references",
    "pair_of_codes",
    "read_pair",
]
