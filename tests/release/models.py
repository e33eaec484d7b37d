"""A small published model, made by hand."""

from fractions import Fraction

import numpy as np

from understudy.models import Network, NetworkModel, Node
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
