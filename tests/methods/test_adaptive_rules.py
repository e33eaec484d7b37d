"""What the schema declares of rows is kept by every row that adaptive's models give, whatever was measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.methods.test_adaptive_exactly import Played
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import Adaptive
from understudy.methods._adaptive_rules import learn_zeros, likely_map, rules_within
from understudy.models import RowsModel, TreeModel
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, Budget, PrivacyTerms, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain, FollowsFrom, Marginal, Rule, Zeros
from understudy.tables import Table

ROWS = 150


@st.composite
def ruled_tables(draw: st.DrawFn) -> Table:
    """Few columns, rules that one row at least keeps, and rows that keep no rule but by chance."""
    binary = draw(st.booleans())
    d = draw(st.integers(2, 5))
    sizes = [2 if binary else draw(st.integers(1, 6)) for _ in range(d)]
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    rules: list[Zeros | FollowsFrom] = []
    row = [int(rng.integers(size)) for size in sizes]
    for _ in range(draw(st.integers(1, 3))):
        scope = tuple(sorted(rng.permutation(d)[: min(d, int(rng.integers(2, 4)))].tolist()))
        if rng.random() < 0.5:
            rules.append(FollowsFrom(tuple(rng.permutation(scope[1:]).tolist()), scope[0]))
        else:
            possible = rng.random([sizes[a] for a in scope]) < rng.choice([0.2, 0.6])
            possible[tuple(row[a] for a in scope)] = True
            rules.append(Zeros(scope, possible))
    domain = Domain(tuple(Attribute(name=str(a), size=size) for a, size in enumerate(sizes)), tuple(rules))
    skew = rng.choice([1.0, 6.0])
    columns = [(rng.random(ROWS) ** skew * size).astype(np.uint8) for size in sizes]
    return Table(domain, tuple(columns))


def broken(rules: Sequence[Rule], columns: list[np.ndarray]) -> list[str]:
    """The rules that some of these rows break."""
    found = []
    for rule in rules:
        if isinstance(rule, Zeros):
            if not rule.possible[tuple(columns[a] for a in rule.attributes)].all():
                found.append(str(rule.attributes))
        else:
            by = list(zip(*(columns[a].tolist() for a in rule.by), strict=True))
            if len(set(zip(by, columns[rule.attribute].tolist(), strict=True))) > len(set(by)):
                found.append(f"{rule.by} → {rule.attribute}")
    return found


def budget_of(epsilon: str, delta: str | None) -> Budget:
    return make_budget(epsilon, delta) if delta else make_budget(epsilon)


def fitted(table: Table, epsilon: str, delta: str | None, neighbours: object, seed: int = 0) -> TreeModel:
    budget = budget_of(epsilon, delta)
    curator = open_curator(MemoryCounter(table), budget=budget, neighbours=neighbours, noise=make_noise(seed=seed))  # type: ignore[arg-type]
    Adaptive().check(table.domain, curator.terms)
    model = Adaptive(rounds=4).fit(curator, streams=Streams(seed))
    assert curator.share_left == 0 or max(attribute.size for attribute in table.domain) == 1
    return model


@given(
    ruled_tables(),
    st.sampled_from(["0.1", "2", "100"]),
    st.sampled_from(["1e-3", None]),
    st.sampled_from([ADD_REMOVE, REPLACE_ONE]),
    st.integers(0, 99),
)
@pytest.mark.filterwarnings("ignore:delta is not below")
def test_no_row_breaks_what_is_declared(table, epsilon, delta, neighbours, seed):
    model = fitted(table, epsilon, delta, neighbours, seed)
    drawn = []
    for independent in (False, True):
        batches = model.sample_codes(400, streams=Streams(seed), independent=independent, batch_rows=150)
        drawn += [list(map(np.asarray, batch)) for batch in batches]
    # given each value of a column that has any chance
    last = len(table.domain) - 1
    chances = model.marginal(Marginal.of(last), errors=False).probabilities
    for code in np.flatnonzero(chances > 0):
        weights = (np.arange(len(chances)) == code).astype(float)
        [batch] = model.sample_codes(40, streams=Streams(seed), evidence={last: weights})
        assert (batch[last] == code).all()
        drawn.append(list(map(np.asarray, batch)))
    together = [np.concatenate([batch[a] for batch in drawn]) for a in range(len(table.domain))]
    method, terms = Adaptive(rounds=4), PrivacyTerms(budget=budget_of(epsilon, delta), neighbours=neighbours)
    kept = method._rules(table.domain, method.divide(table.domain, model.n, terms), terms).kept
    assert len(kept) == len(table.domain.rules) or sum(attribute.size > 1 for attribute in table.domain) < 2
    assert not broken(kept, together)
    for rule in table.domain.rules:
        if isinstance(rule, Zeros):
            probabilities = model.marginal(Marginal.of(*rule.attributes), errors=False).probabilities
            assert (probabilities[~rule.possible] == 0).all()


def test_a_rule_is_kept_by_error_bars_and_conditional_answers_too() -> None:
    """Also where one of the columns is far away in the tree."""
    domain, table = in_order(2000)
    model = fitted(table, "4", "1e-9", ADD_REMOVE)
    answer = model.marginal(Marginal.of(0, 1))
    impossible = ~domain.rules[0].possible  # type: ignore[union-attr]
    assert (answer.probabilities[impossible] == 0).all()
    assert answer.high is not None
    assert (answer.high[impossible] == 0).all()
    given_last = model.marginal(Marginal.of(0), evidence={1: np.eye(6)[0], 2: np.array([1.0, 2.0])}, errors=False)
    assert given_last.probabilities[1:].tolist() == [0, 0, 0, 0, 0]  # exactly
    assert given_last.probabilities[0] == pytest.approx(1)


def in_order(n: int) -> tuple[Domain, Table]:
    rules = (Zeros((0, 1), np.triu(np.ones((6, 6), dtype=np.bool_)), "a ≤ b"),)
    domain = Domain(tuple(Attribute(name=name, size=size) for name, size in (("a", 6), ("b", 6), ("c", 2))), rules)
    rng = np.random.default_rng(0)
    a = rng.integers(0, 6, n)
    b = np.minimum(a + rng.geometric(0.5, n) - 1, 5)
    return domain, Table(domain, tuple(x.astype(np.uint8) for x in (a, b, rng.integers(0, 2, n))))


def error(model: TreeModel, table: Table, pair: tuple[int, int]) -> float:
    [real] = MemoryCounter(table).count([Marginal.of(*pair)])
    return float(abs(model.marginal(Marginal.of(*pair), errors=False).probabilities - real / table.n).sum()) / 2


def test_an_order_that_is_declared_makes_tables_better() -> None:
    domain, table = in_order(2000)
    plain = Table(Domain(domain.attributes), table.columns)
    with_rule, without = (
        np.mean([error(fitted(t, "0.3", "1e-9", ADD_REMOVE, seed), t, (0, 1)) for seed in range(5)])
        for t in (table, plain)
    )
    assert with_rule < 0.8 * without


def test_a_group_that_follows_from_a_code_comes_out_right() -> None:
    rng = np.random.default_rng(1)
    group_of = rng.integers(0, 5, 40)
    code = rng.choice(40, 8000, p=np.arange(1, 41)[::-1] / 820)
    names = (("code", 40), ("group", 5), ("sex", 2))
    domain = Domain(tuple(Attribute(name=name, size=size) for name, size in names), (FollowsFrom((0,), 1),))
    columns = (code, group_of[code], rng.integers(0, 2, 8000))
    table = Table(domain, tuple(column.astype(np.uint8) for column in columns))
    model = fitted(table, "3", "1e-9", ADD_REMOVE)
    assert error(model, table, (0, 1)) < 0.03
    drawn = next(model.sample_codes(8000, streams=Streams(0)))
    assert (group_of[drawn[0]] == drawn[1]).mean() > 0.99


def test_a_pair_that_is_settled_may_be_named_as_one_that_matters() -> None:
    names = ("code", "group", "sex")
    domain = Domain(tuple(Attribute(name=name, size=3) for name in names), (FollowsFrom((0,), 1),))
    columns = tuple(np.arange(900) % 3 for _ in names)
    table = Table(domain, tuple(column.astype(np.uint8) for column in columns))
    curator = open_curator(MemoryCounter(table), budget=make_budget(1, "1e-9"), neighbours=ADD_REMOVE)
    model = Adaptive(focus=("code", "group", "sex")).fit(curator)
    measured = {one.marginal for one in model.measurements}
    assert (0, 2) in measured
    assert (0, 1) not in measured


def test_rules_are_kept_beyond_the_tree_too() -> None:
    """Weighted rows are drawn from the tree, and nothing makes others of them; rare values merge as in the tree."""
    rng = np.random.default_rng(2)
    sizes = (12, 12, 30, 4, 5, 5)
    rules = (Zeros((0, 1), np.triu(np.ones((12, 12), dtype=np.bool_))), FollowsFrom((2,), 3))
    domain = Domain(tuple(Attribute(name=str(a), size=size) for a, size in enumerate(sizes)), rules)
    z = rng.random(5000)
    first = (z * 12).astype(int)
    last = np.minimum(first + rng.geometric(0.4, 5000) - 1, 11)
    code = (rng.random(5000) ** 4 * 30).astype(int)
    more = [np.clip(z * 5 + rng.normal(0, 0.8, 5000), 0, 4).astype(int) for _ in range(2)]
    columns = (first, last, code, code % 4, *more)
    table = Table(domain, tuple(column.astype(np.uint8) for column in columns))
    curator = open_curator(
        MemoryCounter(table), budget=make_budget(2, "1e-9"), neighbours=ADD_REMOVE, noise=make_noise(seed=1)
    )
    model = Adaptive(rounds=16, max_cells=450).fit(curator, streams=Streams(1))
    assert isinstance(model, RowsModel)
    drawn = [next(model.sample_codes(5000, streams=Streams(2), independent=way)) for way in (False, True)]
    drawn.append(next(model.sample_codes(500, streams=Streams(2), evidence={1: np.eye(12)[3]})))
    together = [np.concatenate([np.asarray(batch[a]) for batch in drawn]) for a in range(6)]
    assert not broken(rules, together)
    possible = rules[0].possible
    assert (model.marginal(Marginal.of(0, 1), errors=False).probabilities[~possible] == 0).all()


def test_rows_that_break_a_rule_count_like_all_others_and_are_not_made() -> None:
    """Nothing depends on whether there are any: that would tell of single rows."""
    domain, table = in_order(2000)
    swapped = Table(domain, (table.columns[1], table.columns[0], table.columns[2]))
    model = fitted(swapped, "4", "1e-9", ADD_REMOVE)
    drawn = next(model.sample_codes(1000, streams=Streams(0)))
    assert not broken(domain.rules, list(map(np.asarray, drawn)))
    assert abs(model.n - 2000) < 100


def test_rules_that_do_not_fit_are_named_and_the_smaller_ones_kept() -> None:
    sizes = (1000, 1000, 8, 8)
    rules = (
        Zeros((0, 1), np.triu(np.ones((1000, 1000), dtype=np.bool_)), "from ≤ to"),
        Zeros((2, 3), np.triu(np.ones((8, 8), dtype=np.bool_)), "c ≤ d"),
        FollowsFrom((0, 1), 2, "from × to → c"),
    )
    domain = Domain(tuple(Attribute(name=str(a), size=size) for a, size in enumerate(sizes)), rules)
    found = rules_within(domain, 200_000, learn=True)
    assert found.described() == {"kept by the fit": "c ≤ d", "kept as rows are drawn": "from ≤ to; from × to → c"}


@pytest.mark.parametrize("epsilon", [0.0001, 2])
def test_the_statement_says_what_is_kept(epsilon: float) -> None:
    """Where there is no budget for relations, no map is learnt."""
    domain = Domain(
        (Attribute(name="a", size=9), Attribute(name="b", size=4)),
        (Zeros((0, 1), np.tri(9, 4, dtype=np.bool_), "b ≤ a"), FollowsFrom((0,), 1, "a → b")),
    )
    curator = open_curator(MemoryCounter(Table(domain, (np.zeros(9, np.uint8),) * 2)), budget=make_budget(epsilon))
    said = Adaptive().describe(domain, 2000, curator.terms)
    assert said["kept by the fit"] == ("b ≤ a; a → b" if epsilon == 2 else "b ≤ a")
    assert said.get("kept as rows are drawn") == (None if epsilon == 2 else "a → b")


def test_maps_that_contradict_each_other_leave_rows() -> None:
    """a → b, b → c and a → c, each learnt from pure noise."""
    domain = Domain(
        tuple(Attribute(name=name, size=4) for name in "abcd"),
        (
            FollowsFrom((0,), 1),
            FollowsFrom((1,), 2),
            FollowsFrom((0,), 2),
            FollowsFrom((0, 1), 3),
            FollowsFrom((2,), 0),
        ),
    )
    for seed in range(5):
        columns = tuple(np.random.default_rng((seed, a)).integers(0, 4, 60).astype(np.uint8) for a in range(4))
        model = fitted(Table(domain, columns), "1", "1e-6", ADD_REMOVE, seed)
        drawn = next(model.sample_codes(500, streams=Streams(seed)))
        assert not broken(domain.rules, list(map(np.asarray, drawn)))


def test_unclear_rows_go_where_counts_are_missing() -> None:
    clear = np.array([[500.0, 2.0], [3.0, 40.0]])
    noise = np.array([[1.0, -1.0]] * 8)
    found = likely_map(
        np.concatenate([clear, noise]), 400.0, np.array([500.0, 40.0, *[10.0] * 8]), np.array([505.0, 125.0]),
        np.ones((10, 2), dtype=np.bool_),
    )  # fmt: skip
    assert found.tolist() == [0, 1, *[1] * 8]


def test_a_map_learnt_from_true_counts_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is free to choose the map by what was measured, and by nothing else."""

    def from_true_counts(curator, rules, *more):  # type: ignore[no-untyped-def]
        learn_zeros(curator, rules, *more)
        [table] = curator._rows.count([Marginal.of(0, 1)])
        return [Zeros((0, 1), np.asarray(table == table.max(axis=1, keepdims=True)))]

    monkeypatch.setattr("understudy.methods._adaptive.learn_zeros", from_true_counts)
    assert Played("a column that follows", "pure, little noise", REPLACE_ONE).worst() == np.inf
