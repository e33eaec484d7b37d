"""Keyed hashes of many short texts at a time."""

from understudy.randomize._hashing._hmac import LONGEST, Hmac

__all__ = ["LONGEST", "Hmac"]
