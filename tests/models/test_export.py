"""Export and drawing: nothing lost on the way out."""

from __future__ import annotations

import itertools
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.random_networks import random_model
from tests.models.random_rows import random_rows
from tests.strategies import models
from understudy._core.errors import UserError
from understudy.models import Network, NetworkModel, Node, draw_svg, edge_strengths, to_bif, to_networkx, to_pgmpy
from understudy.models._export import plain_nodes
from understudy.models._layout import lay_out
from understudy.schema import Attribute, Axis, Domain, Level, Marginal, recode

WORD = r"[A-Za-z_][A-Za-z0-9_]*"


def read_bif(text):
    """A strict little reader: variables with their states, tables with their parents."""
    text = re.sub(r"//[^\n]*", "", text)
    states, tables = {}, {}
    for name, size, listed in re.findall(
        rf"variable ({WORD}) {{\s*type discrete \[ (\d+) \] {{ ([^}}]*) }};\s*}}", text
    ):
        states[name] = listed.split(", ")
        assert len(set(states[name])) == int(size)
        assert all(re.fullmatch(r"[A-Za-z0-9_.\-]+", state) for state in states[name])
    for name, parents, body in re.findall(
        rf"probability \( ({WORD})(?: \| ([^)]*))? \) {{\n(.*?)\n}}", text, re.DOTALL
    ):
        above = parents.split(", ") if parents else []
        table = np.full([len(states[p]) for p in above] + [len(states[name])], np.nan)
        for line in body.splitlines():
            given_, numbers = re.fullmatch(r"  (?:table|\(([^)]*)\)) ([^;]*);", line).groups()
            cell = tuple(states[p].index(s) for p, s in zip(above, (given_ or "").split(", "), strict=False))
            table[cell] = [float(x) for x in numbers.split(", ")]
        assert not np.isnan(table).any()
        tables[name] = (above, table)
    assert states.keys() == tables.keys()
    return states, tables


@settings(max_examples=50)
@given(models())
def test_a_bif_file_holds_the_joint_distribution_of_the_model(model):
    _, tables = read_bif(to_bif(model))
    domain = model.network.domain
    assert len(tables) >= len(domain)
    order = list(tables)
    sizes = {name: table.shape[-1] for name, (_, table) in tables.items()}
    operands = []
    for name, (parents, table) in tables.items():
        operands += [table, [order.index(v) for v in (*parents, name)]]
    words = [re.sub(r"\W", "_", attribute.name) for attribute in domain]
    for a, word in enumerate(words):
        assert sizes[word] == domain[a].size
        got = np.einsum(*operands, [order.index(word)], optimize="greedy") if len(order) < 20 else None
        if got is not None:
            np.testing.assert_allclose(got, model._posterior(None)._network_marginal(Marginal.of(a)), atol=1e-9)


@settings(max_examples=50)
@given(st.lists(st.text(max_size=6), min_size=3, max_size=3), st.lists(st.text(max_size=5), min_size=2, max_size=2))
def test_any_names_and_labels_make_a_valid_bif_file(labels, names):
    if names[0] == names[1]:
        names[1] += "x"
    domain = Domain((Attribute(name=names[0], size=3), Attribute(name=names[1], size=3)))
    network = Network(domain, (Node(0), Node(1, (Axis(0),))))
    rows = np.array([[0.5, 0.25, 0.25]] * 3)
    model = NetworkModel(network, (rows[0], rows), recode(domain, "vanilla"), (), 1)
    text = to_bif(model, [labels, labels])
    states, tables = read_bif(text)
    assert len(tables) == 2
    assert [len(s) for s in states.values()] == [3, 3]
    assert len({name.lower() for name in states}) == 2


