"""Why a sentence holds or fails, or how it was read, in a line each. They are data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

REASONS = Path(__file__).with_name("reasons.yaml")


def reason_of(name: str) -> str:
    """The line on a sentence; empty if there is none.

    >>> reason_of("hpprivbayes-k1").startswith("At k = 1")
    True
    """
    return read_reasons().get(name, "")


@cache
def read_reasons() -> dict[str, str]:
    """All of them, by sentence."""
    found = yaml.safe_load(REASONS.read_text(encoding="utf-8"))
    return {name: " ".join(words.split()) for name, words in found.items()}
