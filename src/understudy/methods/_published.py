"""Methods as their papers print them: kept for science, without any guarantee."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """What is broken in a method as its paper prints it: one sentence, and where more is said.

    >>> Flaw(sentence="Its tables are exact.", where="docs/method.md").where
    'docs/method.md'
    """

    sentence: str
    where: str


def flaw_of(method: object) -> Flaw | None:
    """The flaw of a method that runs as published; None for a method that keeps its promise.

    A method says so by a field `as_published` and a class variable `flaw`. Such a run reads exact counts through
    `Curator.reveal`, is stamped everywhere, and charges no ledger.

    >>> from understudy.methods import PrivBayes
    >>> flaw_of(PrivBayes()) is None
    True
    """
    if not getattr(method, "as_published", False):
        return None
    flaw: Flaw = method.flaw  # type: ignore[attr-defined]  # every method with the field has it
    return flaw
