"""JTree: decomposable graphs, pairs within bounds, tables of cliques; and the method's contract."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import understudy as us
from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.counting import MemoryCounter
from understudy.methods import JTree, JTreeAsPrinted, describe_method, flaw_of, label_method, read_method, usual_methods
from understudy.methods._jtree import choose_graph, tables_of
from understudy.methods._jtree_as_printed import LARGEST_CLIQUE, bounded_graph, printed_graph
from understudy.methods._junction import Decomposable, merge, triangulate
from understudy.models import Network
from understudy.privacy import ADD_REMOVE, REPLACE_ONE, PrivacyTerms, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table

SIZES = (2, 5, 3, 2, 4)
DOMAIN = Domain(tuple(Attribute(name=f"x{i}", size=size) for i, size in enumerate(SIZES)))


def chain(n=2_000, seed=1, sizes=SIZES, keep=0.7):
    """Each column follows the one before it with this probability."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, sizes[0], n)]
    for size in sizes[1:]:
        columns.append(np.where(rng.random(n) < keep, columns[-1] % size, rng.integers(0, size, n)))
    domain = Domain(tuple(Attribute(name=f"x{i}", size=size) for i, size in enumerate(sizes)))
    return Table(domain, tuple(columns))


def curator_of(table, epsilon=1, *, delta=None, neighbours=REPLACE_ONE, seed=3, **more):
    return open_curator(
        MemoryCounter(table, threads=1),
        budget=make_budget(epsilon, delta),
        neighbours=neighbours,
        noise=make_noise(seed=seed),
        **more,
    )


graphs = st.integers(1, 9).flatmap(
    lambda d: st.tuples(
        st.lists(st.integers(1, 4), min_size=d, max_size=d).map(tuple),
        st.lists(st.sampled_from(list(combinations(range(d), 2))), unique=True) if d > 1 else st.just([]),
    )
)


def is_junction_tree(graph: Decomposable) -> bool:
    """Cliques are maximal, and what two of them share is held all along the way between them."""
    tree, cliques = graph.tree(), graph.cliques
    if any(one < other or other < one for one, other in combinations(cliques, 2)):
        return False
    for attribute in range(len(graph.sizes)):
        holding = {i for i, clique in enumerate(cliques) if attribute in clique}
        seen, waiting = set(), [min(holding)]
        while waiting:
            i = waiting.pop()
            seen.add(i)
            waiting += [j for j in tree[i] if j in holding - seen]
        if seen != holding:
            return False
    return True


def domain_of(sizes):
    return Domain(tuple(Attribute(name=f"x{i}", size=size) for i, size in enumerate(sizes)))


@given(graphs)
def test_a_triangulated_graph_has_a_junction_tree_and_holds_its_pairs(given_graph):
    sizes, pairs = given_graph
    graph = triangulate(sizes, pairs)
    assert is_junction_tree(graph)
    assert all(any({u, v} <= clique for clique in graph.cliques) for u, v in pairs)


@given(graphs)
def test_a_network_of_a_graph_has_all_its_edges_and_families_within_cliques(given_graph):
    sizes, pairs = given_graph
    graph = triangulate(sizes, pairs)
    network = Network(domain_of(sizes), graph.nodes())
    families = [{node.child, *(axis.attribute for axis in node.parents)} for node in network.nodes]
    assert all(any(family <= clique for clique in graph.cliques) for family in families)
    joined = {frozenset((node.child, axis.attribute)) for node in network.nodes for axis in node.parents}
    assert joined == {frozenset(pair) for clique in graph.cliques for pair in combinations(clique, 2)}


@given(graphs, st.integers(2, 100))
@settings(max_examples=60)
def test_joining_a_pair_keeps_the_graph_chordal_and_within_bounds(given_graph, limit):
    sizes, pairs = given_graph
    graph = triangulate(sizes, pairs)
    open_pairs = graph.joinable(limit)
    assert all(not any({u, v} <= clique for clique in graph.cliques) for u, v in open_pairs)
    for u, v in combinations(range(len(sizes)), 2):
        joined = graph.join(u, v, limit)
        assert (joined is not None) == ((u, v) in open_pairs)
        if joined is not None:
            assert is_junction_tree(joined)
            assert joined.largest <= max(limit, graph.largest)
            assert any({u, v} <= clique for clique in joined.cliques)
            assert all(any(clique <= other for other in joined.cliques) for clique in graph.cliques)


