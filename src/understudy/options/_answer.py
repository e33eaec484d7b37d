"""The options of `answer`: how a workload of queries is answered, and what is written besides the answers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from os import PathLike
from typing import Any

from understudy._core.errors import OptionError
from understudy.options._constraints import Anything, FilePath, OneOf, Real, Whole, YesNo
from understudy.options._declared import option
from understudy.options._run import RunOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions(RunOptions):
    """What answering must know besides: by which strategy, and where everything goes.

    >>> AnswerOptions(epsilon=1, rate=2)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'rate' parameter must be a number above 0 and of at most 1. Got 2 instead.
    """

    method: Any = option(None, Anything(), help="Not used: answering is no method of publishing. See start.")
    out: str | PathLike[str] | None = option(
        None, FilePath(), help="The file of answers to write, a CSV.", flags=("--out", "-o")
    )
    overwrite: bool = option(False, YesNo(), help="Replace files that are there.", flags="--overwrite")
    strategy: str = option(
        "auto",
        OneOf("auto", "tables", "rounds", "direct", "pmw"),
        help="tables, rounds, direct or pmw. auto: chosen by the error to expect, which is public.",
        flags="--strategy",
    )
    threshold: Any = option(
        None,
        Real(above=0, below=1, exact=True),
        help="pmw: an answer farther off than this share of the rows is corrected. Default: what noise seldom reaches.",
        flags="--threshold",
    )
    rate: Any = option(
        Fraction(7, 10),
        Real(above=0, at_most=1, exact=True),
        help="pmw: how far a correction goes, above 0 and at most 1.",
        flags="--rate",
    )
    updates: int = option(
        10, Whole(at_least=1, at_most=10_000), help="pmw: corrections that are paid for.", flags="--updates"
    )
    start: Any = option(
        None,
        Anything(typed="str | Method", text=True),
        help="Learn a model first, with this method, and start from it: privbayes. Default: start uniform.",
        flags="--start",
    )
    start_share: Any = option(
        Fraction(1, 3),
        Real(above=0, below=1, exact=True),
        help="Share of the budget for that model.",
        flags="--start-share",
    )
    model: str | PathLike[str] | None = option(
        None, FilePath(), help="Also write the model behind the answers, to sample and to query.", flags="--model"
    )
    sample: str | PathLike[str] | None = option(
        None, FilePath(), help="Also write a synthetic table sampled from it.", flags="--sample"
    )
    as_published: bool = option(
        False,
        YesNo(),
        help="Algorithm 2 of the correlated-release paper as printed, without a guarantee: needs --no-guarantee.",
        flags="--as-published",
    )
    theta0: Any = option(
        Fraction(6, 10),
        Real(above=0, at_most=1, exact=True),
        help="as-published: the paper's ϑ₀.",
        flags="--theta-zero",
    )

    def check_together(self) -> None:
        """Refuse options that do not go together."""
        if self.method is not None:
            raise OptionError(
                "answering has no 'method'. Name one with 'start' to begin from the model that it learns."
            )
        if self.as_published and self.start is not None:
            raise OptionError("the algorithm as printed starts uniform. Leave 'start' out, or 'as_published'.")
        if self.as_published and self.strategy not in ("auto", "pmw"):
            raise OptionError("the algorithm as printed is a strategy of its own. Leave 'strategy' out.")
        self._refuse_unused()

    def _refuse_unused(self) -> None:
        """Refuse what would not be heeded: whoever gives it expects that it is."""
        pmw, printed, with_pmw = self.strategy == "pmw", self.as_published, "--strategy pmw (strategy='pmw')"
        unused = (
            ("threshold", pmw or printed, with_pmw),
            ("rate", pmw or printed, with_pmw),
            (
                "updates",
                pmw and not printed,
                f"{with_pmw}; the algorithm as printed sets no bound",
            ),
            ("start_share", self.start is not None, "--start (start=…)"),
            ("theta0", printed, "--as-published (as_published=True)"),
        )
        declared = {field.name: field.default for field in fields(self)}
        for name, heeded, goes_with in unused:
            if not heeded and getattr(self, name) != declared[name]:
                raise OptionError(f"'{name}' goes with {goes_with}. Leave it out, or add that.")
