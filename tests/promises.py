"""The strictest promise, for tests that are about pure ε or need the number of rows to be public and exact."""

from __future__ import annotations

from typing import Any

STRICT: dict[str, Any] = {"delta": 0, "neighbours": "replace-one"}
STRICT_FLAGS = ("--delta", "0", "--neighbours", "replace-one")
