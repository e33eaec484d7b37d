"""The three verdicts that a report begins with: single columns, relations, use for models. Private to the holder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy.charts import percent
from understudy.evaluation._column_ratings import ColumnRating, rate_columns, rate_number
from understudy.evaluation._lost_relations import lost_in_groups, lost_ties, tone_of_lost
from understudy.evaluation._lost_tables import lost_tables, tone_of_lost_tables
from understudy.evaluation._measure import LEARNING_GROUP, TABLES_GROUP
from understudy.evaluation._numbers import Error
from understudy.evaluation._rating import (
    CLOSE,
    CLOSER,
    FAIR,
    FAR,
    UNKNOWN,
    Tone,
    graded,
    references_differ,
    tone_of,
    worst_of,
)
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._tables import TABLE_DISTANCES
from understudy.evaluation._verdict import BY_CHANCE, WELL_BELOW, columns_named, points

_FEW = 0.1
"""A larger share of numbers, or of other columns, that are far from real makes the verdict far from real."""
_SOME = 0.25
_NAMED = 3
_WIDTHS = {2: "two", 3: "three", 4: "four"}
_COLUMNS = ("column", "columns")
_LISTED = "the report lists every one, worst first"
_LOOK = "look for copies of real rows in it"


@dataclass(frozen=True)
class Verdict:
    """One of the three answers that come first.

    >>> Verdict("relations", "Relations", CLOSE, "Pairs are close.").to_dict()["rating"]
    'green'
    """

    name: str
    heading: str
    tone: Tone
    sentence: str
    advice: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "name": self.name,
            "rating": self.tone.colour,
            "in_words": self.tone.word,
            "sentence": self.sentence.replace("`", "'"),
            "advice": self.advice,
        }


def three_verdicts(results: Sequence[MeasureResult]) -> tuple[Verdict, Verdict, Verdict]:
    """Single columns, relations, use for models.

    >>> [verdict.tone.name for verdict in three_verdicts([])]
    ['unknown', 'unknown', 'unknown']
    """
    return _single_columns(results), _relations(results), _models(results)


def _single_columns(results: Sequence[MeasureResult]) -> Verdict:
    ratings = rate_columns(results)
    heading = "Single columns"
    if not ratings:
        return Verdict("single columns", heading, UNKNOWN, "Single columns were not compared.")
    if _exactly_real(results):
        told = "Every column holds exactly the real values, each as often. Another sample of the population would not."
        return Verdict("single columns", heading, CLOSER, told, f"{_LOOK.capitalize()}.")
    groups = [[one for one in ratings if one.is_number == number] for number in (True, False)]
    tone = worst_of(_of_group(group) for group in groups if group)
    kinds = (("number", "numbers"), ("column of categories", "columns of categories") if groups[0] else _COLUMNS)
    parts = [_told(group, *nouns) for group, nouns in zip(groups, kinds, strict=True) if group]
    but = "" if all(one.tone is CLOSE for one in ratings) else ", but for columns that are not close to real"
    advice = {
        "close": f"{_readable(results, ratings)} can be read off the synthetic table{but}.",
        "fair": f"{_most(ratings)}Look up the ones named here before quoting a figure of theirs.",
        "far": "Do not quote figures of the columns named here.",
        "unknown": "",
    }
    if any(_unnamed(group) for group in groups):
        advice["fair"] = f"{_most(ratings)}Before quoting a figure, look up how its column is rated: {_LISTED}."
        advice["far"] = f"Do not quote figures of columns that are far from real, named here or not: {_LISTED}."
    lost = _lost(results) if tone is not CLOSE else ""
    return Verdict("single columns", heading, tone, " ".join([*parts, lost]).strip(), advice[tone.name])


def _readable(results: Sequence[MeasureResult], ratings: Sequence[ColumnRating]) -> str:
    """What was rated: means and quantiles of numbers, frequent values where a number has any, shares of all else."""
    numbers = [column for known in results for column in known.numbers]
    parts = ["means", "quantiles"] if numbers else []
    if any(spike.frequent for column in numbers for spike in column.spikes):
        parts.append("frequent values")
    if not all(one.is_number for one in ratings):
        parts.append("shares of categories" if numbers else "shares")
    return " and ".join([", ".join(parts[:-1]), *parts[-1:]] if len(parts) > 1 else parts).capitalize()


def _most(ratings: Sequence[ColumnRating]) -> str:
    """That most columns are close to real, where they are: of both kinds, or else of which."""
    fine = {}
    for number, nouns in ((True, "numbers"), (False, "columns of categories")):
        group = [one for one in ratings if one.is_number == number]
        if group:
            fine[nouns] = 2 * sum(one.tone is CLOSE for one in group) > len(group)
    if all(fine.values()):
        return "Most columns can be used as they are. "
    usable = [nouns for nouns, most in fine.items() if most]
    others = [nouns for nouns, most in fine.items() if not most]
    return f"Most {usable[0]} can be used as they are, but not most {others[0]}. " if usable else ""


def _unnamed(ratings: Sequence[ColumnRating]) -> bool:
    """Whether some that are not close to real are counted, not named."""
    return any(sum(one.tone is tone for one in ratings) > _NAMED for tone in (FAR, FAIR))


def _exactly_real(results: Sequence[MeasureResult]) -> bool:
    """Whether no column differs at all, though those of a fresh sample do: a copy, its rows in whatever order."""
    single = [known for known in results if known.group == TABLES_GROUP and known.width == 1 and known.synonym is None]
    errors = [(known.value, known.fresh_sample or 0.0) for known in single]
    errors += [(one.errors["KS"].value, one.errors["KS"].fresh_sample) for known in results for one in known.numbers]
    return bool(single) and not any(off for off, _ in errors) and any(fresh for _, fresh in errors)


def _of_group(ratings: Sequence[ColumnRating]) -> Tone:
    far = sum(one.tone is FAR for one in ratings)
    fair = sum(one.tone is FAIR for one in ratings)
    if far > _FEW * len(ratings):
        return FAR
    return FAIR if far or fair > _SOME * len(ratings) else CLOSE


def _told(ratings: Sequence[ColumnRating], one: str, several: str) -> str:
    """The worst that are far from real or to be used with care, and how many more there are, and how many are left."""
    n = len(ratings)
    said: list[str] = []
    for tone, word in ((FAR, "far from real"), (FAIR, "to be used with care")):
        found = sorted((rating for rating in ratings if rating.tone is tone), key=lambda one: one.place)
        if found:
            named = "; ".join(f"{columns_named([rating.name])} ({rating.why})" for rating in found[:_NAMED])
            more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
            which = f"{len(found)}" if said else f"The only {one}" if n == 1 else f"{len(found)} of {n} {several}"
            said.append(f"{which} {'is' if len(found) == 1 else 'are'} {word}: {named}{more}.")
    rest = sum(rating.tone is CLOSE for rating in ratings)
    if not said:
        return f"The only {one} is close to real." if n == 1 else f"{_all(n)} {several} are close to real."
    if rest:
        said.append("The other one is close to real." if rest == 1 else f"The other {rest} are close to real.")
    return " ".join(said)


def _all(n: int) -> str:
    return "Both" if n == 2 else f"All {n}"


def _lost(results: Sequence[MeasureResult]) -> str:
    """Whether bins or noise did it, where that is known; the values inside found bins carry noise of their own."""
    errors = [column.errors["KS"] for known in results for column in known.numbers]
    known = [(one.binning, one.noise) for one in errors if one.binning is not None and one.noise is not None]
    if not known:
        return ""
    binning, noise = (float(np.mean([one[side] for one in known])) for side in (0, 1))
    return (
        f"Distributions are off by {points(binning)} points by bins and histograms inside them, "
        f"by {points(noise)} by noise in the model's tables.{_to_be_filled(results)}"
    )


def _to_be_filled(results: Sequence[MeasureResult]) -> str:
    """What helps columns that lose most inside their declared bins."""
    found = [
        rate_number(column)
        for known in results
        for column in known.numbers
        if column.evenly and _by_bins(column.errors["KS"])
    ]
    found = sorted((rating for rating in found if rating.tone is not CLOSE), key=lambda one: one.place)
    if not found:
        return ""
    named = ", ".join(columns_named([rating.name]) for rating in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return (
        f" The declared bins of {named}{more} are filled evenly: with `inside: auto` beside their edges, a release "
        "knows where in a bin values lie."
    )


def _by_bins(error: Error) -> bool:
    return (error.binning or 0.0) > (error.noise or 0.0)


def _relations(results: Sequence[MeasureResult]) -> Verdict:
    wide = [
        known for known in results if known.group == TABLES_GROUP and (known.width or 0) > 1 and known.synonym is None
    ]
    name, heading = "relations", "Relations"
    if not wide:
        return Verdict(name, heading, UNKNOWN, "No tables of two or more columns were compared.")
    off, fresh, independent = (
        float(np.mean([getattr(known, side) or 0.0 for known in wide]))
        for side in ("value", "fresh_sample", "independent_columns")
    )
    known = MeasureResult(
        TABLE_DISTANCES, name, "", definition="", value=off, score=1 - off, verdict="",
        fresh_sample=fresh, independent_columns=independent, from_zero=True, **_beyond(wide),
    )  # fmt: skip
    tone, lost = tone_of(known), worst_of((tone_of_lost(results), tone_of_lost_tables(results)))
    tone = CLOSER if off < WELL_BELOW * fresh else tone if lost is CLOSE else worst_of((tone, lost))
    widths = " and ".join(_WIDTHS.get(one.width or 0, str(one.width)) for one in wide)
    sentence = (
        f"Tables of {widths} columns differ from the real ones by {points(off)} points on average. A fresh sample of "
        f"as many real rows would differ by {points(fresh)}, independent columns by {points(independent)}."
    )
    if tone is CLOSER:
        sentence += (
            " It is closer to the real table than another sample of the same population would be, so it may hold the "
            "real rows themselves."
        )
    else:
        sentence += _beside_chance(known)
    means, ties = lost_in_groups(results), lost_ties(results)
    sentence += lost_tables(results) + ties + means
    asked = "counts" if means or ties else "questions about groups"
    gone = [*(["mean of a group"] if means else []), *(["correlation"] if ties else [])]
    but = f", but not for every {' or '.join(gone)}" if gone else ""
    advice = {
        "close": f"For most {asked} of rows by two or three columns it can stand in for the real table{but}; "
        + _in_bins(results),
        "fair": "The main patterns are there. Check finer findings against the worst tables below"
        + (f", and rely on no {' or '.join(gone)} that was not checked." if gone else "."),
        "far": "Much of how columns hang together is lost. Use it to try out programs, not to draw conclusions.",
        "closer": f"Where ε is large, or rows are very many, that can be. Otherwise {_LOOK}.",
        "unknown": "Rows are too few for tables of so many cells: neither trust relations nor give them up for that.",
    }
    return Verdict(name, heading, tone, sentence, advice[tone.name])


def _beside_chance(known: MeasureResult) -> str:
    """What the average distance means beside its references, in a sentence that begins with a space."""
    fresh, closeness = known.fresh_sample or 0.0, known.closeness
    close = known.beyond_chance is None or closeness is None or tone_of(known) is CLOSE
    if known.value <= BY_CHANCE * fresh and close and not known.thin:
        return f" That is {'no' if known.value <= fresh else 'little'} more than chance."
    if references_differ(known):
        come = percent(round(max(0.0, closeness or 0.0), 2))
        if known.beyond_chance is None:
            return f" It has come {come} of the way from independent columns to a fresh sample."
        return f" Of what independent columns lose beyond chance, {come} is kept."
    if known.value > known.chance_limit:
        return ""
    return (
        f" Two samples of one population would differ by {points(known.by_chance or 0.0)}, so that relations that are "
        "kept or lost do not show."
    )


def _beyond(wide: Sequence[MeasureResult]) -> dict[str, Any]:
    """What chance makes of tables of all widths, and what is beyond it, where that is known of all."""
    by_chance = [known.by_chance for known in wide if known.by_chance is not None]
    beyond = [known.beyond_chance for known in wide if known.beyond_chance is not None]
    if not len(by_chance) == len(beyond) == len(wide):
        return {}
    made, independent = (float(np.mean([both[side] for both in beyond])) for side in (0, 1))
    return {"by_chance": float(np.mean(by_chance)), "beyond_chance": (made, independent)}


def _in_bins(results: Sequence[MeasureResult]) -> str:
    """What a reader must know of right tables of bins: that numbers may be wrong inside them all the same."""
    numbers = [one for known in results for one in known.numbers if not one.difference]
    far = sum(rate_number(one).tone is FAR for one in numbers)
    if not far:
        return "numbers are compared in bins here."
    which = "it is" if len(numbers) == 1 else f"{far} of {len(numbers)} {'is' if far == 1 else 'are'}"
    return f"but numbers by whole bins only: value by value, {which} far from real."


def _models(results: Sequence[MeasureResult]) -> Verdict:
    name, heading = "models", "Use for models"
    learning = [known for known in results if known.group == LEARNING_GROUP and known.synonym is None]
    rated = [known for known in learning if tone_of(known) is not UNKNOWN and references_differ(known)]
    if not learning:
        return Verdict(name, heading, UNKNOWN, "Not measured: no classifiers were trained on it.")
    if not rated:
        why = (
            learning[0].verdict
            if not learning[0].measured
            else "No classifier learnt enough to be rated, from real rows or from these."
        )
        return Verdict(name, heading, UNKNOWN, why)
    tones = [tone_of(known) for known in rated]
    closeness = float(np.mean([max(0.0, known.closeness or 0.0) for known in rated]))
    tone = graded(1 - closeness, 0.2, 0.5)
    tone = worst_of((tone, FAIR)) if FAR in tones else tone
    targets = [] if rated[0].details is None else rated[0].details.column("target").to_pylist()
    predict = f" to predict {', '.join(columns_named([name]) for name in targets)}" if targets else ""
    sentence = (
        f"Models that learn from it{predict} come {percent(round(closeness, 2))} of the way from independent columns "
        f"to real rows, tested on real rows{_from_least_to_most(rated)}."
    )
    advice = {
        "close": "Models can be developed and compared on it.",
        "fair": "Models can be tried out on it. Fit the final one on the real table.",
        "far": "Models learn little from it that holds for real rows.",
        "unknown": "",
    }
    return Verdict(name, heading, tone, sentence, advice[tone.name])


def _from_least_to_most(rated: Sequence[MeasureResult]) -> str:
    """What the average is of: one example alone would flatter a table, or do it wrong."""
    ranked = sorted(rated, key=lambda known: known.closeness or 0.0)
    if len(ranked) == 1:
        return f". {_reached(ranked[0])}"
    least, most = (
        f"{percent(round(max(0.0, known.closeness or 0.0), 2))} ({_reached(known)})"
        for known in (ranked[0], ranked[-1])
    )
    return f": the average of {len(ranked)} measures, from {least} to {most}"


def _reached(known: MeasureResult) -> str:
    return (
        f"{known.name}: {known.value:.2f}; {known.fresh_sample:.2f} from real rows, "
        f"{known.independent_columns:.2f} from independent columns"
    )
