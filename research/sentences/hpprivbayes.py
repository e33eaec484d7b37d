"""What the HPPrivBayes paper says of its experiments, sentence by sentence.

Accuracies are those of the author's way of testing: a machine is trained and tested on rows of the same table. Tests
on real rows, and our repaired form, are in the second table.
"""

from __future__ import annotations

from research._experiment import Paper
from research.figures.hpprivbayes_tables import PRINTED_ROWS, PRINTED_SIZES
from research.rules import Beats, Contrasts, Decided, Exact, Near, Rule, Trend
from research.sentences._hp_rules import (
    BUDGETS,
    DEGREES,
    INFORMATION,
    NETWORKS,
    OWN,
    PRINTED,
    PRIVBAYES,
    almost_no_noise,
    fluctuates,
    matters,
    short_of_original,
    unstable,
)
from research.sentences._sentence import Sentence, Test

_PAPER: Paper = "HPPrivBayes"
_TABLE = "Adult"
_REPAIRED, _OURS = "HPPrivBayes repaired", "PrivBayes"
_REPAIRED_USEFUL, _USEFUL = "HPPrivBayes repaired, θ-useful", "PrivBayes, θ-useful"
_EQUAL = "HPPrivBayes as printed, equal noise"
_OWN, _REAL = (OWN,), ("accuracy",)
_DISTANCES = ("Q2", "Q3")
_FIG3, _FIG4, _FIG5, _FIG6 = (f"hpprivbayes-fig{number}" for number in (3, 4, 5, 6))
_ON_REAL_ROWS = f"{_TABLE}, real rows"
_AGAINST_EQUAL = f"{_TABLE}, against equal noise"
_FORMS = (
    (f"{_TABLE}, repaired", _REPAIRED, _OURS),
    (f"{_TABLE}, repaired, θ-useful", _REPAIRED_USEFUL, _USEFUL),
)


def _test(experiment: str, rule: Rule, table: str = _TABLE) -> Test:
    return Test(table=table, experiment=experiment, rule=rule)


def _better(lines: tuple[str, str], measures: tuple[str, ...], *, higher: bool) -> Beats:
    return Beats(ours=lines[:1], others=lines[1:], measures=measures, higher=higher)


def _accurate(table: str, ours: str, theirs: str) -> Test:
    return _test(_FIG4, _better((ours, theirs), _REAL, higher=True), table)


def _networks(table: str, ours: str, theirs: str, xs: tuple[float, ...]) -> Test:
    rule = Beats(ours=(ours,), others=(theirs,), measures=(INFORMATION,), groups=NETWORKS, xs=xs, higher=True)
    return _test(_FIG3, rule, table)


def _in_all(ours: str, theirs: str, accuracy: tuple[str, ...], after: str = "") -> tuple[Test, ...]:
    return (
        _networks(f"networks{after}", ours, theirs, DEGREES),
        _test(_FIG4, _better((ours, theirs), accuracy, higher=True), f"accuracy{after}"),
        _test(_FIG5, _better((ours, theirs), _DISTANCES, higher=False), f"marginals{after}"),
    )


def _worse_when_small(line: str, accuracy: tuple[str, ...]) -> tuple[Test, ...]:
    """Whether a line is worse at the least budget than at the greatest."""
    rising = Trend(series=(line,), measures=accuracy, rises=True, steps=False)
    falling = Trend(series=(line,), measures=_DISTANCES, steps=False)
    return (
        _test(_FIG4, rising, "accuracy, worse when ε is small"),
        _test(_FIG5, falling, "marginals, worse when ε is small"),
    )


_DATA = (
    Sentence(
        name="hpprivbayes-tables",
        paper=_PAPER,
        section="4.1.2",
        where="Tables 1 and 2",
        quote="… the US Census dataset Adult …, which contains data on 45,222 people … The following is the number of "
        "attribute values after discretization.",
        strength="all",
        tests=(
            _test(
                "hpprivbayes-tables",
                Exact(series="here", printed={("rows", 0.0): PRINTED_ROWS}),
                "rows",
            ),
            _test(
                "hpprivbayes-tables",
                Exact(
                    series="here",
                    printed={("values", float(i)): size for i, size in enumerate(PRINTED_SIZES.values(), 1)},
                    names={("values", float(i)): name for i, name in enumerate(PRINTED_SIZES, 1)},
                ),
                "values",
            ),
        ),
    ),
)

