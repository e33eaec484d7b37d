"""Publish a private table as a synthetic one, under differential privacy, and say exactly what that reveals.

Names are loaded when they are first used, so that `import understudy` and `understudy --help` are fast.

>>> import understudy as us
>>> us.Adaptive(epsilon=1.0)
Adaptive(epsilon=1.0)
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing's own takes longer to load than all that is needed here
if TYPE_CHECKING:
    from typing import Any

    from understudy import randomize
    from understudy._api import (
        Adaptive,
        Answers,
        Comparison,
        HPPrivBayes,
        PrivABN,
        PrivBayes,
        answer,
        check_table,
        compare,
        evaluate,
        plan,
        public_report,
        publish,
    )
    from understudy._core.errors import (
        BudgetExceeded,
        InternalError,
        LedgerError,
        ModelFileError,
        OptionError,
        OutputError,
        SchemaError,
        TableError,
        UnderstudyError,
        UserError,
    )
    from understudy.answers import LinearQuery
    from understudy.correlate import correlate
    from understudy.privacy import MemoryLedger, PrivacyWarning, SQLiteLedger
    from understudy.release import Answer, NumberAnswer, PublishedModel, Release, Statement
    from understudy.release import load_model as load
    from understudy.schema import Schema

    __version__: str

__all__ = [
    "Adaptive",
    "Answer",
    "Answers",
    "BudgetExceeded",
    "Comparison",
    "HPPrivBayes",
    "InternalError",
    "LedgerError",
    "LinearQuery",
    "MemoryLedger",
    "ModelFileError",
    "NumberAnswer",
    "OptionError",
    "OutputError",
    "PrivABN",
    "PrivBayes",
    "PrivacyWarning",
    "PublishedModel",
    "Release",
    "SQLiteLedger",
    "Schema",
    "SchemaError",
    "Statement",
    "TableError",
    "UnderstudyError",
    "UserError",
    "__version__",
    "answer",
    "check_table",
    "compare",
    "correlate",
    "draft_schema",
    "evaluate",
    "load",
    "plan",
    "public_report",
    "publish",
    "randomize",
]

_HOMES = {
    "understudy._api": (
        *("Adaptive", "Answers", "Comparison", "HPPrivBayes", "PrivABN", "PrivBayes"),
        *("answer", "check_table", "compare", "draft_schema", "evaluate", "plan", "public_report", "publish"),
    ),
    "understudy.answers": ("LinearQuery",),
    "understudy._core.errors": (
        *("BudgetExceeded", "InternalError", "LedgerError", "ModelFileError", "OptionError", "OutputError"),
        *("SchemaError", "TableError", "UnderstudyError", "UserError"),
    ),
    "understudy.privacy": ("MemoryLedger", "PrivacyWarning", "SQLiteLedger"),
    "understudy.release": ("Answer", "NumberAnswer", "PublishedModel", "Release", "Statement"),
    "understudy.schema": ("Schema",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("understudy")
    elif name in ("correlate", "randomize"):  # rooms: us.randomize.plan(…); us.correlate(…) is called itself
        value = import_module(f"understudy.{name}")
    elif name == "load":
        value = import_module("understudy.release").load_model
    elif name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'understudy' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
