"""What `import understudy` offers: `publish`, `plan`, the estimators, and `load`."""

from understudy._api._estimators import HPPrivBayes, PrivABN, PrivBayes
from understudy._api._plan import count_rows, plan
from understudy._api._publish import publish
from understudy._api._settings import check_run, demo_source, read_schema

__all__ = [
    "HPPrivBayes",
    "PrivABN",
    "PrivBayes",
    "check_run",
    "count_rows",
    "demo_source",
    "plan",
    "publish",
    "read_schema",
]
