"""Methods as their papers print them: kept for science, without any guarantee."""

from __future__ import annotations

from dataclasses import dataclass

from understudy._core.errors import OptionError
from understudy.privacy import Neighbours, PrivacyTerms


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


def refuse_unprinted_terms(paper: str, terms: PrivacyTerms, *, units: bool = False) -> None:
    """Refuse any promise but the one that the papers speak of; `units`: of several rows too.

    >>> from understudy.privacy import make_budget
    >>> refuse_unprinted_terms("PrivABN", PrivacyTerms(budget=make_budget(1)))
    """
    if not terms.budget.pure or terms.neighbours is not Neighbours.REPLACE_ONE:
        raise OptionError(
            f"{paper} as printed is for pure epsilon and replace-one neighbours only. Say --delta 0 --neighbours "
            "replace-one (delta=0, neighbours='replace-one')."
        )
    if not units and terms.unit.max_rows > 1:
        raise OptionError(f"{paper} as printed is for units of one row. Leave out --max-rows (max_rows) and --groups.")
