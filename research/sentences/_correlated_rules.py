"""Rules for the correlated-release paper's sentences: attacks, exact losses, and numbers of corrections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

from research._experiment import Results
from research.figures.correlated_lines import THRESHOLDS
from research.figures.correlated_privacy import TRIALS as AUDITS
from research.figures.correlated_table1 import EPSILONS, LIMIT, SUCCESS, TRIALS
from research.rules import Contrast, Contrasts, Decided, Decision
from research.sentences._each import each, mean

ON_ADULT = "Definition 2, on Adult"
FOLLOWED, ROUNDS = "records that follow one", "rounds without a correction"
_FIRST, _LAST = 9_928, 62  # the paper's numbers of corrections
_NEAR, _TIMES = 0.05, 2.0
_SURGE, _STABLE = 0.05, 0.02
_FROM = "sensitivity"
_ROUNDING = 1e-6


def within_limit(line: str) -> Contrasts:
    """Whether an attacker is right no more often than the definition allows, at every ε."""

    def by(results: Results) -> list[Contrast | None]:
        found: list[Contrast | None] = []
        for epsilon in EPSILONS:
            share, limit = (results.mean(SUCCESS, name, epsilon) for name in (line, LIMIT))
            words = f"ε = {epsilon:g}: right in {share:.3f} of the trials, {limit:.3f} allowed"
            found.append(_of_shares(limit - share, (share,), words))
        return found

    return Contrasts(
        what=f"Let the attacker guess by the difference of two noisy counts ('{line}'), ε for both together: won "
        f"where that "
        "is right less often than e^ε/(1 + e^ε), which no attack on ε-differential privacy exceeds.",
        by=by,
    )


def more_often_right(line: str, other: str) -> Contrasts:
    """Whether an attacker is right more often by one line than by another, at every ε."""

    def by(results: Results) -> list[Contrast | None]:
        found: list[Contrast | None] = []
        for epsilon in EPSILONS:
            shares = [results.mean(SUCCESS, name, epsilon) for name in (line, other)]
            words = f"ε = {epsilon:g}: right in {shares[0]:.3f} of the trials, {shares[1]:.3f} without links"
            found.append(_of_shares(shares[0] - shares[1], shares, words))
        return found

    return Contrasts(what=f"Won where guesses are right more often for '{line}' than for '{other}'.", by=by)


def _of_shares(difference: float, shares: Sequence[float], words: str) -> Contrast:
    """A difference of shares of trials, each with the error that its number of trials leaves."""
    return Contrast(
        words=words,
        mean=difference,
        error=sqrt(sum(share * (1 - share) / TRIALS for share in shares)),
        freedom=TRIALS - 1,
        runs=TRIALS,
        scale=1.0,
    )


def equal_alone() -> Decided:
    """Whether the correlated sensitivity is the global one where nobody is linked."""

    def by(results: Results) -> Decision:
        same, nobody = (_share(results, name) for name in ("independent is global", "nobody matches"))
        words = f"equal for {100 * same:.3g} % of the counts"
        if nobody:
            words += f"; 0 for the {100 * nobody:.2g} % that nobody matches"
        return Decision(verdict="holds" if same > 1 - _ROUNDING else "fails", why=f"{words}.")

    return Decided(
        words="Without links, of 10,000 random counts on Adult: holds if the correlated sensitivity is 1, the global "
        "one, for all; else fails.",
        by=by,
    )


def smaller_linked() -> Decided:
    """Whether the correlated sensitivity is below the global one where some are linked."""

    def by(results: Results) -> Decision:
        smaller, met = (_share(results, name) for name in ("smaller", "smaller where somebody matches"))
        times = [results.mean("CS", ON_ADULT, x, _FROM) for x in results.xs("CS", ON_ADULT, _FROM)]
        words = (
            f"smaller for {100 * smaller:.3g} % of the counts, and for {100 * met:.3g} % of those that somebody matches"
        )
        if times:
            words += f"; {min(times):.1f} to {max(times):.1f} times as large on average"
        return Decision(verdict="holds" if smaller > 1 - _ROUNDING else "fails", why=f"{words}.")

    return Decided(
        words="With a quarter of the records linked in groups of 11 and 12, of 10,000 random counts on Adult: holds if "
        "the correlated sensitivity is below 1, the global one, for all; else fails.",
        by=by,
    )


def smaller_than_a_group() -> Contrasts:
    """Whether the correlated sensitivity is below that of a whole group, which the paper may mean by the global one."""

    def by(results: Results) -> list[Contrast | None]:
        times = results.by_seed("group over printed", ON_ADULT, 0.0, _FROM)
        return [each(lambda ratio: ratio - 1, times, words=f"{mean(times):.1f} times")]

    return Contrasts(
        what="With a quarter of the records linked in groups of 11 and 12, divide the sensitivity of a group of 12, "
        "which is 12, by the correlated one; take the mean of this factor over the counts, of 10,000 random ones on "
        "Adult, that somebody matches. Won where it is above 1.",
        by=by,
    )


def _share(results: Results, measure: str) -> float:
    return results.mean(measure, ON_ADULT, 0.0, _FROM)


def loss_within(line: str, group: str, limit: float, what: str) -> Contrasts:
    """Whether an exact loss stays within a limit everywhere on the axis."""

    def by(results: Results) -> list[Contrast | None]:
        return [
            each(
                lambda loss: limit - loss,
                results.by_seed("loss", line, x, group),
                words=f"{results.mean('loss', line, x, group):.3g} with {x:,.0f} {what}",
                exact=True,
            )
            for x in results.xs("loss", line, group)
        ]

    return Contrasts(
        what=f"Compute the loss of '{line}', the largest log-ratio, for several numbers of {what}: won where it is at "
        f"most "
        f"{limit:g}.",
        by=by,
    )


def not_caught(rows: Mapping[str, float]) -> Decided:
    """Whether audits prove no more than is claimed."""

    def by(results: Results) -> Decision:
        proved, claimed = (
            {line: results.mean(name, line, x, "audit") for line, x in rows.items()} for name in ("proved", "claimed")
        )
        over = any(proved[line] > claimed[line] for line in rows)
        words = [f"{line}: ε of {proved[line]:.2f} proved, {claimed[line]:g} claimed" for line in rows]
        return Decision(verdict="fails" if over else "undecided", why="; ".join(words) + ".", runs=AUDITS)

    return Decided(
        words="Run two tables that differ in one record, and count an event fixed before. Holds if there were a proof, "
        "which trials are not; fails if they prove an ε above the claimed one, wrongly with a chance of 1 in 1,000; "
        "otherwise undecided.",
        by=by,
    )


def nearer(line: str) -> Contrasts:
    """Whether corrections bring the histogram nearer to the data, at every threshold that has some."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for threshold in THRESHOLDS:
            if not results.mean("corrections", line, threshold):
                continue
            last, first = (results.by_seed(name, line, threshold) for name in ("distance", "first distance"))
            words = f"T = {threshold:g}: {mean(last):.2f} from the data, the uniform histogram {mean(first):.2f}"
            found.append(each(lambda a, b: b - a, last, first, words=words))
        return found

    return Contrasts(
        what=f"Compare the last histogram's total variation distance from the data with that of the first, which is "
        f"uniform, "
        f"for '{line}' at every T at which something was corrected: won where it is nearer.",
        by=by,
    )


