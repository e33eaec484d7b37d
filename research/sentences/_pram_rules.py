"""Rules for the PRAM-BN paper's sentences: how far parameters lie off, and how many links are wrong."""

from __future__ import annotations

from collections.abc import Sequence

from research._experiment import Results
from research.figures.pram_lines import BAYES, BIC, EXTRA, FIXED, GRID, KL, LINKS, MISSING, PAPERS, VARIABLE
from research.rules import Contrast, Contrasts
from research.sentences._each import each, mean
from research.tasks import PARAMETERS, parameter_words, variable_eta

_SMALL = 0.02  # the paper's "very small parameter estimation error"
_LITTLE = 1.0  # links in error, of the eight that the network has
_SOME = 0.05  # extra links in a run
_FEW = 0.05  # missing links, as a share of the extra ones
_LEAST = PAPERS[0]  # randomised so little, what is wrong is not for that
_NUMBERS = tuple(float(number) for number in range(1, PARAMETERS + 1))


def setup_one_better() -> Contrasts:
    """Whether randomising moves parameters no further in Setup I than in Setup II."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for number in _NUMBERS:
            first, second = (results.by_seed("off", f"Setup {setup}, learnt", number) for setup in ("I", "II"))
            words = f"{parameter_words(int(number))}: {mean(first):.4f} in Setup I, {mean(second):.4f} in Setup II"
            found.append(each(lambda a, b: b - a, first, second, words=words))
        return found

    return Contrasts(
        what="Take what randomising adds to the error of each of the 34 parameters of Table II (root mean square over "
        "five "
        "runs) on the same rows with the same coins: won where it is smaller in Setup I.",
        by=by,
    )


def accurate(line: str) -> Contrasts:
    """Whether means over five runs lie near the declared parameters."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for number in _NUMBERS:
            gaps = {seed: abs(gap) for seed, gap in results.by_seed("gap", line, number).items()}
            words = f"{parameter_words(int(number))}: off by {mean(gaps):.3f}"
            found.append(each(lambda gap: _SMALL - gap, gaps, words=words, scale=_SMALL))
        return found

    return Contrasts(
        what=f"Take the mean over five runs of each of the 34 parameters of Table II, as the table prints it "
        f"('{line}'): won "
        f"where it is off by less than {_SMALL:g} on average, which the paper calls very small.",
        by=by,
    )


def little_off(line: str, measure: str, most: float, limit: float) -> Contrasts:
    """Whether means of ten runs lie within a limit of what clean rows give, at every p up to one."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for p in results.xs(measure, line, "p"):
            if 0 < p <= most:
                errors = {seed: abs(error) for seed, error in results.by_seed(measure, line, p, "p").items()}
                words = f"p = {p:g}: off by {mean(errors):.3f}"
                found.append(each(lambda error: limit - error, errors, words=words, scale=limit))
        return found

    return Contrasts(
        what=f"Take the mean of ten runs, as the figure draws it, and how far it is off that of the clean rows, at "
        f"each p up "
        f"to {most:g}: won where that is less than {limit:g} on average.",
        by=by,
    )


def extra_links(line: str, ps: Sequence[float], group: str = BAYES) -> Contrasts:
    """Whether there are extra links where columns are hardly randomised."""

    def by(results: Results) -> list[Contrast | None]:
        lines = {p: results.by_seed(EXTRA, line, p, group) for p in ps}
        return [each(lambda n: n - _SOME, found, words=f"p = {p:g}: {mean(found):.1f}") for p, found in lines.items()]

    listed = " and ".join(f"{p:g}" for p in ps)
    return Contrasts(
        what=f"Count the extra links of '{line}' at p = {listed}: won where there is more than one in {1 / _SOME:g} "
        f"runs.",
        by=by,
    )


def hardly_missing(lines: Sequence[str], ps: Sequence[float], group: str = BAYES) -> Contrasts:
    """Whether links in error that randomising brings are extra ones, but for a few."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for line in lines:
            hardly = results.by_seed(MISSING, line, _LEAST, group)
            for p in ps:
                extra, missing = (results.by_seed(measure, line, p, group) for measure in (EXTRA, MISSING))
                words = f"{line} at p = {p:g}: {mean(extra):.1f} extra, {mean(missing):.1f} missing"
                words += f", {mean(hardly):.1f} at {_LEAST:g}"
                found.append(
                    each(lambda more, less, few: _FEW * more - (less - few), extra, missing, hardly, words=words)
                )
        return found

    return Contrasts(
        what=f"Count extra and missing links at the paper's p and η, without those that are missing at p = {_LEAST:g} "
        f"already: won where at most {100 * _FEW:g} missing ones come on 100 extra ones.",
        by=by,
    )


