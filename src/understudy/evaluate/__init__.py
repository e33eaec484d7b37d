"""Whether a synthetic table is any good: measures against the real table. What they find is private to the holder."""

from understudy.evaluate._property import Better, Property, find_property

__all__ = ["Better", "Property", "find_property"]