def test_labels_are_kept_where_they_can_be_and_noted_where_not():
    domain = Domain((Attribute(name="marital status", size=2),))
    model = NetworkModel(Network(domain, (Node(0),)), ([0.5, 0.5],), recode(domain, "vanilla"), (), 1)
    text = to_bif(model, [["Married", "née; {other}"]])
    assert "variable marital_status {" in text
    assert "// marital_status: marital status" in text
    assert "{ Married, nee___other_ }" in text
    assert "// marital_status = nee___other_: née; {other}" in text
    with pytest.raises(UserError, match="2 codes, but 1 labels"):
        to_bif(model, [["Married"]])


def test_bins_keep_readable_names_that_differ():
    labels = ("0–7", "07", "8–15", "(0.5, 1]", "[0.5, 1)", "-3–-1", "<5", ">5", "≤ 5", "日本", "東京")
    domain = Domain((Attribute(name="x", size=len(labels)),))
    network = Network(domain, (Node(0),))
    model = NetworkModel(network, (np.full(len(labels), 1 / len(labels)),), recode(domain, "vanilla"), (), 1)
    states, _ = read_bif(to_bif(model, [labels]))
    assert states["x"][:9] == [
        "0_to_7", "07", "8_to_15", "0.5_to_1", "0.5_to_1_2", "-3_to_-1", "lt_5", "gt_5", "le__5",
    ]  # fmt: skip
    assert len(set(states["x"])) == len(labels)


def test_an_attribute_seen_at_several_levels_becomes_a_chain_of_helpers():
    model = random_model(1, (6, 6, 6, 6, 6), degree=3)
    for node in plain_nodes(model):
        if node.level:
            assert node.name == f"a{node.attribute}@{node.level}"
            assert set(np.unique(node.table)) <= {0.0, 1.0}
            assert node.parents[0].split("@")[0] == f"a{node.attribute}"
    assert any(node.level for node in plain_nodes(model))


def test_a_helper_never_takes_the_name_of_an_attribute():
    coarse = (Level(groups=(0, 0, 1)),)
    domain = Domain((Attribute(name="a", size=3, coarser=coarse), Attribute(name="a@1", size=2)))
    network = Network(domain, (Node(0), Node(1, (Axis(0, 1),))))
    tables = ([0.5, 0.25, 0.25], [[0.5, 0.5], [1.0, 0.0]])
    model = NetworkModel(network, tables, recode(domain, "hierarchical"), (), 1)
    assert [node.name for node in plain_nodes(model)] == ["a", "a@1_", "a@1"]


def test_a_networkx_graph_has_every_node_edge_and_table():
    networkx = pytest.importorskip("networkx")
    model = random_model(4, (3, 4, 5, 2))
    graph = to_networkx(model)
    assert networkx.is_directed_acyclic_graph(graph)
    nodes = plain_nodes(model)
    assert set(graph.nodes) == {node.name for node in nodes}
    assert set(graph.edges) == {(p, node.name) for node in nodes for p in node.parents}
    for name, data in graph.nodes(data=True):
        assert data["table"].shape == (*(graph.nodes[p]["size"] for p in data["parents"]), graph.nodes[name]["size"])


def test_pgmpy_has_the_same_tables():
    model = random_model(4, (3, 4, 5, 2))
    network = to_pgmpy(model)
    for node, table in zip(model.network.nodes, model.conditionals, strict=True):
        values = network.get_cpds(model.network.domain[node.child].name).values
        np.testing.assert_allclose(np.moveaxis(values, 0, -1), table)


def test_the_absence_of_pgmpy_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    with pytest.raises(UserError, match="pip install"):
        to_pgmpy(random_model(4, (3, 4)))


@settings(max_examples=30)
@given(models())
def test_a_drawing_is_xml_and_names_every_attribute(model):
    text = draw_svg(model, title="A & B <c>")
    root = ElementTree.fromstring(text)
    words = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {attribute.name for attribute in model.network.domain} <= words
    assert "A & B <c>" in words
    assert draw_svg(model, title="A & B <c>") == text
    lines = [e for e in root.iter("{http://www.w3.org/2000/svg}path") if e.get("stroke") not in (None, "none")]
    assert len(lines) == sum(len(node.parents) for node in model.network.nodes)


