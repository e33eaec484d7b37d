"""Options declared once: what they may be, how they are read, and what is said of them. Imports nothing heavy."""

from understudy.options._answer import AnswerOptions
from understudy.options._constraints import (
    Anything,
    Constraint,
    FilePath,
    Memory,
    Names,
    OneOf,
    Real,
    Seeds,
    Several,
    Tables,
    Text,
    Whole,
    YesNo,
)
from understudy.options._correlate import CorrelateOptions
from understudy.options._declared import Declared, Option, option, options_of, signature_of
from understudy.options._evaluation import MAX_TABLES, CompareOptions, EvaluateOptions
from understudy.options._run import DEFAULT_DELTA, MethodFlags, OutlookOptions, PlanOptions, PublishOptions, RunOptions

__all__ = [
    "DEFAULT_DELTA",
    "MAX_TABLES",
    "AnswerOptions",
    "Anything",
    "CompareOptions",
    "Constraint",
    "CorrelateOptions",
    "Declared",
    "EvaluateOptions",
    "FilePath",
    "Memory",
    "MethodFlags",
    "Names",
    "OneOf",
    "Option",
    "OutlookOptions",
    "PlanOptions",
    "PublishOptions",
    "Real",
    "RunOptions",
    "Seeds",
    "Several",
    "Tables",
    "Text",
    "Whole",
    "YesNo",
    "option",
    "options_of",
    "signature_of",
]
