"""PrivBayes end to end over a curator: what it learns, what it spends, what it does at the edges."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import PrivBayes, method_named
from understudy.methods._privbayes import tables_to_measure
from understudy.methods._search import CandidatePool
from understudy.methods._usefulness import TableLimits
from understudy.models import Network, NetworkModel, Node, consistent_tables
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, PrivacyTerms, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Axis, Domain, Level, Marginal, project, recode
from understudy.tables import Table


def chain_table(n=4000, sizes=(2, 2, 2, 2), seed=1, noise=0.1):
    """A chain: each column copies the one before (modulo its size), with some noise."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, sizes[0], n)]
    for size in sizes[1:]:
        copied = columns[-1] % size
        columns.append(np.where(rng.random(n) < noise, rng.integers(0, size, n), copied))
    domain = Domain(tuple(Attribute(name=f"x{i}", size=size) for i, size in enumerate(sizes)))
    return Table(domain, tuple(c.astype(np.uint8) for c in columns))


def run(table, epsilon=2, *, delta=None, neighbours=REPLACE_ONE, noiseless=None, seed=3, **options):
    curator = open_curator(
        MemoryCounter(table, threads=1),
        budget=make_budget(epsilon, delta),
        neighbours=neighbours,
        noise=make_noise(seed=seed),
        noiseless=noiseless,
    )
    return PrivBayes(**options).fit(curator, streams=Streams(seed)), curator


def columns_of(model, n, seed=1):
    batches = list(model.sample_codes(n, streams=Streams(seed)))
    return [np.concatenate([batch[i] for batch in batches]) for i in range(len(model.domain))]


def agreement(columns, i, j):
    return float(np.mean(columns[i] == columns[j]))


@pytest.mark.parametrize("encoding", ["vanilla", "hierarchical", "binary", "gray"])
def test_a_chain_is_learnt_under_every_encoding(encoding):
    table = chain_table(sizes=(5, 5, 5), n=20_000)
    model, _ = run(table, epsilon=4, encoding=encoding)
    synthetic = columns_of(model, 20_000)
    for i in (0, 1):
        assert agreement(synthetic, i, i + 1) == pytest.approx(agreement(table.columns, i, i + 1), abs=0.05)


@pytest.mark.parametrize("score", ["I", "F", "R"])
def test_every_score_finds_the_tree_a_table_was_sampled_from(score):
    table = chain_table(sizes=(2,) * 6, n=20_000)
    model, _ = run(table, epsilon=50, score=score, k=1)
    edges = {frozenset((node.child, axis.attribute)) for node in model.network.nodes for axis in node.parents}
    assert edges == {frozenset((i, i + 1)) for i in range(5)}


def test_auto_takes_f_for_binary_tables_and_r_for_others():
    budget = make_budget(1)
    binary, mixed = chain_table().domain, chain_table(sizes=(3, 2)).domain
    assert PrivBayes().resolve(binary, 1000, PrivacyTerms(budget=budget)).score.name == "F"
    assert PrivBayes().resolve(mixed, 1000, PrivacyTerms(budget=budget)).score.name == "R"
    assert PrivBayes(encoding="gray").resolve(mixed, 1000, PrivacyTerms(budget=budget)).score.name == "F"


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("delta", [None, "1e-9"])
def test_the_whole_budget_is_spent_and_no_more(neighbours, delta):
    model, curator = run(chain_table(), delta=delta, neighbours=neighbours)
    assert sum(charge.share for charge in curator.charges) == 1
    spent = sum((charge.mu_squared if delta else charge.epsilon) for charge in curator.charges)
    assert spent == (curator.budget.mu_squared if delta else 2)
    assert model.n == 4000 if neighbours is REPLACE_ONE else model.n > 0


def test_add_remove_uses_a_noisy_number_of_rows():
    rows = {run(chain_table(n=500), epsilon="0.5", neighbours=ADD_REMOVE, seed=s)[0].n for s in range(8)}
    assert len(rows) > 1


