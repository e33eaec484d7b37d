"""PrivBayes, section 6.5: what is said of α-way marginals against baselines (Figures 12 to 15)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from research.figures.privbayes_alpha_way import (
    CONTINGENCY,
    CONTINGENCY_WHOLE,
    MWEM_PRINTED,
    MWEM_TABLES,
    OURS,
    UNIFORM,
)
from research.rules import Near, Rule
from research.sentences import _alpha_way as rules
from research.sentences._alpha_way import JOINT, WAYS
from research.sentences._sentence import Sentence, Test

FIGURES = {
    "NLTCS": "privbayes-fig12",
    "ACS": "privbayes-fig13",
    "Adult": "privbayes-fig14",
    "BR2000": "privbayes-fig15",
}
_NEAR = 1.1  # times: less is almost identical
_VERY_LOW = 2  # parents, at most


def _tests(rule: Callable[[str], Rule], tables: Sequence[str] = tuple(FIGURES), part: str = "") -> tuple[Test, ...]:
    tail = f", {part}" if part else ""
    return tuple(Test(table=table + tail, experiment=FIGURES[table], rule=rule(table)) for table in tables)


def _same_as_uniform(line: str) -> Test:
    rule = Near(first=line, second=UNIFORM, measures=WAYS["ACS"], factor=_NEAR, exact=(UNIFORM,))
    return Test(table="ACS, Uniform", experiment=FIGURES["ACS"], rule=rule)


SENTENCES = (
    Sentence(
        name="privbayes-fig12-outperforms",
        paper="PrivBayes",
        section="6.5",
        where="Figures 12 to 15",
        quote="PrivBayes clearly outperforms the other five baselines in all cases.",
        strength="all",
        tests=_tests(rules.outperforms),
        ours=(
            *_tests(rules.outperforms_as_written, JOINT, "Contingency clipped as the text has it"),
            *_tests(lambda table: rules.outperforms(table, OURS), part="our PrivBayes"),
            *_tests(lambda table: rules.outperforms(table, OURS, best=True), JOINT, "the best baselines too"),
        ),
    ),
    Sentence(
        name="privbayes-fig12-more-pronounced",
        paper="PrivBayes",
        section="6.5",
        where="Figures 12 to 15",
        quote="The relative superiority of PrivBayes is more pronounced when (i) ε decreases or (ii) the value of α "
        "increases.",
        strength="general",
        tests=(
            *_tests(rules.further_for_small_budgets, part="ε"),
            *_tests(rules.further_for_more_ways, part="α"),
        ),
        ours=(
            *_tests(lambda table: rules.further_for_small_budgets(table, OURS), part="ε"),
            *_tests(lambda table: rules.further_for_more_ways(table, OURS), part="α"),
        ),
    ),
    Sentence(
        name="privbayes-fig12-degree",
        paper="PrivBayes",
        section="6.5",
        where="Figures 12 and 13",
        quote="… when ε is small, PrivBayes chooses to construct a very low-degree Bayesian network (down to k = 0), "
        "due to the θ-usefulness criterion.",
        strength="general",
        tests=(
            *_tests(lambda table: rules.low_degree(_VERY_LOW), JOINT, "very low"),
            *_tests(lambda table: rules.low_degree(0), JOINT, "k = 0"),
        ),
    ),
    Sentence(
        name="privbayes-fig12-sensitive",
        paper="PrivBayes",
        section="6.5",
        where="Figures 12 to 15",
        quote="… the quality of the synthetic data will not degrade too significantly. In contrast, the performance of "
        "Laplace and Fourier is highly sensitive to ε …",
        strength="general",
        tests=_tests(rules.loses_more),
        ours=_tests(lambda table: rules.loses_more(table, OURS)),
    ),
    Sentence(
        name="privbayes-fig12-contingency",
        paper="PrivBayes",
        section="6.5",
        where="Figures 12 and 13",
        quote="The simple Contingency approach generates inaccurate marginals with low privacy budget, with "
        "performance improving slightly as ε increases. On ACS, it achieves almost identical results to the naive "
        "Uniform method …",
        strength="all",
        tests=(*_tests(rules.inaccurate_and_slow, JOINT), _same_as_uniform(CONTINGENCY_WHOLE)),
        ours=(
            *_tests(lambda table: rules.inaccurate_and_slow(table, CONTINGENCY), JOINT),
            _same_as_uniform(CONTINGENCY),
        ),
    ),
    Sentence(
        name="privbayes-fig12-mwem",
        paper="PrivBayes",
        section="6.5",
        where="Figures 12 and 13",
        quote="MWEM also suffers when ε is small … the performance of MWEM does not significantly surpass the naive "
        "Uniform when ε < 0.2.",
        strength="all",
        tests=_tests(lambda table: rules.suffers(table, MWEM_PRINTED), JOINT),
        ours=_tests(lambda table: rules.suffers(table, MWEM_TABLES), rules.REPLAYED),
    ),
    Sentence(
        name="privbayes-fig12-larger-alpha",
        paper="PrivBayes",
        section="6.5",
        where="Figures 12 to 15",
        quote="… Laplace needs to inject a larger amount of noise into Qα for privacy protection, leading to higher "
        "query errors. Fourier also suffers from a similar issue.",
        strength="general",
        tests=_tests(rules.grow_with_ways),
    ),
    Sentence(
        name="privbayes-fig12-alpha",
        paper="PrivBayes",
        section="6.5",
        where="Figures 12 to 15",
        quote="… the error of PrivBayes is not sensitive to α …",
        strength="general",
        tests=_tests(rules.insensitive_to_ways),
        ours=_tests(lambda table: rules.insensitive_to_ways(table, OURS)),
    ),
)
