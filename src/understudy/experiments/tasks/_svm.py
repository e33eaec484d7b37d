"""The papers' second task: how often classifiers of a table's four columns are wrong on rows held back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def svm(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Misclassification rate of each of the table's four tasks, by the task's name.

    Parameters: `dataset`, `method` ("no-privacy", a classifier of `experiments.svm`, or a method's word), `epsilon`,
    and `kernel` if it is not the linear one.
    """
    from understudy.experiments.svm import svm_errors  # that room uses this one's `rehearse`

    options = {"kernel": params["kernel"]} if "kernel" in params else {}
    return svm_errors(params["dataset"], params["method"], params["epsilon"], seed, folder, **options)