_FIGURE_3 = (
    Sentence(
        name="hpprivbayes-k1",
        paper=_PAPER,
        section="4.2.1",
        where="Figure 3",
        quote="… the ability of the Bayesian network to capture mutual information is not sensitive to the choice of "
        "the first node when k=1.",
        strength="all",
        tests=(
            _test(
                _FIG3,
                Near(
                    first=PRINTED,
                    second=PRIVBAYES,
                    measures=(INFORMATION,),
                    factor=1.1,
                    groups=NETWORKS,
                    xs=(1.0,),
                ),
            ),
        ),
    ),
    Sentence(
        name="hpprivbayes-better-networks",
        paper=_PAPER,
        section="4.2.1",
        where="Figure 3",
        quote="… when k is larger than 1, HPPrivBayes builds better Bayesian networks than PrivBayes.",
        strength="general",
        tests=(_networks(_TABLE, PRINTED, PRIVBAYES, DEGREES),),
        ours=(_networks(_FORMS[0][0], _REPAIRED, _OURS, DEGREES),),
    ),
    Sentence(
        name="hpprivbayes-unstable",
        paper=_PAPER,
        section="5",
        where="Figure 3",
        quote="… solves the problem that the quality of the constructed Bayesian network is low and unstable due to "
        "the random selection of the first node of PrivBayes.",
        strength="general",
        tests=(
            _test(
                _FIG3,
                Contrasts(
                    what="Take the standard deviation over runs of PrivBayes' networks less that of HPPrivBayes', at "
                    "k = 2, 3 and 4, at ε = 1 and without noise: above 0 is won (standard error: the jackknife's).",
                    by=unstable,
                ),
                f"{_TABLE}, unstable",
            ),
            _networks(f"{_TABLE}, low", PRINTED, PRIVBAYES, DEGREES),
        ),
    ),
)

_FIGURE_4 = (
    Sentence(
        name="hpprivbayes-accuracy",
        paper=_PAPER,
        section="4.2.2",
        where="Figure 4",
        quote="… the classification accuracy of HPPrivBayes is higher than that of PrivBayes …",
        strength="general",
        tests=(_test(_FIG4, _better((PRINTED, PRIVBAYES), _OWN, higher=True)),),
        ours=(
            _accurate(_ON_REAL_ROWS, PRINTED, PRIVBAYES),
            _accurate(_AGAINST_EQUAL, PRINTED, _EQUAL),
            *(_accurate(*form) for form in _FORMS),
        ),
    ),
    Sentence(
        name="hpprivbayes-reduced",
        paper=_PAPER,
        section="4.2.2",
        where="Figure 4",
        quote="… the accuracies of the dataset generated by PrivBayes and HPPrivBayes are significantly reduced "
        "compared to the original data …",
        strength="general",
        tests=(_test(_FIG4, short_of_original((PRINTED, PRIVBAYES), OWN, 0.0)),),
        ours=(
            _test(_FIG4, short_of_original((PRINTED, PRIVBAYES), _REAL[0], 0.0), _ON_REAL_ROWS),
            *(_test(_FIG4, short_of_original(tuple(lines), _REAL[0], 0.0), table) for table, *lines in _FORMS),
        ),
    ),
    Sentence(
        name="hpprivbayes-rises",
        paper=_PAPER,
        section="4.2.2",
        where="Figure 4",
        quote="… the classification accuracy increases as the privacy budget becomes larger.",
        strength="general",
        tests=(
            _test(_FIG4, Trend(series=(PRINTED,), measures=_OWN, rises=True), f"{_TABLE}, HPPrivBayes"),
            _test(_FIG4, Trend(series=(PRIVBAYES,), measures=_OWN, rises=True), f"{_TABLE}, PrivBayes"),
        ),
        ours=(
            _test(_FIG4, Trend(series=(PRINTED, PRIVBAYES), measures=_REAL, rises=True), _ON_REAL_ROWS),
            *(_test(_FIG4, Trend(series=tuple(lines), measures=_REAL, rises=True), table) for table, *lines in _FORMS),
        ),
    ),
    Sentence(
        name="hpprivbayes-close",
        paper=_PAPER,
        section="4.2.2",
        where="Figure 4",
        quote="… the curves of PrivBayes and HP-PrivBayes are close to each other when ε=0.2 and ε=0.4.",
        strength="all",
        tests=(_test(_FIG4, Near(first=PRINTED, second=PRIVBAYES, measures=_OWN, within=0.02, xs=BUDGETS[:2])),),
        ours=(
            _test(
                _FIG4,
                Near(first=PRINTED, second=PRIVBAYES, measures=_REAL, within=0.02, xs=BUDGETS[:2]),
                _ON_REAL_ROWS,
            ),
        ),
    ),
)

