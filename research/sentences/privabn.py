"""What the PrivABN paper says of its experiments, each sentence with the tests that decide it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from research.figures.privabn_lines import FLOOR, L2, OURS, Form
from research.figures.privabn_table3 import PRINTED as TABLE_3
from research.rules import Beats, Exact, Near, Rule
from research.sentences import _privabn_rules as rules
from research.sentences._sentence import Sentence, Test

_TABLES = ("NLTCS", "ACS")
_BARS = {"NLTCS": 0.4, "ACS": 0.225}
_SMALL, _LARGE = "ε = 0.1", "ε = 1"
_JTREE = {"as printed": "JTree as printed", "repaired": "JTree repaired"}
_PRIVBAYES = {"as printed": "PrivBayes, as printed", "repaired": "PrivBayes"}
_MUCH = 1.5  # "much better"
_ALIKE = 1.25  # "not different"
_GREEDY = {5: 1.16e8, 10: 1.59e11, 15: 1.48e13, 20: 1.56e14, 25: 2.30e14}
_DAYS = {10: 184.0, 25: 728 * 365 + 11.0}
_COLUMNS = (6, 8, 10)


def _others(form: Form) -> tuple[str, ...]:
    return ("PriView", _PRIVBAYES[form], _JTREE[form])


def _tables(made: Callable[[str], Rule]) -> tuple[Test, ...]:
    """Tests of Figure 1, a table each."""
    return tuple(Test(table=table, experiment="privabn-fig1", rule=made(table)) for table in _TABLES)


def _close(form: Form) -> tuple[Test, ...]:
    return _tables(partial(rules.close, OURS[form], FLOOR[form]))


def _approaches(form: Form) -> tuple[Test, ...]:
    return _tables(lambda table: rules.Approaches(line=OURS[form], floor=FLOOR[form], group=table))


def _floor(form: Form) -> tuple[Test, ...]:
    return _tables(partial(rules.floor, OURS[form], FLOOR[form]))


def _bars(form: Form) -> tuple[Test, ...]:
    return tuple(
        Test(table=table, experiment="privabn-fig2", rule=rules.below_bar(OURS[form], table, at))
        for table, at in _BARS.items()
    )


def _retail(rules_of: Mapping[str, Rule]) -> tuple[Test, ...]:
    """Tests of Figure 3."""
    return tuple(Test(table=table, experiment="privabn-fig3", rule=rule) for table, rule in rules_of.items())


def _beats(form: Form, others: tuple[str, ...], group: str, **how: Any) -> Beats:
    return Beats(ours=(OURS[form],), others=others, measures=(L2,), groups=(group,), **how)


def _outperforms() -> tuple[Test, ...]:
    form: Form = "as printed"
    return _retail({f"Retail, {group}": _beats(form, _others(form), group, clearly=True) for group in (_SMALL, _LARGE)})


def _small(form: Form) -> tuple[Test, ...]:
    return _retail({"Retail": _beats(form, _others(form), _SMALL, clearly=True)})


def _large(form: Form) -> tuple[Test, ...]:
    near = Near(first=OURS[form], second=_JTREE[form], measures=(L2,), groups=(_LARGE,), factor=_ALIKE)
    return _retail({"Retail, superior": _beats(form, _others(form), _LARGE), "Retail, like JTree": near})


def _model(form: Form) -> tuple[Test, ...]:
    return _retail(
        {
            "Retail, JTree": _beats(form, (_JTREE[form],), _LARGE),
            "Retail, PrivBayes": _beats(form, (_PRIVBAYES[form],), _LARGE, factor=_MUCH),
        }
    )


def _range(form: Form) -> tuple[Test, ...]:
    return _retail({f"Retail, {group}": rules.steadier(OURS[form], _others(form), group) for group in (_SMALL, _LARGE)})


_COUNTED = (
    Sentence(
        name="privabn-table2-greedybayes",
        paper="PrivABN",
        section="5.1",
        where="Table 2",
        quote="When the maximum degree k = 10, it already takes 184 days … When k = 25, … it requires a total of 728 "
        "years and 11 days …",
        strength="all",
        tests=(
            Test(
                table="50 attributes",
                experiment="privabn-table2",
                rule=Exact(
                    series="GreedyBayes, counted",
                    printed={
                        **{("pairs", float(k)): pairs for k, pairs in _GREEDY.items()},
                        **{("days", float(k)): days for k, days in _DAYS.items()},
                    },
                    within=0.01,
                ),
            ),
        ),
    ),
    Sentence(
        name="privabn-table2-250",
        paper="PrivABN",
        section="5.1",
        where="Table 2",
        quote="… the ABN algorithm can find a relatively good … pair no matter how much k value is; it only takes 250 "
        "times.",
        strength="all",
        tests=(
            Test(
                table="50 attributes",
                experiment="privabn-table2",
                rule=Exact(
                    series="ABN, counted",
                    printed={("pairs", float(k)): 250.0 for k in _GREEDY},
                    within=0.01,
                    names={("pairs", float(k)): f"pairs at k = {k}" for k in _GREEDY},
                ),
            ),
        ),
    ),
    Sentence(
        name="privabn-best-parents",
        paper="PrivABN",
        section="5.1",
        where="Algorithm 3",
        quote="On the premise of ensuring the best solution, it can greatly reduce the repetitive and useless "
        "calculation process …",
        strength="all",
        method=True,
        tests=tuple(
            Test(
                table=table,
                experiment="privabn-table2",
                rule=Exact(
                    series=table,
                    printed={("missed", float(m)): 0.0 for m in _COLUMNS},
                    names={
                        ("missed", float(m)): f"share of sets of {m} columns that are not the best" for m in _COLUMNS
                    },
                    meant=True,
                ),
            )
            for table in TABLE_3
        ),
    ),
)
_DATA = (
    Sentence(
        name="privabn-table3",
        paper="PrivABN",
        section="6.2",
        where="Table 3",
        quote="The specific information of these three data sets is shown in Table 3.",
        strength="all",
        tests=tuple(
            Test(
                table=table,
                experiment="privabn-table3",
                rule=Exact(series=table, printed={(measure, x): size for measure, size in sizes.items()}),
            )
            for x, (table, sizes) in enumerate(TABLE_3.items(), start=1)
        ),
    ),
)
_FIGURE_1 = (
    Sentence(
        name="privabn-fig1-close",
        paper="PrivABN",
        section="6.4",
        where="Figure 1",
        quote="When ε = 0.05, it is very close to the effect of NoPrivABN …",
        strength="all",
        tests=_close("as printed"),
        ours=_close("repaired"),
    ),
    Sentence(
        name="privabn-fig1-approaches",
        paper="PrivABN",
        section="6.4",
        where="Figure 1",
        quote="… as the privacy budget ε increases, the error generated by PrivABN gradually approaches the error of "
        "NoPrivABN …",
        strength="all",
        tests=_approaches("as printed"),
    ),
    Sentence(
        name="privabn-fig1-lower-bound",
        paper="PrivABN",
        section="6.4",
        where="Figure 1",
        quote="Therefore, taking the error of NoPrivABN as the lower bound is in line with the experimental standard.",
        strength="general",
        tests=_floor("as printed"),
    ),
    Sentence(
        name="privabn-fig1-turning-points",
        paper="PrivABN",
        section="6.4",
        where="Figure 1",
        quote="Their overall trend of change and their turning points are also the same.",
        strength="general",
        tests=_tables(partial(rules.turning_points, OURS["as printed"])),
    ),
    Sentence(
        name="privabn-fig1-robust",
        paper="PrivABN",
        section="6.4",
        where="Figure 1",
        quote="Their error sizes under different privacy budgets do not differ greatly …",
        strength="general",
        tests=_tables(partial(rules.robust, OURS["as printed"])),
    ),
)
_FIGURES_2_AND_3 = (
    Sentence(
        name="privabn-fig2-bar",
        paper="PrivABN",
        section="6.4",
        where="Figure 2",
        quote="… when the privacy budget is 0.4 (NLTCS dataset) and 0.225 (ACS dataset), the L2 error is lower than "
        "the error bar of 0.01.",
        strength="all",
        tests=_bars("as printed"),
        ours=_bars("repaired"),
    ),
    Sentence(
        name="privabn-fig3-outperforms",
        paper="PrivABN",
        section="6.4",
        where="Figure 3",
        quote="… under different privacy budgets, the PrivABN method performs significantly better than the three "
        "other methods …",
        strength="general",
        tests=_outperforms(),
    ),
    Sentence(
        name="privabn-fig3-small",
        paper="PrivABN",
        section="6.4",
        where="Figure 3",
        quote="… when the privacy budget is small (ε = 0.1), the PrivABN method performs … significantly better than "
        "the other three methods.",
        strength="all",
        tests=_small("as printed"),
        ours=_small("repaired"),
    ),
    Sentence(
        name="privabn-fig3-large",
        paper="PrivABN",
        section="6.4",
        where="Figure 3",
        quote="When the privacy budget is large (ε = 1.0), PrivABN is still superior to the other three methods, but "
        "it is not different from the JTree method.",
        strength="general",
        tests=_large("as printed"),
        ours=_large("repaired"),
    ),
    Sentence(
        name="privabn-fig3-model",
        paper="PrivABN",
        section="6.4",
        where="Figure 3",
        quote="… the accuracy of the probabilistic graph model itself built by the Privabn method is better than that "
        "of … the JTree method. Compared with … the PrivBayes method, the accuracy is much better.",
        strength="general",
        tests=_model("as printed"),
        ours=_model("repaired"),
    ),
    Sentence(
        name="privabn-fig3-range",
        paper="PrivABN",
        section="6.4",
        where="Figure 3",
        quote="… with the increase in α-way query dimension, the variation range of L2 error of the PrivABN method is "
        "significantly smaller than those of the three other methods.",
        strength="general",
        tests=_range("as printed"),
        ours=_range("repaired"),
    ),
)
SENTENCES: tuple[Sentence, ...] = (*_COUNTED, *_DATA, *_FIGURE_1, *_FIGURES_2_AND_3)
"""In the order of the paper."""
