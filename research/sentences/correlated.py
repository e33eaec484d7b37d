"""What the correlated-release paper says of its experiments, and of the privacy that they take for granted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from research.figures.correlated_lines import FITTED, MENDED, PRINTED
from research.figures.correlated_privacy import ONE_CORRECTION
from research.rules import Beats, Exact, Rule, Trend
from research.sentences import _correlated_rules as rules
from research.sentences._sentence import Sentence, Test

_LAPLACE, _LAPLACE_GROUPS = "Laplace", "Laplace, groups of 12"
_OURS, _OUR_GROUPS = "ours", "ours, groups of 12"
_DEVIATION = "deviation"
_READINGS = {"Adult, mended reading": MENDED, "Adult, noise of scale 0.197": FITTED}
_MENDED = {"Adult, mended reading": MENDED}


def _forms(experiment: str, made: Callable[[str], Rule], lines: dict[str, str]) -> tuple[Test, ...]:
    """The same rule for several lines."""
    return tuple(Test(table=table, experiment=experiment, rule=made(line)) for table, line in lines.items())


def _as_printed(experiment: str, made: Callable[[str], Rule]) -> tuple[Test, ...]:
    return _forms(experiment, made, {"Adult": PRINTED})


def _less_off(line: str, laplace: str = _LAPLACE) -> Beats:
    return Beats(ours=(line,), others=(laplace,), measures=(_DEVIATION,), groups=("ε",))


_DEFINITIONS = (
    Sentence(
        name="correlated-table1-protected",
        paper="Correlated release",
        section="2",
        where="Table 1",
        quote="Assuming that the probability of Count(m) is almost equal to that of Count(m-1), then the private "
        "information of Zhao in dataset D₁ is protected.",
        strength="all",
        method=True,
        tests=(
            Test(
                table="rows that are independent",
                experiment="correlated-table1",
                rule=rules.within_limit("noise for a row"),
            ),
        ),
        ours=(
            Test(
                table="11 linked rows, noise for all",
                experiment="correlated-table1",
                rule=rules.within_limit("noise for 11 rows, 11 linked rows"),
            ),
        ),
    ),
    Sentence(
        name="correlated-links-hurt",
        paper="Correlated release",
        section="3",
        where="the attack of Table 1",
        quote="The previous research has proved that the correlation between individual records will reduce the "
        "individual privacy",
        strength="general",
        method=True,
        tests=(
            Test(
                table="11 linked rows, noise for a row",
                experiment="correlated-table1",
                rule=rules.more_often_right("noise for a row, 11 linked rows", "noise for a row"),
            ),
        ),
    ),
    Sentence(
        name="correlated-entire-matrix",
        paper="Correlated release",
        section="4",
        where="Definition 1",
        quote="… this paper assumes that the privacy mechanism can protect the privacy of individuals even if the "
        "attacker can obtain the entire Δ.",
        strength="all",
        method=True,
        tests=(
            Test(
                table="records that follow one",
                experiment="correlated-privacy",
                rule=rules.loss_within("noise of Definition 2", "links", 1.0, rules.FOLLOWED),
            ),
        ),
        ours=(
            Test(
                table="noise for all who follow",
                experiment="correlated-privacy",
                rule=rules.loss_within("noise for the whole group", "links", 1.0, rules.FOLLOWED),
            ),
        ),
    ),
    Sentence(
        name="correlated-no-more-noise",
        paper="Correlated release",
        section="4",
        where="Definition 2",
        quote="When a search only covers independent or weak correlated sensitivity, the correlated sensitivity will "
        "not introduce additional noise.",
        strength="all",
        method=True,
        tests=(
            Test(
                table="Adult",
                experiment="correlated-privacy",
                rule=Exact(
                    series=rules.ON_ADULT,
                    group="sensitivity",
                    printed={("apart is global", 0.0): 1.0},
                    names={
                        (
                            "apart is global",
                            0.0,
                        ): "share of counts of records without links for which CS is the global sensitivity"
                    },
                    meant=True,
                ),
            ),
        ),
    ),
    Sentence(
        name="correlated-sensitivity",
        paper="Correlated release",
        section="4",
        where="Definition 2",
        quote="If the records in dataset D are independent, the correlated sensitivity CS will be equal to the global "
        "sensitivity Δf; for correlated dataset, the … CS will be smaller than the global sensitivity Δf.",
        strength="all",
        method=True,
        tests=(
            Test(
                table="Adult, independent records",
                experiment="correlated-privacy",
                rule=rules.equal_alone(),
            ),
            Test(
                table="Adult, linked records",
                experiment="correlated-privacy",
                rule=rules.smaller_linked(),
            ),
        ),
        ours=(
            Test(
                table="Adult, beside the sensitivity of a whole group",
                experiment="correlated-privacy",
                rule=rules.smaller_than_a_group(),
            ),
        ),
    ),
)
_ALGORITHM = (
    Sentence(
        name="correlated-approximates",
        paper="Correlated release",
        section="5",
        where="Algorithm 2",
        quote="This difference can be adopted to control the update …, such that the … in each round approximates the "
        "original dataset x",
        strength="general",
        method=True,
        tests=_as_printed("correlated-fig3", rules.nearer),
        ours=_forms("correlated-fig3", rules.nearer, _MENDED),
    ),
    Sentence(
        name="correlated-free-rounds",
        paper="Correlated release",
        section="5",
        where="Algorithm 2",
        quote="In most cases, no corrected distributed result is released, leaving the privacy budget untouched.",
        strength="general",
        method=True,
        tests=(
            Test(
                table="rounds without a correction",
                experiment="correlated-privacy",
                rule=rules.loss_within("as printed", "rounds", ONE_CORRECTION, rules.ROUNDS),
            ),
        ),
        ours=(
            Test(
                table="noise on the threshold",
                experiment="correlated-privacy",
                rule=rules.loss_within("threshold with noise", "rounds", ONE_CORRECTION, rules.ROUNDS),
            ),
        ),
    ),
    Sentence(
        name="correlated-privacy",
        paper="Correlated release",
        section="abstract",
        where="equation (16) and Algorithm 2",
        quote="… capable of ensuring privacy at a lower privacy budget.",
        strength="all",
        method=True,
        tests=(
            Test(
                table="a count that nobody matches",
                experiment="correlated-privacy",
                rule=rules.not_caught({"a query that nobody matches": 9.0}),
            ),
            Test(
                table="counts tuned to T",
                experiment="correlated-privacy",
                rule=rules.not_caught({"tuned to T = 0.02": 8.0, "tuned to T = 0.005": 8.0}),
            ),
        ),
    ),
)
_FIGURES = (
    Sentence(
        name="correlated-fig1-laplace",
        paper="Correlated release",
        section="6",
        where="Figure 1",
        quote="… the Laplace mechanism is, as expected, less accurate than the CS mechanism.",
        strength="general",
        tests=_as_printed("correlated-fig1", _less_off),
        ours=(
            *_forms("correlated-fig1", _less_off, {**_MENDED, "Adult, ours for a row": _OURS}),
            *_forms(
                "correlated-fig1",
                partial(_less_off, laplace=_LAPLACE_GROUPS),
                {"Adult, ours for groups": _OUR_GROUPS},
            ),
        ),
    ),
    Sentence(
        name="correlated-fig2-falls",
        paper="Correlated release",
        section="6",
        where="Figure 2",
        quote="… the number of corrections decreased with the growth in T.",
        strength="general",
        tests=_as_printed("correlated-fig2", lambda line: Trend(series=(line,), measures=("corrections",))),
        ours=_forms("correlated-fig2", lambda line: Trend(series=(line,), measures=("corrections",)), _MENDED),
    ),
    Sentence(
        name="correlated-fig2-numbers",
        paper="Correlated release",
        section="6",
        where="Figure 2",
        quote="When T was small, the number of all update rounds was 9,928; when T increased to 1, the number dropped "
        "to 62.",
        strength="all",
        tests=_as_printed("correlated-fig2", rules.as_many_corrections),
        ours=_forms("correlated-fig2", rules.as_many_corrections, _READINGS),
    ),
    Sentence(
        name="correlated-fig3-surges",
        paper="Correlated release",
        section="6",
        where="Figure 3",
        quote="… the accuracy surged up with the increase of T, reached the maximum when T surpassed a threshold, and "
        "remained stable ever since.",
        strength="all",
        tests=_as_printed("correlated-fig3", rules.surges),
        ours=_forms("correlated-fig3", rules.surges, _READINGS),
    ),
)
SENTENCES: tuple[Sentence, ...] = (*_DEFINITIONS, *_ALGORITHM, *_FIGURES)
"""In the order of the paper."""
