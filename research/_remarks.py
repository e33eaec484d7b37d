"""Remarks on experiments: what a paper leaves open, how it was read, and what was measured about it. They are data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

REMARKS = Path(__file__).with_name("remarks.yaml")
SHARED = "shared"


def remarks_on(name: str) -> tuple[str, ...]:
    """The remarks on an experiment, a paragraph each.

    >>> remarks_on("privabn-fig2")[0]
    'The quick form has 14 of the 24 budgets.'
    """
    return _read().get(name, ())


@cache
def _read() -> dict[str, tuple[str, ...]]:
    found = yaml.safe_load(REMARKS.read_text(encoding="utf-8"))
    return {name: tuple(paragraphs) for name, paragraphs in found.items() if name != SHARED}
