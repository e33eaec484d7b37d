"""What `import understudy` offers: `publish`, `plan`, `answer`, the estimators, `evaluate` and `compare`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from understudy._api._estimators import Adaptive, Estimator, HPPrivBayes, PrivABN, PrivBayes
from understudy._api._plan import count_rows, plan
from understudy._api._publish import publish
from understudy._api._settings import demo_source

if TYPE_CHECKING:
    from understudy._api._answer import Answers, answer
    from understudy._api._check import check_table
    from understudy._api._compare import STAGE, compare
    from understudy._api._comparison import Comparison, spread_text, spread_words
    from understudy._api._draft import draft_schema
    from understudy._api._evaluate import evaluate, public_report

__all__ = [
    "STAGE",
    "Adaptive",
    "Answers",
    "Comparison",
    "Estimator",
    "HPPrivBayes",
    "PrivABN",
    "PrivBayes",
    "answer",
    "check_table",
    "compare",
    "count_rows",
    "demo_source",
    "draft_schema",
    "evaluate",
    "plan",
    "public_report",
    "publish",
    "spread_text",
    "spread_words",
]

# loaded when they are first used: whoever publishes needs nothing of what measures a table
_LATER = {
    "Answers": "_answer",
    "answer": "_answer",
    "check_table": "_check",
    "STAGE": "_compare",
    "compare": "_compare",
    "Comparison": "_comparison",
    "spread_text": "_comparison",
    "spread_words": "_comparison",
    "draft_schema": "_draft",
    "evaluate": "_evaluate",
    "public_report": "_evaluate",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value
