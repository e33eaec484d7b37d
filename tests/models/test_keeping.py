"""Rules that a domain carries, kept by every kind of model: exactly, under evidence too, with columns as they were."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy._core.errors import UserError
from understudy._core.randomness import Streams
from understudy.models import (
    CliqueTree,
    JointModel,
    Network,
    NetworkModel,
    Node,
    RowsModel,
    TreeModel,
    WeightedRows,
    Within,
    rows_that_keep,
)
from understudy.schema import (
    Attribute,
    Axis,
    Domain,
    Encoding,
    FollowsFrom,
    Level,
    Marginal,
    Ordered,
    Together,
    Zeros,
    recode,
)

SIZES = (3, 4, 2, 3)
CELLS = np.array(list(product(*map(range, SIZES)))).T
EVERY = Marginal.of(*range(len(SIZES)))
KINDS = ("joint", "tree", "merged tree", "rows", "merged rows", "vanilla", "hierarchical", "binary", "gray")


def domain_of(rules: Any) -> Domain:
    coarser = {1: (Level(groups=(0, 0, 1, 1)),), 3: (Level(groups=(0, 0, 1)),)}
    attributes = [Attribute(name="abcd"[a], size=s, coarser=coarser.get(a, ())) for a, s in enumerate(SIZES)]
    return Domain(tuple(attributes), tuple(rules))


def made(kind: str, domain: Domain, seed: int) -> Any:
    """A model with random numbers, of one of the kinds there are."""
    rng = Streams(seed).get("model")
    if kind == "joint":
        return JointModel(domain, 99, rng.dirichlet(np.ones(72)))
    # of the attribute b, values 1 and 2 are one in the tree or in the rows
    within = [None, Within(np.array([0, 1, 1, 2]), np.array([1.0, 0.25, 0.75, 1.0])), None, None]
    sizes = (3, 3, 2, 3) if kind.startswith("merged") else SIZES
    within = within if kind.startswith("merged") else []
    if kind.endswith("tree"):
        first = rng.dirichlet(np.ones(3 * sizes[1])).reshape(3, sizes[1])
        second = first.sum(axis=0)[:, None] * rng.dirichlet(np.ones(2), size=sizes[1])
        tree = CliqueTree(sizes, ((0, 1), (1, 2), (3,)), (-1, 0, -1), (first, second, rng.dirichlet(np.ones(3))))
        return TreeModel(domain, 99, tree=tree, within=within)
    if kind.endswith("rows"):
        cells = np.array(list(product(*map(range, sizes))), dtype=np.uint16).T
        return RowsModel(
            domain, 99, rows=WeightedRows(sizes, cells, rng.dirichlet(np.ones(cells.shape[1]))), within=within
        )
    recoding = recode(domain, kind)  # type: ignore[arg-type]
    nodes = []
    for child in range(len(recoding.target)):
        levels = [recoding.target[a].n_levels - 1 for a in range(child)]
        nodes.append(Node(child, tuple(Axis(a, levels[a]) for a in range(max(0, child - 2), child))))
    network = Network(recoding.target, tuple(nodes))
    shapes = [network.shape(node) for node in network.nodes]
    tables = [rng.dirichlet(np.ones(s[-1]), size=s[:-1]) for s in shapes]
    return NetworkModel(network, tables, recoding, (), 99)


@st.composite
def rule_sets(draw: Any) -> list[Any]:
    found: list[Any] = []
    for _ in range(draw(st.integers(1, 3))):
        scope = tuple(sorted(draw(st.permutations(range(4)))[: draw(st.integers(2, 3))]))
        shape = [SIZES[a] for a in scope]
        flags = np.array(draw(st.lists(st.booleans(), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))))
        found.append(Zeros(scope, (flags | (np.arange(flags.size) == 0)).reshape(shape), "zeros"))
    if draw(st.booleans()):
        found.append(FollowsFrom((1,), 0, "b → a"))
    if draw(st.booleans()):
        found.append(FollowsFrom((0, 2), 3, "a × c → d"))
    if draw(st.booleans()):
        found.append(Together((3, 2), (np.arange(3) == 2, np.arange(2) == 1), "never d=2, c=1"))
    return found


def is_map(codes: Any, rule: FollowsFrom) -> bool:
    pairs = {(tuple(row[a] for a in rule.by), row[rule.attribute]) for row in np.asarray(codes).T.tolist()}
    return len({by for by, _ in pairs}) == len(pairs)


def check_rows(rules: Any, columns: Any) -> None:
    for rule in rules:
        if isinstance(rule, FollowsFrom):
            assert is_map(columns, rule), rule.text
        else:
            assert not rule.broken(columns).any(), rule.text


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", KINDS)
@given(rules=rule_sets(), seed=st.integers(0, 99))
@settings(max_examples=12)
def test_every_row_and_every_answer_keeps_the_rules(kind: str, rules: Any, seed: int) -> None:
    model = made(kind, domain_of(rules), seed)
    drawn = []
    for independent in (False, True):
        drawn += list(model.sample_codes(300, streams=Streams(seed), independent=independent, batch_rows=200))
    table = model.marginal(EVERY, errors=False).probabilities
    assert abs(table.sum() - 1) < 1e-9
    possible = [rule for rule in rules if not isinstance(rule, Together)]  # which only rows are held against
    check_rows(possible, CELLS[:, table.ravel() > 0])
    # given a value that has a chance, and as that answer says
    left = table.copy()
    for rule in rules:
        if isinstance(rule, Together):
            left.ravel()[rule.broken(CELLS)] = 0
    code = int(left.sum(axis=(0, 1, 2)).argmax())
    given_code = {3: (np.arange(3) == code).astype(float)}
    rest = model.marginal(Marginal.of(0, 1, 2), evidence=given_code, errors=False).probabilities
    assert np.allclose(rest, table[..., code] / table[..., code].sum())
    drawn += list(model.sample_codes(100, streams=Streams(seed), evidence=given_code))
    assert (drawn[-1][3] == code).all()
    together = [np.concatenate([np.asarray(batch[a]) for batch in drawn]) for a in range(4)]
    assert len(together[0]) == 700
    check_rows(rules, together)
    # a value that the rules or the model leave no room for
    chances = [table.sum(axis=tuple({0, 1, 2, 3} - {a})) for a in range(4)]
    for at, zero in [(a, c) for a in range(4) for c in np.flatnonzero(chances[a] == 0)][:1]:
        impossible = {at: (np.arange(SIZES[at]) == zero).astype(float)}
        with pytest.raises(UserError, match="probability 0"):
            next(model.sample_codes(9, streams=Streams(1), evidence=impossible))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_is_the_same_distribution_but_for_the_columns_weights(kind: str) -> None:
    """P given the rules, times a weight for each code of a rule's columns; and these columns are as they were."""
    agree = np.zeros((3, 4), dtype=bool)
    agree[0, 0] = agree[1:, 1:] = True
    model = made(kind, domain_of([Zeros((0, 1), agree, "a=0 exactly when b=0")]), 5)
    before = model.with_zeros(()).marginal(EVERY).probabilities
    after = model.marginal(EVERY, errors=False).probabilities
    ratio = np.divide(after, before, out=np.zeros_like(after), where=agree[:, :, None, None] & (before > 0))
    # one number for each cell of the rule's columns, and of rank one within what is possible
    assert np.allclose(ratio, ratio[:, :, :1, :1])
    block = ratio[1:, 1:, 0, 0]
    assert np.allclose(block * block[0, 0], np.outer(block[:, 0], block[0]))
    now, was = (table.sum(axis=(2, 3)) for table in (after, before))
    # what both columns say of a=0 differs: one of them is kept, the other as near as that allows
    conflict = abs(was.sum(axis=1)[0] - was.sum(axis=0)[0])
    assert np.abs(now.sum(axis=1) - was.sum(axis=1)).sum() / 2 <= conflict + 1e-3
    assert np.abs(now.sum(axis=0) - was.sum(axis=0)).sum() / 2 <= conflict + 1e-3