_FIGURE_5 = (
    Sentence(
        name="hpprivbayes-marginals",
        paper=_PAPER,
        section="4.2.3",
        where="Figure 5",
        quote="… the average variation distance of the dataset generated by HP-PrivBayes from the original dataset is "
        "lower than that of the data generated by PrivBayes.",
        strength="general",
        tests=(_test(_FIG5, _better((PRINTED, PRIVBAYES), _DISTANCES, higher=False)),),
        ours=tuple(
            _test(_FIG5, _better((ours, theirs), _DISTANCES, higher=False), table)
            for table, ours, theirs in ((_AGAINST_EQUAL, PRINTED, _EQUAL), *_FORMS)
        ),
    ),
    Sentence(
        name="hpprivbayes-falls",
        paper=_PAPER,
        section="4.2.3",
        where="Figure 5",
        quote="… in both two graphs, all curves have a downward trend as the privacy budget becomes larger.",
        strength="all",
        tests=(_test(_FIG5, Trend(series=(PRINTED, PRIVBAYES), measures=_DISTANCES, steps=False)),),
        ours=tuple(
            _test(_FIG5, Trend(series=tuple(lines), measures=_DISTANCES, steps=False), table)
            for table, *lines in _FORMS
        ),
    ),
)

_FIGURE_6 = (
    Sentence(
        name="hpprivbayes-fluctuates",
        paper=_PAPER,
        section="4.2.4",
        where="Figure 6",
        quote="… the smaller r is, the greater the fluctuation of classification accuracy with the change in total "
        "privacy budget allocation.",
        strength="general",
        tests=(_test(_FIG6, fluctuates(OWN, "as printed")),),
        ours=(
            _test(_FIG6, fluctuates(_REAL[0], "as printed"), _ON_REAL_ROWS),
            _test(_FIG6, fluctuates(_REAL[0], "repaired"), _FORMS[0][0]),
        ),
    ),
    Sentence(
        name="hpprivbayes-noise",
        paper=_PAPER,
        section="4.2.4",
        where="Figure 6",
        quote="A smaller r corresponds to the fact that we add a large amount of noise to group A while adding almost "
        "no noise to group B.",
        strength="all",
        method=True,
        tests=(
            _test(
                _FIG6,
                Decided(
                    words="Compare the mean size of the noise of a cell in the two groups at r = 1/6, as Algorithms 5 "
                    "and 6 scale it. Holds if that of B is a tenth of that of A or less; else fails.",
                    by=almost_no_noise,
                ),
            ),
        ),
    ),
    Sentence(
        name="hpprivbayes-r-matters",
        paper=_PAPER,
        section="4.2.4",
        where="Figure 6",
        quote="… the value of r could significantly impact the model's effect …",
        strength="general",
        tests=(_test(_FIG6, matters(OWN, "as printed")),),
        ours=(
            _test(_FIG6, matters(_REAL[0], "as printed"), _ON_REAL_ROWS),
            _test(_FIG6, matters(_REAL[0], "repaired"), _FORMS[0][0]),
        ),
    ),
)

_CONCLUSIONS = (
    Sentence(
        name="hpprivbayes-in-all-experiments",
        paper=_PAPER,
        section="5",
        where="Figures 3 to 5",
        quote="… even though HP-PrivBayes gets better results than PrivBayes in all experiments with all privacy "
        "budgets, it does not work very well … when ε is small …",
        strength="all",
        tests=(*_in_all(PRINTED, PRIVBAYES, _OWN), *_worse_when_small(PRINTED, _OWN)),
        ours=(*_in_all(_REPAIRED, _OURS, _REAL, ", repaired"),),
    ),
)

SENTENCES = (*_DATA, *_FIGURE_3, *_FIGURE_4, *_FIGURE_5, *_FIGURE_6, *_CONCLUSIONS)
