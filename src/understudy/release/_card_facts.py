"""What only the publisher can say about a data set."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class CardFacts:
    """What only the publisher can say about the data set.

    >>> CardFacts(license="https://creativecommons.org/licenses/by/4.0/").creator is None
    True
    """

    license: str | None = None
    creator: str | None = None
    url: str | None = None
    title: str | None = None
    contributors: tuple[str, ...] = ()