@given(graphs, st.sampled_from([1, 2]))
def test_merged_tables_hold_all_cliques_and_expect_no_more_error(given_graph, power):
    graph = triangulate(*given_graph)
    tables = merge(graph, power=power, limit=1 << 12)
    homes = [[table for table in tables if clique <= table] for clique in graph.cliques]
    assert all(homes)
    error = len(tables) ** power * sum(min(graph.cells(t) for t in held) for held in homes)
    assert error <= len(graph.cliques) ** power * graph.total


def test_chosen_cliques_stay_within_bounds_and_choices_within_their_share():
    curator = curator_of(chain(), "0.5")
    graph = choose_graph(curator, pairs=9, limit=30, share=Fraction(1, 4))
    assert graph.largest <= 30
    assert curator.share_left >= Fraction(3, 4)
    assert all(charge.share == Fraction(1, 36) for charge in curator.charges)


def test_at_a_huge_epsilon_the_model_has_the_tables_of_its_cliques():
    table = chain()
    model = JTree(pairs=4, theta=1).fit(curator_of(table, 10**6))
    assert model.network.degree >= 1
    counter = MemoryCounter(table)
    for node in model.network.nodes:
        [real] = counter.count([node.marginal])
        asked = model.marginal(node.marginal, errors=False).probabilities
        assert asked == pytest.approx(real / table.n, abs=1e-3)


def test_at_a_huge_epsilon_the_pairs_of_a_chain_are_found():
    model = JTree(pairs=4, theta=1).fit(curator_of(chain(n=20_000, sizes=(2,) * 5), 10**6))
    joined = {tuple(sorted((node.child, a.attribute))) for node in model.network.nodes for a in node.parents}
    assert joined == {(0, 1), (1, 2), (2, 3), (3, 4)}


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("delta", [None, "1e-9"])
def test_a_run_spends_the_whole_budget_and_no_more(neighbours, delta):
    curator = curator_of(chain(), delta=delta, neighbours=neighbours)
    model = JTree().fit(curator)
    assert curator.share_left == 0
    assert sum(charge.share for charge in curator.charges) == 1
    held = [frozenset(m.marginal.attributes) for m in model.measurements]
    families = [{node.child, *(a.attribute for a in node.parents)} for node in model.network.nodes]
    assert all(any(family <= table for table in held) for family in families)


def test_mixed_and_single_valued_columns_are_taken():
    table = chain(sizes=(3, 1, 2, 7, 2))
    for method in (JTree(), JTreeAsPrinted()):
        curator = curator_of(table, 2, no_guarantee=flaw_of(method) is not None)
        model = method.fit(curator, streams=Streams(1))
        assert model.marginal(Marginal.of(0, 1, 3)).probabilities.shape == (3, 1, 7)


@pytest.mark.parametrize("columns", [0, 1, 2])
def test_few_columns_are_no_trouble(columns):
    table = chain(sizes=(2, 3)[:columns] or (2,)) if columns else Table(Domain(()), ())
    if columns:
        model = JTree().fit(curator_of(table, 5))
        assert len(model.network.nodes) == columns
    else:
        assert JTree().n_pairs(Domain(()), 10, PrivacyTerms(budget=make_budget(1))) == 0


def test_without_room_for_a_pair_columns_are_independent_and_the_statement_says_so():
    method = JTree()
    curator = curator_of(chain(n=20), "0.01")
    model = method.fit(curator)
    assert model.network.degree == 0
    assert [charge.what for charge in curator.charges] == ["tables of cliques"]
    [sentence] = method.remarks(model, model.n)
    assert "independent" in sentence


def test_no_pairs_can_be_asked_for():
    model = JTree(pairs=0).fit(curator_of(chain()))
    assert model.network.degree == 0


def test_fewer_tables_are_measured_where_that_means_less_noise():
    graph = triangulate((2,) * 6, [])
    assert len(tables_of(graph, make_budget(1))) < 6


