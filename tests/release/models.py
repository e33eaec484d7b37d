"""A small published model, made by hand."""

from fractions import Fraction

import numpy as np

from understudy.models import (
    CliqueTree,
    Network,
    NetworkModel,
    Node,
    RowsModel,
    TreeMeasurement,
    TreeModel,
    WeightedRows,
    Within,
)
from understudy.privacy import Measurement, NoiseLevel
from understudy.release import PublishedModel, Statement
from understudy.schema import Axis, Schema, recode

FIELDS = [
    {"name": "sex", "type": "string", "categories": ["Female", "Male"]},
    {
        "name": "age",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 99, "required": False},
        "bins": 5,
        "special": [-1],
    },
    {
        "name": "marital status",
        "type": "string",
        "categories": ["single", "married/partner", "it's complicated", "<=2 times"],
    },
]


def make_model(*, encoding="hierarchical", measured=True, **statement):
    schema = Schema.from_dict({"name": "people", "fields": FIELDS})
    recoding = recode(schema.domain, encoding)
    target = recoding.target
    rng = np.random.default_rng(5)
    nodes, conditionals, measurements = [], [], []
    level = NoiseLevel(kind="laplace", scale=Fraction(20))
    for attribute in range(len(target)):
        parents = tuple(Axis(parent) for parent in range(max(0, attribute - 2), attribute))
        node = Node(attribute, parents)
        shape = node.marginal.shape(target)
        table = rng.random(shape) + 0.1
        nodes.append(node)
        conditionals.append(table / table.sum(axis=-1, keepdims=True))
        if measured:
            counts = rng.integers(-5, 200, shape)
            measurements.append(Measurement(marginal=node.marginal, counts=counts, noise=level))
    model = NetworkModel(Network(target, tuple(nodes)), conditionals, recoding, measurements, 1000)
    return PublishedModel(schema, model, Statement.example(**statement))


def make_rows(**statement):
    """The same columns as rows with weights, merged as in the tree."""
    tree, rng = make_tree(**statement), np.random.default_rng(7)
    columns = np.array([rng.integers(0, size, 30) for size in (2, 4, 4)], dtype=np.uint16)
    rows = WeightedRows.of((2, 4, 4), columns, rng.random(30))
    given = tree.model
    model = RowsModel(given.domain, given.n, rows=rows, within=given.within, measurements=given.measurements)
    return PublishedModel(tree.schema, model, tree.statement)


def make_tree(**statement):
    """The same columns as a junction tree; ages above 60 and special ones are merged."""
    schema = Schema.from_dict({"name": "people", "fields": FIELDS})
    rng = np.random.default_rng(6)
    first = rng.random((2, 4)) + 0.1
    first /= first.sum()
    second = rng.random((4, 4)) + 0.1
    second *= (first.sum(axis=0) / second.sum(axis=1))[:, None]
    tree = CliqueTree((2, 4, 4), ((0, 1), (1, 2)), (-1, 0), (first, second))
    rare = Within(np.array([0, 1, 2, 3, 3, 3, 3]), np.array([1.0, 1.0, 1.0, 0.5, 0.25, 0.125, 0.125]))
    measured = [
        TreeMeasurement(marginal=(1,), values=1000 * first.sum(axis=0), variance=12.5, interaction=False),
        TreeMeasurement(marginal=(0, 1), values=rng.normal(0, 9, (2, 4)), variance=3.25, interaction=True),
    ]
    model = TreeModel(schema.domain, 1000, tree=tree, within=[None, rare, None], measurements=measured)
    return PublishedModel(schema, model, Statement.example(**statement))
