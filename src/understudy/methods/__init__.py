"""Recipes over a curator. A new method joins by a line in `METHODS`."""

from understudy.methods._plan import Plan
from understudy.methods._privbayes import PrivBayes
from understudy.methods._registry import METHODS, Method, method_named

__all__ = ["METHODS", "Method", "Plan", "PrivBayes", "method_named"]
