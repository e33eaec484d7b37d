"""A network's information in a real and a synthetic table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.evaluation.samples import SCHEMA, random_pair
from understudy._core.errors import OptionError
from understudy.evaluation import make_references, measure_network, read_pair
from understudy.models import Network, Node
from understudy.schema import Axis, Encoding, Schema, recode
from understudy.tables import Table


def information(child: np.ndarray, parents: list[np.ndarray]) -> float:
    """Σ p log₂(p / (p_child p_parents)), from a dictionary of rows."""
    rows = pd.DataFrame({"x": child, "pi": list(zip(*(p.tolist() for p in parents), strict=True))})
    both = rows.value_counts(normalize=True)
    x, pi = (rows[name].value_counts(normalize=True) for name in ("x", "pi"))
    return float(sum(p * np.log2(p / (x[a] * pi[b])) for (a, b), p in both.items()))


def test_the_sum_is_that_of_the_nodes_by_hand_at_their_levels() -> None:
    pair, references = random_pair()
    domain = SCHEMA.domain
    nodes = (Node(0), Node(1, (Axis(0),)), Node(2, (Axis(1, 1), Axis(0))), Node(3), Node(4, (Axis(2, 1),)), Node(5))
    found = measure_network(pair, references, Network(domain, nodes))
    by_hand = {}
    for name, table in (("real", pair.real), ("synthetic", pair.first), ("fresh_sample", references.fresh_sample)):
        by_hand[name] = [
            information(
                table.columns[node.child],
                [domain[a].groups_at(level)[table.columns[a]] for a, level in node.parents],
            )
            for node in nodes
            if node.parents
        ]
    assert found.details is not None
    for name, values in by_hand.items():
        got = found.details[name].to_pylist()
        assert sorted(got) == pytest.approx(sorted([*values, 0, 0, 0]), abs=1e-12)
    assert found.value == pytest.approx(sum(by_hand["synthetic"]))
    assert found.fresh_sample == pytest.approx(sum(by_hand["fresh_sample"]))
    assert found.direction == "nearer"
    assert found.independent_columns is not None
    assert found.independent_columns < found.value < sum(by_hand["real"])
    assert f"{sum(by_hand['real']):.2f} in the real one" in found.verdict


@pytest.mark.parametrize("encoding", ["vanilla", "hierarchical", "binary", "gray"])
def test_networks_over_every_encoding_are_read_through_their_recoding(encoding: Encoding) -> None:
    pair, references = random_pair()
    recoding = recode(SCHEMA.domain, encoding)
    nodes = (Node(0), *(Node(i, (Axis(i - 1),)) for i in range(1, len(recoding.target))))
    found = measure_network(pair, references, Network(recoding.target, nodes), recoding=recoding)
    real = Table(recoding.target, tuple(recoding.encode(pair.real.columns)))
    by_hand = [information(real.columns[i], [real.columns[i - 1]]) for i in range(1, len(recoding.target))]
    assert found.details is not None
    assert sum(found.details["real"].to_pylist()) == pytest.approx(sum(by_hand))


def test_a_network_over_other_attributes_is_refused() -> None:
    pair, references = random_pair()
    recoding = recode(SCHEMA.domain, "binary")
    network = Network(recoding.target, tuple(Node(i) for i in range(len(recoding.target))))
    with pytest.raises(OptionError, match="Give the recoding"):
        measure_network(pair, references, network)


def test_rows_outside_the_schema_are_left_out_and_counted() -> None:
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"]})
    real = pd.DataFrame({"a": list("xxyy"), "b": list("xxyy")})
    other = pd.DataFrame({"a": list("xy?x"), "b": ["x", "y", "x", None]})
    pair = read_pair(real, other, schema)
    network = Network(schema.domain, (Node(0), Node(1, (Axis(0),))))
    found = measure_network(pair, make_references(pair), network)
    assert found.value == pytest.approx(1.0)
    assert found.score == 1.0
    assert found.scope == "all 2 nodes; 2 rows outside the schema left out"


def test_a_table_with_no_row_inside_the_schema_has_no_information() -> None:
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"]})
    real = pd.DataFrame({"a": list("xxyy"), "b": list("xxyy")})
    pair = read_pair(real, pd.DataFrame({"a": ["?"], "b": ["?"]}), schema)
    network = Network(schema.domain, (Node(0), Node(1, (Axis(0),))))
    found = measure_network(pair, make_references(pair), network)
    assert (found.value, found.score) == (0.0, 0.0)


def test_a_network_without_links_says_so() -> None:
    pair, references = random_pair()
    found = measure_network(pair, references, Network(SCHEMA.domain, tuple(Node(i) for i in range(6))))
    assert (found.value, found.score) == (0.0, 1.0)
    assert found.verdict.startswith("The network links no columns")
