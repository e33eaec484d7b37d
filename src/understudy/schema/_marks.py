"""How remarks of a draft begin. A review takes them away with the guess that they speak of, and leaves others alone."""

from __future__ import annotations

DRAFT_MARK = "Draft: "
"""Of the whole file."""
GUESS_MARK = "Guess: "
"""Of one field."""