def test_the_statement_and_the_plan_say_what_is_done():
    budget = make_budget(1)
    described = JTree().describe(DOMAIN, 2_000, PrivacyTerms(budget=budget))
    assert described["score"] == "R"
    curator = curator_of(chain())
    model = JTree().fit(curator)
    choices = [charge for charge in curator.charges if charge.n_candidates]
    assert 0 < len(choices) <= described["pairs"]
    largest = max(node.marginal.n_cells(DOMAIN) for node in model.network.nodes)
    assert largest <= described["largest table of a clique"]
    plan = JTree().plan(DOMAIN, 2_000, PrivacyTerms(budget=budget, neighbours=ADD_REMOVE))
    assert sum(plan.shares.values()) == pytest.approx(1)
    assert plan.shares["rows"] == 0.02
    assert len(plan.candidates_per_choice) == JTree().n_pairs(
        DOMAIN, 2_000, PrivacyTerms(budget=budget, neighbours=ADD_REMOVE)
    )
    printed = JTreeAsPrinted()
    assert "no guarantee" in printed.plan(DOMAIN, 2_000, PrivacyTerms(budget=budget)).notes[0]
    assert printed.describe(DOMAIN, 2_000, PrivacyTerms(budget=budget))["variant"] == "as printed"
    assert printed.remarks(model, model.n) == ()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pairs": -1}, "whole number of at least 0"),
        ({"pairs": 1.5}, "whole number of at least 0"),
        ({"pairs": True}, "whole number of at least 0"),
        ({"beta": 1}, "'beta' parameter of JTree must be a number above 0 and below 1"),
        ({"theta": 0}, "'theta' parameter of JTree must be a number above 0"),
        ({"theta": float("nan")}, "'theta' parameter of JTree must be a number above 0"),
    ],
)
def test_bad_options_are_refused(options, said):
    with pytest.raises(OptionError, match=said):
        JTree(**options)


def test_what_the_paper_does_not_cover_is_refused_as_printed():
    printed = JTreeAsPrinted()
    for option in ("beta", "phi"):
        with pytest.raises(OptionError, match=f"'{option}' parameter of JTreeAsPrinted must be a number"):
            JTreeAsPrinted(**{option: 0})
    for budget, neighbours in ((make_budget(1, "1e-9"), REPLACE_ONE), (make_budget(1), ADD_REMOVE)):
        with pytest.raises(OptionError, match="pure epsilon and replace-one"):
            printed.check(DOMAIN, PrivacyTerms(budget=budget, neighbours=neighbours))
    with pytest.raises(OptionError, match="Raise epsilon"):
        JTree().check(DOMAIN, PrivacyTerms(budget=make_budget("1e-18")))


def test_as_printed_without_noise_the_pairs_are_those_above_the_threshold():
    table = chain(n=5_000, sizes=(2,) * 5, keep=0.5)
    curator = curator_of(table, no_guarantee=True, noiseless="all")
    graph = printed_graph(curator, epsilon=1.0, phi=0.2, coins=Streams(1).get("coins"))
    # φ is about one half for neighbours in the chain, a quarter two apart, an eighth three apart
    joined = {pair for clique in graph.cliques for pair in combinations(sorted(clique), 2)}
    assert joined == {(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (1, 3), (2, 4)}


def test_as_printed_cliques_that_no_memory_holds_are_left_out():
    sizes = (2,) * 30
    graph = bounded_graph(sizes, list(combinations(range(30), 2)))
    assert graph.largest == LARGEST_CLIQUE
    assert is_junction_tree(graph)


def test_as_printed_is_labelled_and_compared_only_where_it_is_named():
    printed = JTreeAsPrinted()
    assert flaw_of(printed).where == "docs/research/baselines.md#jtree"
    assert label_method(printed) == "jtree-as-printed (no guarantee)"
    assert read_method(describe_method(JTree(pairs=7, beta=Fraction(1, 4)))) == JTree(pairs=7, beta=Fraction(1, 4))
    assert "jtree" not in usual_methods(DOMAIN)


def test_a_release_by_jtree_and_one_as_printed(tmp_path):
    release = us.publish("demo", epsilon=1, method="jtree", out=tmp_path / "kept")
    assert release.statement.private
    with pytest.raises(us.OptionError, match="neither limits nor pays"):
        us.publish("demo", epsilon=1, method="jtree-as-printed", out=tmp_path / "printed")
    printed = us.publish(
        "demo",
        epsilon=1,
        method="jtree-as-printed",
        no_guarantee=True,
        out=tmp_path / "printed",
        delta=0,
        neighbours="replace-one",
    )
    assert not printed.statement.private
    assert "The claim is wrong" in (tmp_path / "printed" / "PRIVACY.md").read_text(encoding="utf-8")
