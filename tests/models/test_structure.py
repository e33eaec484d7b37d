"""What a network and a model refuse, and what they know of themselves."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.models import Network, NetworkModel, Node
from understudy.schema import Attribute, Axis, Domain, Level, recode

DOMAIN = Domain((Attribute(name="a", size=3, coarser=(Level(groups=(0, 0, 1)),)), Attribute(name="b", size=2)))


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ((Node(0),), "one node for each of 2 attributes"),
        ((Node(0), Node(0)), "exactly one node"),
        ((Node(0), Node(2)), "exactly one node"),
        ((Node(1, (Axis(0),)), Node(0)), "before it"),
        ((Node(0, (Axis(0),)), Node(1)), "before it"),
        ((Node(0), Node(1, (Axis(0, 2),))), "no level 2"),
        ((Node(0), Node(1, (Axis(0), Axis(0, 1)))), "a parent twice"),
    ],
)
def test_a_malformed_network_is_refused(nodes, words):
    with pytest.raises(ValueError, match=words):
        Network(DOMAIN, nodes)


def test_a_network_knows_its_order_parents_degree_and_ancestors():
    network = Network(DOMAIN, (Node(1), Node(0, (Axis(1),))))
    assert network.order == (1, 0)
    assert network.parents_of(0) == (Axis(1),)
    assert network.degree == 1
    assert network.shape(network.nodes[1]) == (2, 3)
    assert network.ancestors(frozenset({0})) == {0, 1}
    assert network.ancestors(frozenset({1})) == {1}
    assert Network(Domain(()), ()).degree == 0


NETWORK = Network(DOMAIN, (Node(0), Node(1, (Axis(0, 1),))))


@pytest.mark.parametrize(
    ("conditionals", "words"),
    [
        (([1, 0, 0],), "2 nodes need as many"),
        (([1, 0], [[1, 0], [1, 0]]), "conditional of 'a': expected shape"),
        (([0.5, 0, 0], [[1, 0], [1, 0]]), "conditional of 'a': every row"),
        (([1, 0, 0], [[2, -1], [1, 0]]), "conditional of 'b': every row"),
        (([np.nan, 0, 0], [[1, 0], [1, 0]]), "conditional of 'a': every row"),
    ],
)
def test_a_model_with_malformed_conditionals_is_refused(conditionals, words):
    with pytest.raises(ValueError, match=words):
        NetworkModel(NETWORK, conditionals, recode(DOMAIN, "hierarchical"), (), 1)


def test_a_model_over_another_domain_than_its_encoding_is_refused():
    with pytest.raises(ValueError, match="target domain"):
        NetworkModel(NETWORK, ([1, 0, 0], [[1, 0], [1, 0]]), recode(DOMAIN, "binary"), (), 1)


def test_a_models_tables_cannot_be_changed():
    model = NetworkModel(NETWORK, ([1, 0, 0], [[1, 0], [1, 0]]), recode(DOMAIN, "hierarchical"), (), 1)
    with pytest.raises(ValueError, match="read-only"):
        model.conditionals[0][0] = 0.0