def test_beta_goes_to_the_tables_when_only_the_empty_network_is_useful():
    model, curator = run(chain_table(n=30), epsilon="0.001")
    assert model.network.degree == 0
    assert [charge.n_candidates for charge in curator.charges] == [0]
    assert curator.charges[0].share == 1


def test_a_given_degree_is_kept_whatever_the_budget():
    model, _ = run(chain_table(sizes=(2,) * 5), epsilon="0.01", k=2)
    assert [len(node.parents) for node in model.network.nodes] == [0, 1, 2, 2, 2]


def test_the_first_k_tables_come_out_of_the_next_one():
    model, _ = run(chain_table(sizes=(2,) * 6), k=2)
    assert len(model.measurements) == 4


def test_tables_nested_in_others_at_finer_levels_are_not_measured():
    nodes = (Node(0), Node(1, (Axis(0, 1),)), Node(2, (Axis(0), Axis(1))))
    assert tables_to_measure(nodes) == [Marginal.of(0, 1, 2)]


@pytest.mark.parametrize("sizes", [(2,), (7,), (1,), (1, 1), (1, 5, 2), (300, 2)])
def test_odd_tables_work(sizes):
    n = 50
    rng = np.random.default_rng(0)
    domain = Domain(tuple(Attribute(name=f"x{i}", size=size) for i, size in enumerate(sizes)))
    table = Table(domain, tuple(rng.integers(0, s, n).astype(np.uint8 if s <= 256 else np.uint16) for s in sizes))
    for encoding in ("hierarchical", "binary"):
        model, _ = run(table, epsilon=1, encoding=encoding)
        synthetic = columns_of(model, 20)
        assert [len(c) for c in synthetic] == [20] * len(sizes)
        assert all(c.max() < size for c, size in zip(synthetic, sizes, strict=True))


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_one_row_works(neighbours):
    table = chain_table(n=1)
    model, _ = run(table, epsilon=1, neighbours=neighbours)
    assert len(columns_of(model, 5)[0]) == 5


def test_coins_take_over_beyond_the_limit_and_each_attribute_keeps_a_candidate():
    domain = Domain(tuple(Attribute(name=str(i), size=3) for i in range(12)))
    pool = CandidatePool(domain, TableLimits(degree=None, cells=27), 40, Streams(1).get("coins"), [0])
    for child in range(1, 11):
        candidates = pool.candidates()
        remaining = set(range(len(pool.chosen), 12))
        assert {c.child for c in candidates} == remaining
        assert len(candidates) <= max(40, len(remaining))
        assert all(axis.attribute in pool.chosen for c in candidates for axis in c.parents)
        pool.choose(child)
    assert pool.drawn


def test_a_wide_table_is_learnt_with_drawn_candidates():
    table = chain_table(sizes=(2,) * 60, n=5000)
    model, curator = run(table, epsilon=20, max_candidates=300)
    assert max(charge.n_candidates for charge in curator.charges) <= 300
    assert model.network.degree >= 2


