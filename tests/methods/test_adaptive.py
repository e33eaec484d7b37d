"""The adaptive method: what it measures, what it makes of it, and that it spends its budget and no more."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import Adaptive, Independent
from understudy.methods._adaptive_room import Room
from understudy.models import TreeModel, adjacency, cells_with
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    Neighbours,
    PrivacyUnit,
    make_budget,
    make_noise,
    open_curator,
)
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table

MIXED = Domain(
    tuple(Attribute(name=name, size=size) for name, size in (("a", 4), ("b", 3), ("c", 2), ("d", 6), ("e", 1)))
)


def _table(n: int = 4000, seed: int = 0) -> Table:
    """b follows a, d follows c and a; e is constant."""
    rng = np.random.default_rng(seed)
    a, c = rng.integers(0, 4, n), rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.8, a % 3, rng.integers(0, 3, n))
    d = np.where(rng.random(n) < 0.7, 3 * c + a % 3, rng.integers(0, 6, n))
    columns = (a, b, c, d, np.zeros(n))
    return Table(MIXED, tuple(column.astype(np.uint8) for column in columns))


def _curator(table: Table, epsilon: str = "2", delta: str | None = "1e-9", relation: Neighbours = ADD_REMOVE, **more):  # type: ignore[no-untyped-def]
    budget = make_budget(epsilon, delta) if delta else make_budget(epsilon)
    return open_curator(MemoryCounter(table), budget=budget, neighbours=relation, noise=make_noise(seed=3), **more)


def _error(model: TreeModel, table: Table, pair: tuple[int, int]) -> float:
    [real] = MemoryCounter(table).count([Marginal.of(*pair)])
    return float(abs(model.marginal(Marginal.of(*pair)).probabilities - real / table.n).sum()) / 2


@pytest.mark.parametrize("delta", ["1e-9", None])
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE])
def test_all_of_the_budget_is_spent_and_no_more(delta: str | None, relation: Neighbours) -> None:
    curator = _curator(_table(), delta=delta, relation=relation)
    model = Adaptive().fit(curator)
    assert curator.share_left == 0
    assert isinstance(model, TreeModel)
    assert abs(model.n - 4000) < 100
    assert model.n == 4000 or relation is ADD_REMOVE


@pytest.mark.parametrize("delta", ["1e-9", None])
def test_relations_are_found(delta: str | None) -> None:
    table = _table()
    adaptive = Adaptive().fit(_curator(table, "8", delta))
    independent = Independent().fit(_curator(table, "8", delta))
    for pair in ((0, 1), (2, 3), (0, 3)):
        assert _error(adaptive, table, pair) < 0.25 * _error(independent, table, pair)  # type: ignore[arg-type]


def test_rows_drawn_have_the_relations() -> None:
    table = _table()
    model = Adaptive().fit(_curator(table, "8"))
    columns = next(model.sample_codes(4000, streams=Streams(1)))
    drawn = np.bincount(columns[0].astype(int) * 3 + columns[1], minlength=12) / 4000
    [real] = MemoryCounter(table).count([Marginal.of(0, 1)])
    assert abs(drawn - real.reshape(-1) / 4000).sum() / 2 < 0.05


def test_without_room_for_any_pair_columns_are_independent_and_that_is_said() -> None:
    method = Adaptive(max_cells=4)
    curator = _curator(_table())
    model = method.fit(curator)
    assert all(len(measured.marginal) == 1 for measured in model.measurements)
    assert method.remarks(model, model.n)
    assert curator.share_left == 0  # what relations did not take went into the columns


@pytest.mark.parametrize("n", [0, 1, 5])
def test_hardly_any_rows(n: int) -> None:
    table = Table(MIXED, tuple(np.zeros(n, dtype=np.uint8) for _ in MIXED))
    model = Adaptive().fit(_curator(table, "0.1"))
    assert model.n >= 1
    assert sum(len(batch[0]) for batch in model.sample_codes(7, streams=Streams(0))) == 7


@pytest.mark.parametrize("delta", ["1e-9", None])
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("sizes", [(3,), (1,), (1, 1), (1, 4), (4, 1)])
def test_one_column_and_constant_columns(sizes: tuple[int, ...], relation: Neighbours, delta: str | None) -> None:
    domain = Domain(tuple(Attribute(name=str(i), size=size) for i, size in enumerate(sizes)))
    table = Table(domain, tuple(np.zeros(50, dtype=np.uint8) for _ in sizes))
    curator = _curator(table, delta=delta, relation=relation)
    Adaptive().check(domain, curator.terms)
    model = Adaptive().fit(curator)
    assert model.marginal(Marginal.of(0)).probabilities.sum() == pytest.approx(1)
    assert curator.share_left == 0 or max(sizes) == 1
    assert sum(charge.what != "rows" for charge in curator.charges) == (max(sizes) > 1)  # nothing for a rest


class _Answers:
    """Noise that gives out one number for everything."""

    name, private = "answers", False

    def __init__(self, answer: int) -> None:
        self._answer = answer

    def gaussian(self, counts, variance):  # type: ignore[no-untyped-def]
        return np.full(counts.shape, self._answer)

    def several(self, scores, rate, number):  # type: ignore[no-untyped-def]
        return np.arange(number)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("answer", [0, 1, -100_000, 100_000])
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize(
    ("columns", "n"), [(2, 0), (2, 3), (5, 0), (5, 3), (9, 3), pytest.param(27, 3, marks=pytest.mark.slow)]
)
def test_parities_that_no_table_has_do_not_break_a_run(
    answer: int, relation: Neighbours, columns: int, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that broke off there would be paid for and lost: noise may well be far larger than a small table."""
    if columns == 9:  # as with 27 columns: too many pairs to take them all, and no triples
        monkeypatch.setattr("understudy.methods._adaptive_screen.FEW_PAIRS", 30)
        monkeypatch.setattr("understudy.methods._adaptive_screen._FOR_EACH_COLUMN", 3)
        monkeypatch.setattr("understudy.methods._adaptive_parities._MOST_FOR_TRIPLES", 8)
    domain = Domain(tuple(Attribute(name=str(i), size=2) for i in range(columns)))
    table = Table(domain, tuple(np.zeros(n, dtype=np.uint8) for _ in domain))
    curator = open_curator(
        MemoryCounter(table), budget=make_budget(1, "1e-9"), neighbours=relation, noise=_Answers(answer)
    )
    model = Adaptive().fit(curator)
    assert model.n >= 1
    assert curator.share_left == 0
    assert model.marginal(Marginal.of(0, 1)).probabilities.sum() == pytest.approx(1)