def test_rules_that_hold_already_change_nothing() -> None:
    possible = np.array([[True, False], [True, True]])
    domain = Domain(tuple(Attribute(name=n, size=2) for n in "ab"), (Zeros((0, 1), possible, "b ≤ a"),))
    table = np.array([[0.2, 0.0], [0.3, 0.5]])
    model = JointModel(domain, 9, table)
    assert np.allclose(model.marginal(Marginal.of(0, 1)).probabilities, table)
    plain = JointModel(Domain(domain.attributes), 9, table)
    for one, other in zip(
        model.sample_codes(50, streams=Streams(1)), plain.sample_codes(50, streams=Streams(1)), strict=True
    ):
        assert [c.tolist() for c in one] == [c.tolist() for c in other]


def test_a_model_that_leaves_no_row_is_told() -> None:
    domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)), (Zeros((0, 1), np.eye(2, dtype=bool)),))
    model = JointModel(domain, 9, np.array([[0.0, 0.5], [0.5, 0.0]]))
    with pytest.raises(UserError, match="keeps what the schema declares"):
        model.marginal(Marginal.of(0))
    with pytest.raises(UserError, match="keeps what the schema declares"):
        next(model.sample_codes(9, streams=Streams(1)))


def test_drawing_again_is_given_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.models._redrawing._GIVE_UP", 1000)
    ends = np.array([0.0, 5.0]), np.array([4.0, 9.0])
    rule = Ordered(((0, 1),), {0: ends, 1: ends}, "a ≤ b")

    def draw(rows: int, source: Streams) -> Any:
        yield [np.ones(rows, dtype=np.uint8), *[np.zeros(rows, dtype=np.uint8)] * 2]

    several = Ordered(((0, 1), (1, 2)), {0: ends, 1: ends, 2: ends}, "a ≤ b; b ≤ c")
    with pytest.raises(UserError, match=r"none keeps what the schema declares \(a ≤ b; b ≤ c\)\."):
        list(rows_that_keep(draw, 5, [rule, several], streams=Streams(1), batch_rows=500))


@pytest.mark.parametrize("encoding", ["vanilla", "binary"])
def test_a_network_that_noise_left_no_possible_row_of_gives_some_all_the_same(encoding: Encoding) -> None:
    """That there are rows that keep the rules is public; a run that was charged does not end without a release."""
    domain = Domain(
        (Attribute(name="a", size=2), Attribute(name="b", size=3)),
        (Zeros((0, 1), np.array([[False, True, True], [True, True, True]]), "never a=0, b=0"),),
    )
    recoding = recode(domain, encoding)
    network = Network(recoding.target, tuple(Node(a) for a in range(len(recoding.target))))
    tables = tuple(np.eye(attribute.size)[0] for attribute in recoding.target)
    model = NetworkModel(network, tables, recoding, (), 100)
    a, b = next(model.sample_codes(1000, streams=Streams(1)))
    assert not ((a == 0) & (b == 0)).any()
    found = model.marginal(Marginal.of(0, 1), errors=False).probabilities
    assert found[0, 0] == 0
    assert found.sum() == pytest.approx(1)
