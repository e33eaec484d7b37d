"""The privacy report of a plan against enumeration: every matrix form, every pair of records, every published one."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.randomize.enumeration import Record, law, pairs_that_differ, records, worst_odds
from understudy import UserError
from understudy.randomize import Block, Matrix, Plan, plan, report
from understudy.schema import Schema

pytestmark = pytest.mark.one_in(3)


def a_schema(**values: int) -> Schema:
    fields = [{"name": name, "categories": [f"{name}{i}" for i in range(size)]} for name, size in values.items()]
    return Schema.from_dict({"name": "party", "fields": fields})


PLANS = {
    "binary symmetric": plan(a_schema(x=2), p="0.25"),
    "binary asymmetric": plan(a_schema(x=2), blocks={"x": "p=0.1/0.25"}),
    "ternary symmetric": plan(a_schema(x=3), p="0.15"),
    "ternary p1/p2": plan(a_schema(x=3), blocks={"x": "p=0.1/0.05"}),
    "k-ary by epsilon": plan(a_schema(x=5), epsilon="1.1"),
    "k-ary by gamma": plan(a_schema(x=4), gamma=7),
    "keeps least": plan(a_schema(x=3), p="0.45"),
    "never keeps": plan(a_schema(x=3), p="0.5"),
    "block-diagonal": plan(a_schema(x=4), blocks={"x": "groups=x0 x1|x2 x3; p=0.2"}),
    "one group": plan(a_schema(x=3), blocks={"x": "groups=x0 x1 x2; p=0.2"}),
    "declared invariant": plan(a_schema(x=3), blocks={"x": "invariant=0.8; distribution=0.2 0.3 0.5"}),
    "any matrix": plan(a_schema(x=3), blocks={"x": [["0.8", "0.1", "0.1"], ["0.2", "0.7", "0.1"], [0, "0.5", "0.5"]]}),
    "left alone": plan(a_schema(x=3), blocks={"x": "none"}),
    "one value": plan(a_schema(x=1), epsilon=1),
    "a pair as one": plan(a_schema(x=2, y=3), epsilon=1),
    "a pair apart": plan(a_schema(x=2, y=3), epsilon=1, separate=True),
    "a pair by a matrix of its own": plan(
        a_schema(x=2, y=2),
        blocks={
            ("x", "y"): [
                ["0.5", "0.2", "0.2", "0.1"],
                ["0.3", "0.4", "0.1", "0.2"],
                ["0.1", "0.2", "0.6", "0.1"],
                ["0.1", "0.1", "0.2", "0.6"],
            ]
        },
    ),
    "non-uniform": plan(a_schema(x=2, y=3, z=2), blocks={"x": "p=0.1/0.25", ("z", "y"): "gamma=5"}),
    "one left alone": plan(a_schema(x=2, y=2), epsilon=1, blocks={"y": "none"}),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_report_is_what_enumeration_finds(name: str) -> None:
    made = PLANS[name]
    laws = {true: law(made, true) for true in records([f.size for f in made.schema.fields])}
    assert all(sum(each.values()) == 1 for each in laws.values())
    found = report(made)
    assert found.gamma == worst_odds(laws, pairs_that_differ(made, made.schema.names))
    for block in found.parties[0].blocks:
        names = [column.name for column in block.columns]
        assert block.gamma == worst_odds(laws, pairs_that_differ(made, names))
        for column in block.columns:
            assert_is_logarithm(column.epsilon, worst_odds(laws, pairs_that_differ(made, [column.name])))
        assert_is_logarithm(block.epsilon, block.gamma)
    assert_is_logarithm(found.epsilon, found.gamma)


def assert_is_logarithm(epsilon: Fraction | None, gamma: Fraction | None) -> None:
    if gamma is None:
        assert epsilon is None
        return
    assert epsilon is not None
    assert math.log(gamma) * (1 - 1e-14) <= epsilon <= math.log(gamma) * (1 + 1e-10)


@pytest.mark.parametrize("seed", range(12))
def test_random_matrices_over_two_columns_are_reported_as_enumeration_finds(seed: int) -> None:
    rng = Random(seed)
    schema = a_schema(x=2, y=3)
    rows = []
    for _ in range(6):
        weights = [rng.choice((0, 1, 2, 5, 9)) if seed % 3 == 0 else rng.randint(1, 9) for _ in range(6)]
        weights[0] += not sum(weights)
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    block = Block(columns=("x", "y"), sizes=(2, 3), matrix=Matrix.of(rows))
    made = Plan(party="p", schema=schema, blocks=(block,))
    laws = {true: law(made, true) for true in records((2, 3))}
    found = report(made).parties[0].blocks[0]
    assert found.gamma == worst_odds(laws, pairs_that_differ(made, ("x", "y")))
    for column in found.columns:
        assert_is_logarithm(column.epsilon, worst_odds(laws, pairs_that_differ(made, [column.name])))
    assert found.least_origins == min(
        origins for to in records((2, 3)) if (origins := sum(laws[true][to] > 0 for true in laws))
    )


@pytest.mark.parametrize("name", PLANS)
def test_how_often_a_value_stays_is_what_enumeration_finds(name: str) -> None:
    made = PLANS[name]
    names = list(made.schema.names)
    for block in report(made).parties[0].blocks:
        for column in block.columns:
            at = names.index(column.name)
            chances: dict[int, list[Fraction]] = {}
            for true in records([f.size for f in made.schema.fields]):
                kept = sum((chance for to, chance in law(made, true).items() if to[at] == true[at]), Fraction(0))
                chances.setdefault(true[at], []).append(kept)
            assert column.keep == tuple((min(chances[code]), max(chances[code])) for code in sorted(chances))


@pytest.mark.parametrize("name", PLANS)
def test_no_belief_rises_or_falls_beyond_the_bounds(name: str) -> None:
    """Over random beliefs, and beliefs with all their weight on two records; there the bounds are reached."""
    made = PLANS[name]
    every = records([f.size for f in made.schema.fields])
    laws = {true: law(made, true) for true in every}
    rng = Random(name)
    for bound in report(made).beliefs:
        highest, lowest = Fraction(0), Fraction(1)
        for prior, holds in beliefs(rng, every, bound.prior):
            for to in every:
                seen = sum(prior[true] * laws[true][to] for true in every)
                if seen:
                    after = sum((prior[true] * laws[true][to] for true in holds), Fraction(0)) / seen
                    highest, lowest = max(highest, after), min(lowest, after)
        assert bound.lowest <= lowest
        assert highest <= bound.highest
        if len(every) > 1:
            assert (lowest, highest) == (bound.lowest, bound.highest)


def beliefs(rng: Random, every: list[Record], prior: Fraction) -> list[tuple[dict[Record, Fraction], set[Record]]]:
    """Beliefs over records, and a property of them, that has the probability `prior`."""
    nothing = dict.fromkeys(every, Fraction(0))
    found = [(nothing | {one: prior, two: 1 - prior}, {one}) for one in every for two in every if one != two]
    for _ in range(30):
        holds = {true for true in every if rng.random() < 0.5}
        if not holds or len(holds) == len(every):
            continue
        inside = {true: rng.randint(1, 9) if true in holds else 0 for true in every}
        outside = {true: rng.randint(1, 9) if true not in holds else 0 for true in every}
        spread = {
            true: prior * Fraction(inside[true], sum(inside.values()))
            + (1 - prior) * Fraction(outside[true], sum(outside.values()))
            for true in every
        }
        found.append((spread, holds))
    return found


def test_what_parties_reveal_of_the_same_person_adds_up() -> None:
    plans = [plan(a_schema(x=2), epsilon="1.1", party="a"), plan(a_schema(y=3, z=2), epsilon="0.5", party="b")]
    found = report(*plans)
    assert found.epsilon == Fraction("1.6")
    assert [party.epsilon for party in found.parties] == [Fraction("1.1"), Fraction("0.5")]
    both = Plan(
        party="both", schema=a_schema(x=2, y=3, z=2), blocks=tuple(block for each in plans for block in each.blocks)
    )
    laws = {true: law(both, true) for true in records((2, 3, 2))}
    assert found.gamma == worst_odds(laws, pairs_that_differ(both, ("x", "y", "z")))
    assert report(plans[0], plan(a_schema(y=2), blocks={"y": "none"})).epsilon is None


def test_a_column_in_two_plans_is_refused() -> None:
    with pytest.raises(UserError, match="column 'x' is in two plans, of a and of b"):
        report(plan(a_schema(x=2), epsilon=1, party="a"), plan(a_schema(x=3), epsilon=1, party="b"))


TABLE_I = {
    **dict.fromkeys("AD", ("p=0.25", 2, Fraction(3))),
    **dict.fromkeys("LB", ("p=0.15", 3, Fraction(14, 3))),
    "E": ("p=0.2", 2, Fraction(4)),
    "X": ("p=0.4", 2, Fraction(3, 2)),  # printed as 3, which would be p = 0.25
    **dict.fromkeys("CF", ("p=0.1/0.25", 2, Fraction(15, 2))),  # printed as 9
}


def test_table_one_of_the_paper_corrected() -> None:
    schema = a_schema(**{name: size for name, (_, size, _) in TABLE_I.items()}, T=2, S=2, G=2)
    randomised = {name: how for name, (how, _, _) in TABLE_I.items()}
    public = report(plan(schema, blocks=randomised, public=list("TSG")))
    for block in public.parties[0].blocks:
        if block.sensitive:
            assert block.gamma == TABLE_I[block.columns[0].name][2]
            assert block.least_origins == block.cells
    assert public.epsilon is not None
    assert f"{float(public.epsilon):.1f}" == "11.1"
    assert any("'T', 'S' and 'G': declared public" in warning for warning in public.warnings)
    clear = report(plan(schema, blocks=randomised | dict.fromkeys("TSG", "none")))
    assert clear.epsilon is None
    assert any("'T', 'S' and 'G' are sensitive and left alone" in warning for warning in clear.warnings)


def test_the_printed_gamma_of_x_is_that_of_another_p() -> None:
    assert report(plan(a_schema(X=2), p="0.25")).gamma == 3


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("left alone", "'x' is sensitive and left alone: it is published as it is, ε = ∞"),
        ("block-diagonal", "K* is no measure of privacy"),
        ("any matrix", "some published values rule out some true ones"),
        ("keeps least", "speaks against the same true one"),
        ("k-ary by epsilon", "Randomise once"),
        ("k-ary by epsilon", "That a person is in the table at all is visible"),
    ],
)
def test_the_report_warns_where_it_applies(name: str, words: str) -> None:
    assert any(words in warning for warning in report(PLANS[name]).warnings)


def test_a_plain_plan_has_no_other_warnings() -> None:
    assert len(report(PLANS["k-ary by epsilon"]).warnings) == 1


def test_an_invariant_matrix_from_the_data_has_no_bound() -> None:
    made = plan(a_schema(x=3, y=2), blocks={"x": "invariant=0.8", "y": "p=0.1"})
    assert made.blocks[0].matrix is None
    found = report(made)
    assert found.epsilon is None
    assert found.columns["x"] is None
    assert found.columns["y"] is not None
    assert any("worked out from the private table" in warning for warning in found.warnings)
    assert not any("worked out" in warning for warning in report(PLANS["declared invariant"]).warnings)


def test_large_odds_are_spelt_out() -> None:
    [warning] = [w for w in report(plan(a_schema(x=2), gamma=1000)).warnings if "factor of 1,000" in w]
    assert "promises little" in warning


def test_drafted_fields_are_named() -> None:
    fields = [{"name": "x", "categories": ["a", "b"], "origin": "draft"}]
    with pytest.raises(UserError, match="trust-draft"):
        plan({"fields": fields}, epsilon=1)
    found = report(plan({"fields": fields}, epsilon=1, trust_draft=True))
    assert any("read off the private table" in warning for warning in found.warnings)


def test_priors_are_the_callers() -> None:
    [belief] = report(PLANS["binary symmetric"], priors=["0.1"]).beliefs
    assert (belief.prior, belief.highest, belief.lowest) == (Fraction(1, 10), Fraction(1, 4), Fraction(1, 28))
    for wrong in ("0", 1, "x", 2):
        with pytest.raises(UserError, match="a prior is a probability"):
            report(PLANS["binary symmetric"], priors=[wrong])


def test_a_report_needs_a_plan() -> None:
    with pytest.raises(UserError, match="no plan to report on"):
        report()


@pytest.mark.parametrize("form", PLANS)
def test_a_report_can_be_read_as_text(form: str) -> None:
    found = report(PLANS[form])
    text = str(found)
    assert text.startswith("party, the whole record: ε ")
    assert ("ε = ∞" in text) == any(b.epsilon is None and b.sensitive for p in found.parties for b in p.blocks)
    assert all(warning in text for warning in found.warnings)
    assert "Fraction" not in text


def test_a_plan_may_be_given_by_its_file(tmp_path: Path) -> None:
    made = PLANS["k-ary by gamma"]
    made.save(tmp_path / "party.plan.yaml")
    assert report(tmp_path / "party.plan.yaml") == report(str(tmp_path / "party.plan.yaml")) == report(made)


def test_what_is_nearly_always_kept_is_not_told_as_always() -> None:
    assert "kept >99.9 %" in str(report(plan(a_schema(x=2), p="0.0001")))


def test_an_invariant_matrix_of_declared_shares_says_that_they_must_be_public() -> None:
    assert "taken from the table" in report(PLANS["declared invariant"]).warnings[0]