def test_weighed_rows_are_counted_in_rows() -> None:
    unit = PrivacyUnit("one patient", max_rows=2, column="patient", bounding="weigh")
    table = _table()
    counter = MemoryCounter(table, weights=np.full(table.n, unit.parts))
    curator = open_curator(
        counter, budget=make_budget(8, "1e-9"), neighbours=ADD_REMOVE, unit=unit, noise=make_noise(seed=3)
    )
    model = Adaptive().fit(curator)
    assert abs(model.n / unit.parts - table.n) < 100
    assert _error(model, table, (0, 1)) < 0.1


def test_the_plan_tells_the_shares() -> None:
    plan = Adaptive().plan(MIXED, 4000, _curator(_table()).terms)
    assert sum(plan.shares.values()) == pytest.approx(1)
    assert Adaptive(rounds=7).divide(MIXED, 4000, _curator(_table()).terms).rounds == 7
    assert plan.shares["rows"] == float(Fraction(3, 100))


def _binary(n: int, related: bool, seed: int = 0) -> Table:
    """Six two-valued columns: three pairs and a triple that are related, or none."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.integers(0, 2, (3, n))
    flip = rng.random((3, n)) < (0.1 if related else 0.5)
    columns = (a, b, c, a ^ flip[0], b ^ flip[1], a ^ b ^ c ^ flip[2])
    domain = Domain(tuple(Attribute(name=name, size=2) for name in "abcdef"))
    return Table(domain, tuple(column.astype(np.uint8) for column in columns))


def test_relations_of_two_valued_columns_are_found_also_of_three() -> None:
    table = _binary(20_000, related=True)
    model = Adaptive().fit(_curator(table, "2"))
    assert _error(model, table, (0, 3)) < 0.02
    [real] = MemoryCounter(table).count([Marginal.of(0, 1, 2, 5)])
    off = abs(model.marginal(Marginal.of(0, 1, 5)).probabilities * table.n - real.sum(axis=2)).sum() / 2 / table.n
    assert off < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE_ONE])
def test_without_relations_two_valued_columns_are_about_as_good_as_independent_ones(relation: Neighbours) -> None:
    table = _binary(5_000, related=False)
    errors = {}
    for method in (Adaptive(), Independent()):
        curator = _curator(table, "0.3", relation=relation)
        model = method.fit(curator)
        assert curator.share_left == 0
        errors[method.name] = np.mean([_error(model, table, (a, b)) for a in range(6) for b in range(a)])  # type: ignore[arg-type]
    assert errors["adaptive"] < 1.5 * errors["independent"]


@pytest.mark.slow
@pytest.mark.parametrize("delta", ["1e-9", None])
def test_error_bars_hold_what_noise_does(delta: str | None) -> None:
    """95 % intervals of single columns and of a measured pair, over several runs: what they should hold is known."""
    table, inside = _table(), []
    for seed in range(6):
        budget = make_budget(2, delta) if delta else make_budget(2)
        noise = make_noise(seed=seed)
        curator = open_curator(MemoryCounter(table), budget=budget, neighbours=ADD_REMOVE, noise=noise)
        model = Adaptive().fit(curator)
        for marginal in (Marginal.of(0), Marginal.of(1), Marginal.of(3), Marginal.of(0, 1)):
            estimate = model.marginal(marginal)
            [real] = MemoryCounter(table).count([marginal])
            assert estimate.low is not None
            assert estimate.high is not None
            inside += list(np.ravel((estimate.low <= real / table.n) & (real / table.n <= estimate.high)))
    assert np.mean(inside) > 0.8


def test_named_columns_are_measured_first_and_better() -> None:
    table = _table()
    plain, focused = (Adaptive(focus=names).fit(_curator(table, "0.5")) for names in ((), ("b", "c", "d")))
    first = [measured.marginal for measured in focused.measurements if len(measured.marginal) == 2][:3]
    assert first == [(1, 2), (1, 3), (2, 3)]
    assert [m.marginal for m in plain.measurements if len(m.marginal) == 2][:3] != first
    binary = _binary(3000, related=True)
    errors = [m.variance for m in Adaptive(focus=("a", "d")).fit(_curator(binary)).measurements if m.marginal == (0, 3)]
    others = [m.variance for m in Adaptive().fit(_curator(binary)).measurements if m.marginal == (0, 3)]
    assert errors[0] < others[0]


def test_a_column_that_is_not_there_cannot_be_named() -> None:
    with pytest.raises(OptionError, match="names no column 'x'"):
        Adaptive(focus=("x",)).check(MIXED, _curator(_table()).terms)


def test_of_very_many_pairs_coins_draw_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.methods._adaptive_rounds.MOST_CANDIDATES", 2)
    curator = _curator(_table())
    Adaptive().fit(curator, streams=Streams(1))
    assert curator.share_left == 0
    assert {charge.n_candidates for charge in curator.charges if charge.what == "choosing relations"} <= {1, 2}


def _many(d: int, n: int, related: bool) -> Table:
    """Two-valued columns, each a weak copy of an earlier one, or not."""
    rng = np.random.default_rng(4)
    columns = [rng.random(n) < 0.4]
    for i in range(1, d):
        own = rng.random(n) < rng.uniform(0.1, 0.5)
        columns.append(np.where(rng.random(n) < 0.6, columns[(i - 1) // 2], own) if related else own)
    domain = Domain(tuple(Attribute(name=f"x{i}", size=2) for i in range(d)))
    return Table(domain, tuple(column.astype(np.uint8) for column in columns))


@pytest.mark.slow
def test_of_very_many_pairs_those_that_matter_are_chosen() -> None:
    table = _many(60, 20_000, related=True)
    curator = _curator(table, "2")
    model = Adaptive().fit(curator)
    [choice] = [charge for charge in curator.charges if charge.what == "choosing relations"]
    assert (choice.n_candidates, choice.mechanism) == (1770, "exponential mechanism, 720 times")
    assert curator.share_left == 0
    pairs = [((i - 1) // 2, i) for i in range(1, 60)]
    assert np.mean([_error(model, table, pair) for pair in pairs]) < 0.02  # independent columns would be 0.11 off
    assert len([m for m in model.measurements if len(m.marginal) == 2]) == 720


def test_columns_that_were_named_are_measured_whatever_is_chosen() -> None:
    names = ("x3", "x17", "x29")
    model = Adaptive(focus=names).fit(_curator(_many(30, 2_000, related=False), "1"))
    assert {(3, 17), (3, 29), (17, 29)} <= {m.marginal for m in model.measurements}


def test_plan_and_statement_tell_how_many_pairs_are_chosen() -> None:
    table = _many(60, 10, related=False)
    terms = _curator(table).terms
    assert Adaptive().describe(table.domain, 1000, terms)["relations"] == "parities of 720 chosen pairs"
    [note, *_] = Adaptive().plan(table.domain, 1000, terms).notes
    assert "720 of their pairs are measured at once, the pairs for 15%, chosen for 8%; where" in note


def test_room_is_that_of_the_whole_graph() -> None:
    """Part by part, edges that are taken have as many cells as all of it worked out at once."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(2, 4, 14)
    room, near = Room(sizes.tolist(), 400, [(0, 1, 2)]), adjacency(14, [(0, 1, 2)])
    taken = 0
    for a, b in rng.permutation(np.stack(np.triu_indices(14, 1), axis=1)).tolist():
        if room.take(a, b):
            near[a, b] = near[b, a] = True
            taken += 1
        else:
            assert not room.may_take(a, b)
        [cells] = cells_with(near, np.log(sizes), np.array([0]), np.array([1]), np.inf)
        assert cells <= room.cells * 1.2 <= 400 * 1.2
    assert taken > 14