def test_an_attribute_too_large_for_parents_comes_first_and_is_never_chosen():
    sizes = (2, 60, 2, 2)
    domain = Domain(
        tuple(
            Attribute(
                name=f"x{i}", size=s, coarser=(Level(groups=tuple(c // 30 for c in range(s))),) if s == 60 else ()
            )
            for i, s in enumerate(sizes)
        )
    )
    rng = np.random.default_rng(0)
    big = rng.integers(0, 60, 2000)
    table = Table(domain, tuple((big if s == 60 else big // 30).astype(np.uint8) for s in sizes))
    model, curator = run(table, epsilon=1)
    assert model.network.nodes[0].child == 1
    assert sum(charge.n_candidates > 0 for charge in curator.charges) <= 3
    assert any(axis == Axis(1, 1) for node in model.network.nodes for axis in node.parents)


@pytest.mark.parametrize("stage", ["all", "selection", "tables"])
def test_diagnostics_carry_no_guarantee_and_use_the_same_table_sizes(stage):
    model, curator = run(chain_table(), noiseless=stage, k=1)
    assert not curator.guarantee
    plain, _ = run(chain_table(), k=1)
    assert model.network.degree == plain.network.degree
    noisy = [m.noise.kind for m in model.measurements]
    assert set(noisy) == ({"laplace"} if stage == "selection" else {"none"})


def test_without_noise_the_tables_of_the_network_are_the_true_ones():
    table = chain_table()
    model, _ = run(table, noiseless="all", k=2)
    for measurement in model.measurements:
        truth = MemoryCounter(table).count([measurement.marginal])[0]
        assert (measurement.counts == truth).all()


def test_a_rehearsal_repeats_itself():
    one, _ = run(chain_table(sizes=(2, 3, 4, 2)), seed=5)
    two, _ = run(chain_table(sizes=(2, 3, 4, 2)), seed=5)
    other, _ = run(chain_table(sizes=(2, 3, 4, 2)), seed=6)
    assert one.network == two.network
    assert all((a == b).all() for a, b in zip(one.conditionals, two.conditionals, strict=True))
    assert any(a.shape != b.shape or (a != b).any() for a, b in zip(one.conditionals, other.conditionals, strict=True))


def test_overlapping_tables_agree_after_fitting():
    model, _ = run(chain_table(sizes=(3, 4, 3, 2), n=3000), k=1, encoding="vanilla")
    tables = consistent_tables(model.measurements, model.network.domain, model.n)
    versions: dict[int, list[np.ndarray]] = {}
    for measurement, table in zip(model.measurements, tables, strict=True):
        assert table.min() >= 0
        assert table.sum() == pytest.approx(model.n)
        for position, axis in enumerate(measurement.marginal.axes):
            others = tuple(i for i in range(table.ndim) if i != position)
            versions.setdefault(axis.attribute, []).append(table.sum(axis=others))
    for found in versions.values():
        assert all(np.abs(v - found[0]).max() < 0.02 * model.n for v in found)


def test_consistency_brings_noisy_tables_nearer_to_the_truth():
    table = chain_table(sizes=(4, 4, 4, 4), n=2000)
    errors = {"measured": 0.0, "fitted": 0.0}
    for seed in range(10):
        model, _ = run(table, epsilon="0.2", k=1, seed=seed, encoding="vanilla")
        truth = MemoryCounter(table).count([m.marginal for m in model.measurements])
        fitted = consistent_tables(model.measurements, model.network.domain, model.n)
        for measurement, exact, better in zip(model.measurements, truth, fitted, strict=True):
            errors["measured"] += float(np.abs(measurement.counts - exact).sum())
            errors["fitted"] += float(np.abs(better - exact).sum())
    assert errors["fitted"] < 0.8 * errors["measured"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"score": "Q"}, "'score' parameter of PrivBayes must be one of"),
        ({"encoding": "utf8"}, "'encoding' parameter of PrivBayes must be one of"),
        ({"k": -1}, "'k' parameter"),
        ({"k": True}, "'k' parameter"),
        ({"beta": 0}, "'beta' parameter"),
        ({"beta": float("nan")}, "'beta' parameter"),
        ({"theta": 0}, "'theta' parameter"),
        ({"max_candidates": 0}, "'max_candidates' parameter"),
    ],
)
def test_options_out_of_range_are_refused(options, said):
    with pytest.raises(OptionError, match=said):
        PrivBayes(**options)


def test_f_on_general_domains_is_refused_before_anything_is_spent():
    with pytest.raises(OptionError, match="binary"):
        PrivBayes(score="F").resolve(chain_table(sizes=(3, 2)).domain, 100, PrivacyTerms(budget=make_budget(1)))


def test_information_under_add_remove_is_refused_before_anything_is_spent():
    with pytest.raises(OptionError, match="add/remove"):
        PrivBayes(score="I").resolve(
            chain_table().domain, 100, PrivacyTerms(budget=make_budget(1), neighbours=ADD_REMOVE)
        )


def test_unknown_methods_and_options_get_a_hint():
    with pytest.raises(OptionError, match="Did you mean 'privbayes'"):
        method_named("privbaye")
    with pytest.raises(OptionError, match="Did you mean 'theta'"):
        method_named("privbayes", teta=3)


def test_a_plan_touches_no_table_and_names_what_will_be_coarsened():
    coarse = Level(groups=tuple(c // 130 for c in range(1300)))
    domain = Domain(
        (
            Attribute(name="diagnosis", size=1300, coarser=(coarse,)),
            Attribute(name="sex", size=2),
            Attribute(name="age", size=16),
        )
    )
    plan = PrivBayes().plan(domain, 20_000, PrivacyTerms(budget=make_budget(1)))
    assert plan.coarsened == ("diagnosis",)
    assert plan.largest_useful_table == 584
    assert plan.memory_bytes > 0
    assert 0 < plan.attributes[1].expected_error < 1
    assert plan.to_dict()["coarsened"] == ["diagnosis"]


def test_a_plan_for_a_wide_table_says_that_candidates_are_drawn():
    domain = Domain(tuple(Attribute(name=str(i), size=2) for i in range(100)))
    plan = PrivBayes().plan(domain, 1_000_000, PrivacyTerms(budget=make_budget(1)))
    assert plan.drawn
    assert plan.degree == 8
    assert len(plan.candidates_per_choice) == 99


def test_model_tables_need_not_cover_unreachable_parents():
    domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    table = Table(domain, (np.zeros(100, np.uint8), np.ones(100, np.uint8)))
    model, _ = run(table, epsilon=100, k=1)
    assert isinstance(model, NetworkModel)
    assert isinstance(model.network, Network)
    assert model.recoding == recode(domain, "hierarchical")
    assert all(np.isfinite(c).all() for c in model.conditionals)
    assert Fraction(model.n) == 100


@pytest.mark.parametrize("beta", [0.9999999, 1e-7, "3/10"])
def test_extreme_options_are_taken_exactly(beta):
    exact = Fraction(beta) if isinstance(beta, str) else beta
    terms = PrivacyTerms(budget=make_budget(1))
    settings = PrivBayes(beta=exact, theta=1e-7).resolve(chain_table().domain, 1000, terms)
    assert settings.selection_share == Fraction(str(beta))
    assert settings.theta == Fraction(1, 10**7)


def test_a_degree_whose_tables_do_not_fit_into_memory_is_refused():
    domain = Domain(tuple(Attribute(name=str(i), size=100) for i in range(10)))
    with pytest.raises(OptionError, match=r"k = 5 a table may have 1,000,000,000,000 cells"):
        PrivBayes(k=5).check(domain, PrivacyTerms(budget=make_budget(1)))


def test_the_rounding_of_rates_fits_into_the_slack_of_the_bound():
    from understudy.models._scoring._scores import LARGEST_N

    assert LARGEST_N**2 < 2**63


def test_the_papers_postprocessing_clips_each_table_by_itself():
    table = chain_table()
    ours, _ = run(table, epsilon=0.5, k=1)
    printed, _ = run(table, epsilon=0.5, k=1, postprocessing="printed")
    assert printed.network == ours.network  # the same questions were asked, at the same price
    for node, conditional in zip(printed.network.nodes, printed.conditionals, strict=True):
        holding = [m for m in ours.measurements if m.marginal.refines(node.marginal)]
        clipped = np.maximum(min(holding, key=lambda m: m.counts.size).counts, 0)
        joint = project(clipped, min(holding, key=lambda m: m.counts.size).marginal, node.marginal, table.domain)
        with_mass = joint.sum(axis=-1) > 0
        expected = joint[with_mass] / joint[with_mass].sum(axis=-1, keepdims=True)
        np.testing.assert_allclose(conditional[with_mass], expected)
    assert printed.measurements == ()  # so that no error bars are computed as if it were the other one
    with pytest.raises(OptionError, match="postprocessing"):
        PrivBayes(postprocessing="none")
