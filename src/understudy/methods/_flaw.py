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
    """The flaw of a method as its paper prints it; None for a method that keeps its promise.

    A method says so by a class variable `flaw`. Such a run reads exact counts through `Curator.reveal`, is stamped
    everywhere, and charges no ledger.

    >>> from understudy.methods import PrivABNAsPrinted, PrivBayes
    >>> flaw_of(PrivBayes()) is None, flaw_of(PrivABNAsPrinted()).where
    (True, 'docs/privabn.md#what-is-wrong-as-printed')
    """
    found = getattr(type(method), "flaw", None)
    return found if isinstance(found, Flaw) else None