def test_tables_that_are_named_are_measured_first_and_in_their_order() -> None:
    named = (("d", "b"), ("a", "c", "e"))
    model = Adaptive(focus=named).fit(_curator(_table(), "0.5"))
    pairs = [measured.marginal for measured in model.measurements if len(measured.marginal) == 2]
    assert pairs[:2] == [(1, 3), (0, 2)]  # e is constant
    terms = _curator(_table()).terms
    assert Adaptive(focus=named).describe(MIXED, 4000, terms)["focus"] == "d × b; a × c × e"


def test_of_very_many_tables_each_gets_less_and_all_at_most_half() -> None:
    domain = Domain(tuple(Attribute(name=str(i), size=3) for i in range(12)))
    rng = np.random.default_rng(0)
    table = Table(domain, tuple(rng.integers(0, 3, 2000).astype(np.uint8) for _ in domain))
    curator = _curator(table, "1")
    model = Adaptive(rounds=6, focus=tuple(str(i) for i in range(12))).fit(curator)
    pairs = {measured.marginal for measured in model.measurements if len(measured.marginal) == 2}
    assert len(pairs) > 30  # of 66; a few rounds alone would have six
    assert curator.share_left == 0


@pytest.mark.parametrize("focus", [("a",), (("a",),), (("a", "a"),)])
def test_a_column_by_itself_has_no_relations_to_look_at(focus: tuple[object, ...]) -> None:
    with pytest.raises(OptionError, match="two columns together"):
        Adaptive(focus=focus).check(MIXED, _curator(_table()).terms)  # type: ignore[arg-type]