def variable_better(group: str = BAYES) -> Contrasts:
    """Whether a threshold that follows p is better than fixed ones, wherever it is another one."""

    def by(results: Results) -> list[Contrast | None]:
        found = []
        for measure in (LINKS, KL):
            for other in FIXED:
                for p in PAPERS:
                    if other != f"η = {variable_eta(p):g}":
                        mine, theirs = (results.by_seed(measure, line, p, group) for line in (VARIABLE, other))
                        words = f"{measure} at p = {p:g}: {mean(mine):.3g}, {other} {mean(theirs):.3g}"
                        found.append(each(lambda a, b: b - a, mine, theirs, words=words))
        return found

    return Contrasts(
        what=f"Compare '{VARIABLE}' with η = 1 and η = 0.99 at the paper's p, where it is not the same number, by "
        f"links in "
        "error and by KL distance, run by run on the same rows: won where it has less.",
        by=by,
    )


def little_error(lines: Sequence[str], p: float, group: str, *, than: str = "") -> Contrasts:
    """Whether randomising adds few links in error to the best of some lines, which has fewer than another line has."""
    beside = BAYES if group == BIC else group

    def by(results: Results) -> list[Contrast | None]:
        best = min(lines, key=lambda line: results.mean(LINKS, line, p, group))
        found, hardly = (results.by_seed(LINKS, best, at, group) for at in (p, _LEAST))
        words = f"{best}: {mean(found):.1f} links in error, {mean(hardly):.1f} at {_LEAST:g}"
        contrasts = [each(lambda n, few: _LITTLE - (n - few), found, hardly, words=words)]
        if than:
            other = results.by_seed(LINKS, than, p, beside)
            words = f"{best}: {mean(found):.1f} links in error, {than} {mean(other):.1f}"
            contrasts.append(each(lambda mine, theirs: theirs - mine, found, other, words=words))
        return contrasts

    best = " or ".join(f"'{line}'" for line in lines)
    more = f", and if '{than}' has more in error there" if than else ""
    return Contrasts(
        what=f"Count the links in error of {best}{', whichever has fewest,' if len(lines) > 1 else ''} at p = {p:g}, "
        f"less those at p = {_LEAST:g}, run by run: won if randomising so adds fewer than {_LITTLE:g} on average, of "
        f"the eight that the network has{more}.",
        by=by,
    )


def larger(word: str, values: Sequence[float]) -> Contrasts:
    """Whether the best threshold is larger where columns are randomised more; values come with the laxest first."""

    def by(results: Results) -> list[Contrast | None]:
        least, most = PAPERS[0], PAPERS[-1]
        best = {
            p: min(values, key=lambda value, p=p: results.mean(LINKS, f"{word} = {value:g}", p, GRID))  # type: ignore[misc]
            for p in PAPERS
        }
        sign = 1 if best[most] >= best[least] else -1
        here, there = (results.by_seed(LINKS, f"{word} = {best[p]:g}", most, GRID) for p in (most, least))
        listed = ", ".join(f"{best[p]:g}" for p in PAPERS)
        return [each(lambda mine, other: sign * (other - mine), here, there, words=f"best {word}: {listed}")]

    listed = ", ".join(f"{p:g}" for p in PAPERS)
    return Contrasts(
        what=f"Find the {word} with the fewest links in error at p = {PAPERS[0]:g} and at {PAPERS[-1]:g}, the laxest "
        f"where several have: won where the second is larger and has fewer links in error at p = {PAPERS[-1]:g} than "
        f"the first, lost where it is smaller and has. (All p: {listed}.)",
        by=by,
    )