def test_strange_names_do_not_break_a_drawing():
    domain = Domain((Attribute(name="<b>&\"'\u00e9" + "x" * 50, size=2),))
    model = NetworkModel(Network(domain, (Node(0),)), ([0.5, 0.5],), recode(domain, "vanilla"), (), 1)
    titles = [e.text for e in ElementTree.fromstring(draw_svg(model)).iter("{http://www.w3.org/2000/svg}title")]
    assert domain[0].name in titles


@pytest.mark.parametrize(
    "title", ["", "people", "people (NO GUARANTEE: diagnostic run (best-network); NOT PRIVATE: seeded)"]
)
def test_legend_and_title_stay_inside_a_narrow_drawing(title):
    domain = Domain((Attribute(name="a", size=4, coarser=(Level(groups=(0, 0, 1, 1)),)), Attribute(name="b", size=2)))
    network = Network(domain, (Node(0), Node(1, (Axis(0, 1),))))
    tables = ([0.25] * 4, [[0.9, 0.1], [0.3, 0.7]])
    model = NetworkModel(network, tables, recode(domain, "hierarchical"), (), 1)
    root = ElementTree.fromstring(draw_svg(model, title=title))
    width, height = float(root.get("width")), float(root.get("height"))
    texts = []

    def walk(element, x, y):
        moved = re.fullmatch(r"translate\((.*),(.*)\)", element.get("transform", ""))
        x, y = (x + float(moved[1]), y + float(moved[2])) if moved else (x, y)
        if element.tag.endswith("}text"):
            left, top = x + float(element.get("x")), y + float(element.get("y"))
            wide = 0.55 * float(element.get("font-size")) * len(element.text)
            texts.append((left if element.get("text-anchor") != "middle" else left - wide / 2, top, wide, element.text))
        for child in element:
            walk(child, x, y)

    walk(root, 0.0, 0.0)
    assert all(left > 0 and left + wide < width and 0 < top < height for left, top, wide, _ in texts), texts
    words = " ".join(text for *_, text in texts)
    assert title in words
    assert "seen in coarser groups" in words


def test_edges_are_as_strong_as_the_information_they_carry():
    domain = Domain(tuple(Attribute(name=name, size=2) for name in "abc"))
    network = Network(domain, (Node(0), Node(1, (Axis(0),)), Node(2, (Axis(0), Axis(1)))))
    xor = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    model = NetworkModel(network, ([0.5, 0.5], [[1, 0], [0, 1]], xor), recode(domain, "vanilla"), (), 1)
    strengths = edge_strengths(model)
    assert strengths == {(0, 1): pytest.approx(1.0), (0, 2): pytest.approx(0.0), (1, 2): pytest.approx(0.0)}


def test_a_model_without_a_network_has_no_edges_to_weigh_and_says_so():
    model = random_rows(5, (3, 4, 2))
    for ask in (edge_strengths, draw_svg):
        with pytest.raises(UserError, match="of kind 'rows', which has no network"):
            ask(model)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 30))
def test_boxes_never_overlap_and_edges_point_down(seed, count):
    rng = np.random.default_rng(seed)
    edges = [(int(a), b) for b in range(count) for a in np.flatnonzero(rng.random(b) < 2 / max(b, 2))]
    widths = {v: float(rng.integers(50, 200)) for v in range(count)}
    layout = lay_out(range(count), edges, widths, gap=10.0)
    for a, b in edges:
        assert layout.layer[a] < layout.layer[b]
        assert len(layout.bends[a, b]) == layout.layer[b] - layout.layer[a] - 1
    for row in range(layout.n_layers):
        boxes = sorted((layout.x[v], widths[v]) for v in range(count) if layout.layer[v] == row)
        assert boxes
        for (x, width), (next_x, next_width) in itertools.pairwise(boxes):
            assert next_x - x >= (width + next_width) / 2 + 9.9
    assert all(widths[v] / 2 - 1e-6 <= layout.x[v] <= layout.width - widths[v] / 2 + 1e-6 for v in range(count))
