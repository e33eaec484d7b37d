"""What the PRAM-BN paper says of its experiments, each sentence with the tests that decide it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from research.figures.pram_lines import (
    BAYES,
    BIC,
    CS,
    ETAS,
    FIXED,
    OUR_C,
    OUR_ETA,
    OURS,
    PAPERS,
    PENALTIES,
    VARIABLE,
)
from research.rules import Exact, Rule, Trend
from research.sentences import _pram_rules as rules
from research.sentences._sentence import Sentence, Test
from research.tasks import DRAWN, PRINTED_AMPLIFICATION

_NETWORK = "network declared here"
_FIVE = "Figure 5"
_COLUMNS = dict(enumerate(PRINTED_AMPLIFICATION, start=1))


def _structure(rule: Rule, table: str = _NETWORK) -> Test:
    return Test(table=table, experiment="pram-fig5", rule=rule)


def _on_networks(made: Callable[[str], Rule], group: str = BAYES) -> tuple[Test, ...]:
    """A test on the network declared here, and on those with the same links and probabilities drawn by lot.

    The paper had one network, whose probabilities it does not print: what it says of all cases is said of that one, and
    no single network of ours decides it.
    """
    groups = {_NETWORK: group} | {f"probabilities {name}": name for name in DRAWN}
    return tuple(_structure(made(name), table) for table, name in groups.items())


_PARAMETERS = (
    Sentence(
        name="pram-setups",
        paper="PRAM-BN",
        section="VII",
        where="Table II",
        quote="… the experimental results of Setup I are always better than those for Setup II.",
        strength="all",
        tests=(Test(table=_NETWORK, experiment="pram-table2", rule=rules.setup_one_better()),),
    ),
    Sentence(
        name="pram-table1",
        paper="PRAM-BN",
        section="VII.A",
        where="Table I",
        quote="The corresponding at most γ amplification are also shown in Table I. K* = 2 for Binary randomization "
        "while K* = 3 for ternary randomization.",
        strength="all",
        tests=(
            Test(
                table="8 variables",
                experiment="pram-table2",
                rule=Exact(
                    series="by the matrix",
                    printed={
                        **{("γ", float(i)): PRINTED_AMPLIFICATION[name] for i, name in _COLUMNS.items()},
                        **{("K*", float(i)): 3.0 if name in "LB" else 2.0 for i, name in _COLUMNS.items()},
                    },
                    within=0.002,
                    names={
                        (word, float(i)): f"{word} of {name}" for i, name in _COLUMNS.items() for word in ("γ", "K*")
                    },
                ),
            ),
        ),
    ),
    Sentence(
        name="pram-table2-accurate",
        paper="PRAM-BN",
        section="VII.A",
        where="Table II",
        quote="… the proposed algorithms can accurately learn the BN parameters for both Setups.",
        strength="general",
        tests=tuple(
            Test(table=f"Setup {setup}", experiment="pram-table2", rule=rules.accurate(f"Setup {setup}, learnt"))
            for setup in ("I", "II")
        ),
    ),
    *(
        Sentence(
            name=name,
            paper="PRAM-BN",
            section="VII.B",
            where="Figure 4",
            quote=quote,
            strength="general",
            tests=tuple(
                Test(
                    table=f"P(D | B, C) at {', '.join(values)}",
                    experiment="pram-fig4",
                    rule=rules.little_off(f"B, C = {', '.join(values)}", "off", most, limit),
                )
                for values in ("00", "01", "10", "11")
            ),
        )
        for name, quote, most, limit in (
            (
                "pram-fig4-quarter",
                "… for randomization parameter p ≤ 0.25, we can estimate the BN parameters with almost no error.",
                0.25,
                0.02,
            ),
            (
                "pram-fig4-third",
                "Even for p values up to 0.3, we get reasonably good parameter estimates.",
                0.3,
                0.05,
            ),
        )
    ),
    Sentence(
        name="pram-fig4-rows",
        paper="PRAM-BN",
        section="VII.B",
        where="Figure 4",
        quote="Under the same accuracy requirement, it is intuitive that the p value can be closer to 0.5 if more "
        "samples are available.",
        strength="all",
        tests=(
            Test(
                table=_NETWORK,
                experiment="pram-fig4",
                rule=Trend(series=("measured",), measures=("p*",), groups=("rows",), rises=True),
            ),
        ),
    ),
)
_STRUCTURE = (
    Sentence(
        name="pram-fig5-extra",
        paper="PRAM-BN",
        section="VI",
        where=_FIVE,
        quote="… the extra links exist even for relatively small estimation errors.",
        strength="general",
        tests=_on_networks(partial(rules.extra_links, "η = 1", PAPERS[:2])),
    ),
    Sentence(
        name="pram-thresholds",
        paper="PRAM-BN",
        section="VI",
        where=_FIVE,
        quote="More the randomization, larger the threshold η and C* should be.",
        strength="general",
        tests=tuple(
            _structure(rules.larger(word, values), f"{word}, {_NETWORK}") for word, values in (("η", ETAS), ("C*", CS))
        ),
    ),
    Sentence(
        name="pram-fig5-always-extra",
        paper="PRAM-BN",
        section="VII.C",
        where=_FIVE,
        quote="… the structure error was always contributed by extra links, with just one exception … where we had "
        "one missing link.",
        strength="all",
        over_tables="general",
        tests=_on_networks(partial(rules.hardly_missing, (*FIXED, VARIABLE), PAPERS)),
    ),
    Sentence(
        name="pram-fig5-variable",
        paper="PRAM-BN",
        section="VII.C",
        where=_FIVE,
        quote="… a variable value of η gives better results than a fixed value.",
        strength="general",
        tests=_on_networks(rules.variable_better),
    ),
    Sentence(
        name="pram-fig5-bayes",
        paper="PRAM-BN",
        section="VII.C",
        where=_FIVE,
        quote="For the case of Bayesian score, we can have a randomization level of p = 0.2, with little error in "
        "structure learning.",
        strength="all",
        over_tables="general",
        tests=_on_networks(partial(rules.little_error, (VARIABLE,), 0.2)),
        ours=(
            _structure(rules.little_error((OUR_ETA,), 0.2, BAYES), "calibrated η"),
            _structure(rules.little_error((OURS,), 0.2, BAYES), "likelihood"),
        ),
    ),
    Sentence(
        name="pram-fig5-bic",
        paper="PRAM-BN",
        section="VII.C",
        where="no figure",
        quote="The performance with BIC/MDL score is even better, where we can have a randomization level of p = 0.25, "
        "with little error in structure learning.",
        strength="all",
        over_tables="general",
        tests=_on_networks(partial(rules.little_error, PENALTIES, 0.25, than=VARIABLE), BIC),
        ours=(_structure(rules.little_error((OUR_C,), 0.25, BIC), "calibrated C*"),),
    ),
    Sentence(
        name="pram-privacy-level",
        paper="PRAM-BN",
        section="VIII",
        where="Table I",
        quote="We showed that we obtain a fairly good level of privacy.",
        strength="general",
        missing="a level: none is named, and γ is told of single variables, not of a record",
    ),
)
SENTENCES: tuple[Sentence, ...] = (*_PARAMETERS, *_STRUCTURE)
"""In the order of the paper, parameters first."""