def as_many_corrections(line: str) -> Contrasts:
    """Whether there are as many corrections as the paper counts, with a small T and with T = 1."""

    def by(results: Results) -> list[Contrast | None]:
        small, large = (results.by_seed("corrections", line, x) for x in (THRESHOLDS[0], THRESHOLDS[-1]))
        return [
            each(
                lambda count: _NEAR * _FIRST - abs(count - _FIRST),
                small,
                words=f"{mean(small):,.0f} at T = {THRESHOLDS[0]:g}, {_FIRST:,} printed",
                scale=_FIRST,
            ),
            each(
                lambda count: min(_TIMES * count - _LAST, _TIMES * _LAST - count),
                large,
                words=f"{mean(large):,.0f} at T = 1, {_LAST} printed",
                scale=_LAST,
            ),
        ]

    return Contrasts(
        what=f"Count the corrections of '{line}' in 10,000 rounds: won where they are within {100 * _NEAR:g} % of "
        f"{_FIRST:,} at the smallest T, {THRESHOLDS[0]:g}, and within a factor of {_TIMES:g} of {_LAST} at T = 1.",
        by=by,
    )


def surges(line: str) -> Contrasts:
    """Whether accuracy rises along T to a maximum, and stays there."""

    def by(results: Results) -> list[Contrast | None]:
        lines = [results.by_seed("accuracy", line, threshold) for threshold in THRESHOLDS]
        top = max(range(len(lines)), key=lambda place: mean(lines[place]))
        after = min(lines[top:], key=mean)
        words = (
            f"{mean(lines[0]):.3f} at T = {THRESHOLDS[0]:g}, at most {mean(lines[top]):.3f} at {THRESHOLDS[top]:g}, "
        )
        words += f"{mean(lines[-1]):.3f} at 1"
        return [
            each(lambda first, best: best - first - _SURGE, lines[0], lines[top], words=words),
            each(lambda best, low: _STABLE - (best - low), lines[top], after, words=words),
        ]

    return Contrasts(
        what=f"Follow 1 − deviation of '{line}' along T: won where its maximum lies {_SURGE:g} or more above its "
        f"value at the "
        f"smallest T, and where no later point lies more than {_STABLE:g} below the maximum.",
        by=by,
    )
