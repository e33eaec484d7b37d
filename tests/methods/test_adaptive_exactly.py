"""The adaptive method by exact computation: whole runs on tiny tables and all their neighbours, and twins caught.

As in `test_whole_runs_exactly`: noisy answers are fixed beforehand and choices are played through, so what a whole run
says about one record is known. Larger tables run in lockstep: what came out for one of them comes out for its neighbour
as well, and all that is asked on the way must be the same. Units of several rows are in `test_units_exactly`.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from tests.gaussian import gaussian_cost
from tests.methods.test_baselines_exactly import Readers
from tests.methods.test_whole_runs_exactly import HIGH, ONE_ROW, TINY, Runs, attribute, log_ratios
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import Adaptive, _adaptive_screen
from understudy.methods._adaptive_beyond import rows_drawn
from understudy.methods._adaptive_parities import ParityRun
from understudy.methods._adaptive_pure import PureParityRun
from understudy.methods._adaptive_rounds import Rounds
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    Curator,
    GDPBudget,
    PrivacyUnit,
    PureBudget,
    interaction_sensitivity,
    make_budget,
    make_noise,
    open_curator,
    parities_sensitivity,
)
from understudy.schema import Domain, FollowsFrom, Marginal, Zeros
from understudy.tables import Table

FEW, MANY = 3, 400  # rows that noise tells: about as many as there are, or far more
# much noise and little: with little, the model's tables are so near that one row tells two distances apart
BUDGETS = {
    "pure": (PureBudget(epsilon=Fraction(2)), MANY),
    "pure, little noise": (PureBudget(epsilon=Fraction(40)), FEW),
    "with a delta": (make_budget(10, "1e-3"), MANY),
    "with a delta, little noise": (make_budget(30, "1e-3"), FEW),
}
BINARY = Domain(tuple(attribute(name, 2) for name in "abc"))
MIXED = Domain((attribute("a", 2), attribute("b", 3), attribute("c", 2, sensitivity=HIGH)))
CONSTANT = Domain((attribute("a", 1), attribute("b", 3), attribute("c", 2), attribute("d", 1)))
# rows that keep a ≤ b; that b follows from a; both, of two values each
IN_ORDER = Domain(
    (attribute("a", 2), attribute("b", 3)), (Zeros((0, 1), np.array([[1, 1, 1], [0, 0, 1]], dtype=bool)),)
)
FOLLOWS = Domain((attribute("a", 3), attribute("b", 2)), (FollowsFrom((0,), 1),))
BINARY_RULES = Domain(BINARY.attributes, (Zeros((0, 1), np.array([[True, True], [False, True]])), FollowsFrom((1,), 2)))
# the method, its domain, and how many tables of two rows are looked at
CASES = {
    "binary": (Adaptive(rounds=2), BINARY, 1),
    "mixed": (Adaptive(rounds=2), MIXED, 1),
    "named two-valued columns first": (Adaptive(focus=("a", "b")), BINARY, 1),
    "one pair, several times": (Adaptive(rounds=3), CONSTANT, 2),
    "no room for a second pair": (Adaptive(rounds=2, max_cells=9), BINARY, 2),
    "no room for any pair": (Adaptive(max_cells=4), MIXED, 2),
    "beyond the tree": (Adaptive(rounds=3, max_cells=11), MIXED, 1),
    "rounds by default": (Adaptive(), Domain((attribute("a", 2), attribute("b", 2))), 4),
    "named columns first": (Adaptive(rounds=3, focus=("a", "b")), MIXED, 1),
    "columns in order": (Adaptive(rounds=2), IN_ORDER, 2),
    "a column that follows": (Adaptive(rounds=2), FOLLOWS, 2),
    "binary with rules": (Adaptive(rounds=2), BINARY_RULES, 1),
    "one column": (Adaptive(), Domain((attribute("a", 3), attribute("b", 1))), 4),
}
WIDE = {
    "more binary": (Adaptive(rounds=2), BINARY, 20),
    "more mixed": (Adaptive(rounds=2), MIXED, 8),
    "binary, three rounds": (Adaptive(rounds=3), BINARY, 6),
    "mixed, three rounds": (Adaptive(rounds=3), MIXED, 2),
    "four columns": (Adaptive(rounds=2), Domain(tuple(attribute(name, 2) for name in "abcd")), 1),
    "larger": (Adaptive(rounds=2), Domain((attribute("a", 5), attribute("b", 4), attribute("c", 2))), 1),
}
SLOW = pytest.mark.slow
LONG = ("mixed",)
LONGEST = ("beyond the tree", "named columns first")
EACH = [
    (case, kind)
    for case in CASES
    for kind in BUDGETS
    if case not in (*LONG, *LONGEST) or (kind.endswith("little noise") and (case in LONG or kind.startswith("pure")))
]
each = pytest.mark.parametrize(
    ("case", "kind"),
    [*EACH, *(pytest.param(case, kind, marks=SLOW) for case in (*LONG, *LONGEST, *WIDE) for kind in BUDGETS)],
)
relations = pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE], ids=["replaced", "comes or goes"])
pytestmark = [pytest.mark.filterwarnings("ignore:delta is not below"), pytest.mark.one_in(3)]


@pytest.fixture(autouse=True)
def few_rows_beyond(monkeypatch):
    """Where rows with weights take the place of a tree, tiny tables need few of them."""
    monkeypatch.setattr("understudy.methods._adaptive_beyond.FEWEST_ROWS", 20)


class Played(Runs):
    """Whole runs of a case under a budget of a kind."""

    def __init__(self, case, kind, neighbours, *, unit=ONE_ROW):
        method, domain, self.most = {**CASES, **WIDE}[case]
        budget, told = BUDGETS[kind]
        super().__init__(method, domain, neighbours=neighbours, budget=budget, unit=unit, rows_told=told * unit.parts)
        self.readers = Readers(method, self.terms)

    def loss(self, here, there):
        """What is told of the difference, in what is spent; infinite where something shows that nobody paid for."""
        if here.keys() != there.keys() or not self.readers.see_no_difference(here, there):
            return inf
        if [[scale for _, scale in found[1]] for found in here.values()] != [
            [scale for _, scale in found[1]] for found in there.values()
        ]:
            return inf
        if not self.budget.pure:
            return gaussian_cost(here, there)
        return max(loss for loss, _ in log_ratios(here, there))

    def neighbouring(self):
        """Transcripts of neighbours, in both directions."""
        if self.neighbours is ADD_REMOVE:
            for here, there in self.arrivals(2, self.most):
                yield from ((here, there), (there, here))
            return
        for _, _, here, there in self.changes(2, self.most):
            yield here, there

    def worst(self):
        """Of all neighbours looked at, as a part of what was promised."""
        return max(self.loss(*pair) for pair in self.neighbouring()) / float(self.budget.total)


@pytest.mark.one_in(12)
@each
@relations
def test_a_row_costs_what_is_promised_and_shows_nowhere_else(case, kind, neighbours):
    runs = Played(case, kind, neighbours)
    assert 0.6 < runs.worst() <= 1 + TINY  # whatever a row is replaced by, some parities stay as they are
    for *_, curator, _ in runs.of(runs.tables(2, 1)[0]).values():
        assert curator.share_left == 0  # all that was paid for was used


def test_beyond_the_tree_is_where_that_case_goes():
    runs = Played("beyond the tree", "pure, little noise", ADD_REMOVE)
    models = [found[3] for found in runs.of(runs.tables(2, 1)[0]).values()]
    assert any(model.kind == "rows" for model in models)


@pytest.mark.parametrize("case", ["binary", "one pair, several times", pytest.param("mixed", marks=SLOW)])
@relations
def test_a_change_of_values_costs_what_is_stated(case, neighbours):
    closest = 0.0
    for one, other, here, there in Played(case, "pure, little noise", neighbours).changes(2, 1):
        for loss, curator in log_ratios(here, there):
            stated = float(curator.protection.between(one, other))
            assert loss <= stated + TINY
            closest = max(closest, loss / stated)
    assert closest > 0.7


@pytest.fixture
def some_pairs(monkeypatch):
    """As where there are very many pairs: two are chosen, whatever their number."""
    monkeypatch.setattr(_adaptive_screen, "FEW_PAIRS", 1)
    monkeypatch.setattr(_adaptive_screen, "_MOST", 2)


@pytest.mark.usefixtures("some_pairs")
@pytest.mark.parametrize("kind", ["with a delta", "with a delta, little noise"])
@pytest.mark.parametrize("case", ["binary", pytest.param("four columns", marks=SLOW)])
@relations
def test_pairs_chosen_all_at_once_cost_what_is_promised(case, kind, neighbours):
    runs = Played(case, kind, neighbours)
    assert 0.5 < runs.worst() <= 1 + TINY
    for *_, curator, _ in runs.of(runs.tables(2, 1)[0]).values():
        assert curator.share_left == 0
        assert any(charge.n_candidates for charge in curator.charges)


# -- twins, each with one thing wrong ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_choice_at_twice_its_rate_is_caught(monkeypatch):
    rate_for = PureBudget.rate_for
    monkeypatch.setattr(PureBudget, "rate_for", lambda *given: 2 * rate_for(*given))
    assert Played("mixed", "pure, little noise", ADD_REMOVE).worst() > 1.02


@pytest.mark.slow
def test_a_choice_at_eight_times_its_rate_is_caught_with_a_delta(monkeypatch):
    """There it has a few hundredths of the budget, and what is told about it is far from the bound."""
    rate_for = GDPBudget.rate_for
    monkeypatch.setattr(GDPBudget, "rate_for", lambda *given: 8 * rate_for(*given))
    assert Played("mixed", "with a delta, little noise", ADD_REMOVE).worst() > 1.1


@pytest.mark.slow
def test_distances_charged_as_those_of_one_candidate_are_caught(monkeypatch):
    """What moves is the difference of two distances, twice as far as one of them."""
    monkeypatch.setattr(
        "understudy.privacy._choice_questions.distance_sensitivity",
        lambda by, neighbours: Fraction(neighbours.cells_of_row),
    )
    assert Played("mixed", "pure, little noise", ADD_REMOVE).worst() > 1.02


def test_interactions_charged_for_a_row_that_comes_where_it_is_replaced_are_caught(monkeypatch):
    monkeypatch.setattr(
        "understudy.privacy._interactions.interaction_sensitivity",
        lambda shape, neighbours: interaction_sensitivity(shape, ADD_REMOVE),
    )
    assert Played("one pair, several times", "with a delta", REPLACE_ONE).worst() > 1.5


def test_interactions_charged_as_of_an_axis_more_are_caught(monkeypatch):
    """As if another axis of two places had taken half of what a row moves."""
    monkeypatch.setattr(
        "understudy.privacy._interactions.interaction_sensitivity",
        lambda shape, neighbours: interaction_sensitivity((2, *shape), neighbours),
    )
    assert Played("one pair, several times", "with a delta", ADD_REMOVE).worst() > 1.5


def test_parities_charged_as_one_number_are_caught(monkeypatch):
    """A row moves every one of them."""
    monkeypatch.setattr(
        "understudy.privacy._parities.parities_sensitivity", lambda terms, number: parities_sensitivity(terms, 1)
    )
    assert Played("binary", "with a delta", ADD_REMOVE).worst() > 2


def test_parities_of_one_draw_charged_for_half_a_move_are_caught(monkeypatch):
    monkeypatch.setattr("understudy.privacy._parities_together._moved", lambda terms: Fraction(1, 2))
    assert Played("binary", "pure", ADD_REMOVE).worst() > 1.5


def by_true_means(run, number, share):
    """A forecast that looks at the rows: a large share means much noise or little, by the number with a 0 first."""
    [table] = run._curator._rows.count([Marginal.of(0)])
    return number * (share if table.flat[0] % 2 else 1 - share)


def test_a_forecast_that_looks_at_true_counts_is_caught(monkeypatch):
    """How many pairs are asked for, and for how much, would show it."""
    monkeypatch.setattr(PureParityRun, "_forecast", by_true_means)
    assert Played("binary", "pure", REPLACE_ONE).worst() == inf


@pytest.mark.usefixtures("some_pairs")
def test_pairs_by_a_property_of_true_counts_are_caught(monkeypatch):
    choose = ParityRun._choose

    def of_odd_counts(run):
        choose(run)
        tables = run._curator._rows.count([Marginal.of(*pair) for pair in run.pairs])
        run._set_pairs([pair for pair, table in zip(run.pairs, tables, strict=True) if table.flat[0] % 2])

    monkeypatch.setattr(ParityRun, "_choose", of_odd_counts)
    assert Played("binary", "with a delta", ADD_REMOVE).worst() == inf


def true_tables(rounds, pairs):
    """What the method must not see."""
    return rounds.curator._rows.count([Marginal.of(*pair) for pair in pairs])


def by_true_counts(rounds, pair, model):
    """A handicap by how far off the model truly is."""
    [table] = true_tables(rounds, [pair])
    return -float(np.abs(table / rounds._parts - model).sum())


@pytest.mark.slow
def test_handicaps_that_look_at_true_counts_are_caught(monkeypatch):
    monkeypatch.setattr(Rounds, "_handicap", by_true_counts)
    assert Played("mixed", "pure, little noise", ADD_REMOVE).worst() > 1.02


def test_candidates_that_must_have_rows_are_caught(monkeypatch):
    """A pair is left out whose commonest cell is empty."""
    fitting = Rounds._fitting

    def with_rows(rounds, looked_at):
        found = fitting(rounds, looked_at)
        return [pair for pair, table in zip(found, true_tables(rounds, found), strict=True) if table.flat[0]]

    monkeypatch.setattr(Rounds, "_fitting", with_rows)
    assert Played("mixed", "pure, little noise", REPLACE_ONE).worst() == inf


def test_a_cap_on_cells_that_have_rows_is_caught(monkeypatch):
    """Cells of a clique that no row has would cost nothing."""

    def within_cap(rounds, looked_at):
        tables = true_tables(rounds, looked_at)
        return [pair for pair, table in zip(looked_at, tables, strict=True) if np.count_nonzero(table) < 2]

    monkeypatch.setattr(Rounds, "_fitting", within_cap)
    assert Played("mixed", "pure, little noise", REPLACE_ONE).worst() == inf


# -- in lockstep on larger tables ----------------------------------------------------------------------------------


class OutOfStepError(Exception):
    """Neighbours were asked for different things."""


class Noted:
    """Real noise, or what it gave before; notes all that is asked except for counts, and that it is as before."""

    name, private = "noted", False

    def __init__(self, before=None):
        self._real, self._before = make_noise(seed=5), before
        self.asked, self.answers = [], []

    def note(self, *public):
        self.asked.append(public)
        if self._before is not None and self._before.asked[len(self.asked) - 1 : len(self.asked)] != [public]:
            raise OutOfStepError

    def _answer(self, what, real, *public):
        self.note(what, *public)
        self.answers.append(real() if self._before is None else self._before.answers[len(self.answers)])
        return self.answers[-1]

    def laplace(self, counts, scale):
        return self._answer("laplace", lambda: self._real.laplace(counts, scale), counts.shape, scale)

    def gaussian(self, counts, variance):
        return self._answer("gaussian", lambda: self._real.gaussian(counts, variance), counts.shape, variance)

    def gaussian_on_grid(self, numbers, squares, variance, grid):
        def real():
            return self._real.gaussian_on_grid(numbers, squares, variance, grid)

        return self._answer("contrasts", real, squares.tolist(), variance, grid)

    def together(self, tables, decay, *, balanced):
        def real():
            return self._real.together(tables, decay, balanced=balanced)

        return self._answer("together", real, [table.shape for table in tables], decay, balanced)

    def permute_and_flip(self, scores, rate):
        return self._answer("choice", lambda: self._real.permute_and_flip(scores, rate), len(scores), rate)

    def exponential(self, scores, rate):
        return self._answer("choice", lambda: self._real.exponential(scores, rate), len(scores), rate)

    def several(self, scores, rate, number):
        return self._answer("choices", lambda: self._real.several(scores, rate, number), len(scores), rate, number)


BY_DEFAULT, FULL_SOON = Adaptive(), Adaptive(max_cells=150)
SIZES = {"mixed": (7, 2, 4, 30, 2, 5, 1), "binary": (2, 2, 2, 2, 1, 2, 2)}


def larger(sizes, *, last, n=1500):
    """Related columns, one with rare values, one of a single value; last perhaps a row that no other is like."""
    rng = np.random.default_rng(0)
    domain = Domain(tuple(attribute(f"a{i}", size) for i, size in enumerate(sizes)))
    first = rng.integers(0, 7, n)
    columns = [(first * (1 + i) + (rng.random(n) < 0.3)) % min(size, 9) for i, size in enumerate(sizes)]
    rows = np.stack(columns, axis=1)
    return Table(domain, tuple(np.ascontiguousarray(c, dtype=np.uint8) for c in np.vstack([rows, *last]).T))


def run_noted(table, budget, neighbours, unit, noise, monkeypatch, method):
    """The model and its curator; whatever the curator is asked is noted."""
    ask = Curator.ask

    def listening(curator, question, *, share):
        public = [
            getattr(question, name, None) for name in ("marginals", "marginal", "scale", "skip", "what", "number")
        ]
        numbers = [getattr(question, name, None) for name in ("guesses", "handicaps", "first", "second")]
        noise.note(type(question), share, *public, [None if x is None else x.tolist() for x in numbers])
        return ask(curator, question, share=share)

    weights = np.full(table.n, unit.parts) if unit.parts > 1 else None
    counter = MemoryCounter(table, weights=weights)
    curator = open_curator(counter, budget=budget, neighbours=neighbours, unit=unit, noise=noise)
    with monkeypatch.context() as patched:
        patched.setattr(Curator, "ask", listening)
        return method.fit(curator, streams=Streams(1)), curator


def go_in_step(monkeypatch, budget, neighbours, unit=ONE_ROW, sizes=SIZES["mixed"], method=BY_DEFAULT):
    """Neighbours are asked the same, at the same price, and come to the same model, given back; else an error."""
    alike, odd = [[0] * len(sizes)], [[size - 1 for size in sizes]]
    with_it = larger(sizes, last=odd * unit.max_rows)
    without = larger(sizes, last=alike if neighbours is REPLACE_ONE and unit.max_rows == 1 else [])
    noise = Noted()
    model, curator = run_noted(with_it, budget, neighbours, unit, noise, monkeypatch, method)
    at_once = budget.pure and max(sizes) == 2  # columns, then pairs
    assert len(curator.charges) > (1 if at_once else 3)
    again = Noted(noise)
    other, neighbour = run_noted(without, budget, neighbours, unit, again, monkeypatch, method)
    assert noise.asked == again.asked
    assert curator.charges == neighbour.charges
    assert curator.share_left == neighbour.share_left == 0
    assert _published(model) == _published(other)
    return model


def _published(model):
    measured = [(m.marginal, m.values.tolist(), m.variance) for m in model.measurements]
    spelt = [None if w is None else (w.codes.tolist(), w.shares.tolist()) for w in model.within or ()]
    return model.n, measured, spelt, [model.marginal(Marginal.of(a, 3)).probabilities.tolist() for a in (0, 1)]


UNITS = {
    "rows": ONE_ROW,
    "units": PrivacyUnit("one person", max_rows=3, column="person"),
    "weighed": PrivacyUnit("one person", max_rows=2, column="person", bounding="weigh"),
}


@pytest.mark.one_in(9)
@pytest.mark.parametrize("delta", ["1e-9", None], ids=["with a delta", "pure"])
@pytest.mark.parametrize("unit", ["rows", pytest.param("units", marks=SLOW), "weighed"])
@pytest.mark.parametrize("sizes", SIZES)
@relations
def test_neighbours_are_asked_the_same_at_the_same_price(delta, unit, sizes, neighbours, monkeypatch):
    go_in_step(monkeypatch, make_budget(3, delta), neighbours, UNITS[unit], SIZES[sizes])


@pytest.mark.usefixtures("some_pairs")
@pytest.mark.parametrize("unit", ["rows", "weighed"])
@relations
def test_neighbours_are_asked_the_same_where_pairs_are_chosen(unit, neighbours, monkeypatch):
    go_in_step(monkeypatch, make_budget(3, "1e-9"), neighbours, UNITS[unit], SIZES["binary"])


@pytest.mark.parametrize("delta", ["1e-9", None], ids=["with a delta", "pure"])
@relations
def test_beyond_the_tree_neighbours_are_asked_the_same_too(delta, neighbours, monkeypatch):
    model = go_in_step(monkeypatch, make_budget(3, delta), neighbours, method=FULL_SOON)
    assert model.kind == "rows"
    assert sum(len(measured.marginal) == 2 for measured in model.measurements) > 3


def test_rows_with_weights_by_true_counts_fall_out_of_step(monkeypatch):
    """Beyond the tree: as many rows are drawn as there are, not as many as noise tells."""

    def by_true_rows(fit, coins, for_each):
        fit.total = float(counted[0])
        return rows_drawn(fit, coins, for_each)

    counted = []
    monkeypatch.setattr("understudy.methods._adaptive_rounds.rows_drawn", by_true_rows)
    noted = run_noted

    def counting(table, *given):
        counted[:] = [table.n]
        return noted(table, *given)

    monkeypatch.setitem(globals(), "run_noted", counting)
    with pytest.raises(OutOfStepError):
        go_in_step(monkeypatch, make_budget(3, "1e-9"), ADD_REMOVE, method=FULL_SOON)


def test_handicaps_that_look_at_true_counts_fall_out_of_step(monkeypatch):
    monkeypatch.setattr(Rounds, "_handicap", by_true_counts)
    with pytest.raises(OutOfStepError):
        go_in_step(monkeypatch, make_budget(3, "1e-9"), ADD_REMOVE)


def test_what_is_left_of_noise_by_true_counts_falls_out_of_step(monkeypatch):
    """How much shrinking took off, found by looking at what the table is."""

    def by_true_tables(rounds):
        tables = true_tables(rounds, list(rounds.measured))
        off = [
            abs(table / rounds._parts - one.expected).sum()
            for table, one in zip(tables, rounds.measured.values(), strict=True)
        ]
        return 1 / (1 + sum(off))

    monkeypatch.setattr(Rounds, "_left_of_noise", by_true_tables)
    with pytest.raises(OutOfStepError):
        go_in_step(monkeypatch, make_budget(3, "1e-9"), ADD_REMOVE)


def test_candidates_by_a_property_of_true_counts_fall_out_of_step(monkeypatch):
    """One that a single row turns into its opposite."""
    fitting = Rounds._fitting

    def of_odd_counts(rounds, looked_at):
        found = fitting(rounds, looked_at)
        return [pair for pair, table in zip(found, true_tables(rounds, found), strict=True) if table.flat[-1] % 2]

    monkeypatch.setattr(Rounds, "_fitting", of_odd_counts)
    with pytest.raises(OutOfStepError):
        go_in_step(monkeypatch, make_budget(3, "1e-9"), ADD_REMOVE)