@pytest.mark.parametrize(("megabytes", "cells"), [(None, 100_000), (64_000, 100_000), (300, 76_000), (100, 1000)])
def test_the_cap_shrinks_with_memory_and_is_stated(
    monkeypatch: pytest.MonkeyPatch, megabytes: int | None, cells: int
) -> None:
    limit = None if megabytes is None else megabytes << 20
    monkeypatch.setattr("understudy.methods._adaptive.memory_limit", lambda: limit)
    terms = _curator(_table()).terms
    said = Adaptive().describe(MIXED, 4000, terms)
    assert said["most cells"] == cells
    assert ("fewer cells than usual" in said) == (cells < 100_000)
    assert Adaptive(max_cells=90_000).describe(MIXED, 4000, terms)["most cells"] == 90_000


def test_a_tree_that_nothing_follows_may_be_larger() -> None:
    terms = _curator(_table()).terms
    assert Adaptive(beyond=False).describe(MIXED, 4000, terms)["most cells"] == 200_000
    for columns, cells in ((28, 100_000), (29, 200_000)):
        wide = Domain(tuple(Attribute(name=f"c{i}", size=3) for i in range(columns)))
        assert Adaptive().describe(wide, 4000, terms)["most cells"] == cells


def test_a_cap_that_memory_cannot_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.methods._adaptive.memory_limit", lambda: 512 << 20)
    terms = _curator(_table()).terms
    with pytest.raises(OptionError, match=r"max_cells=5,000,000 needs some 1,430 MB .* may have 512 MB"):
        Adaptive(max_cells=5_000_000).check(MIXED, terms)
    Adaptive(max_cells=400_000).check(MIXED, terms)
