"""Every kind of model, on awkward shapes, against a joint distribution that is summed cell by cell.

A new kind joins by a line in `MAKERS`: a function that makes a model of it whose distribution is the given one.
"""

import ast
import json
from collections.abc import Callable
from functools import reduce

import numpy as np
import pytest

from tests.house.sources import PROJECT
from tests.models.random_networks import attribute, brute_marginal, condition
from tests.models.worked_example import columns_model
from understudy import models
from understudy._core.errors import UserError
from understudy._core.randomness import Streams
from understudy.models import (
    KINDS,
    CliqueTree,
    DrawsItself,
    DrawsRows,
    HasNetwork,
    JointModel,
    Model,
    Network,
    NetworkModel,
    Node,
    NoisyJoint,
    Parts,
    RowsModel,
    Saves,
    TablesModel,
    TreeModel,
    ViewsModel,
    WeightedRows,
    why_not_releasable,
)
from understudy.schema import Attribute, Axis, Domain, Marginal, recode

SHAPES = {
    "one attribute": (4,),
    "one attribute with one value": (1,),
    "one value each": (1, 1),
    "one value among others": (3, 1, 2),
    "two binary": (2, 2),
    "many binary": (2,) * 9,
    "large beside small": (30, 2),
    "mixed": (5, 2, 3, 4),
}
ROWS = 4000


def as_network(domain, counts):
    """Each attribute depends on all before it, so that any distribution is a network."""
    nodes = tuple(Node(a, tuple(Axis(b) for b in range(a))) for a in range(len(domain)))
    conditionals = []
    for a in range(len(domain)):
        table = counts.sum(axis=tuple(range(a + 1, counts.ndim))).astype(float) + 1e-300
        conditionals.append(table / table.sum(axis=-1, keepdims=True))
    return NetworkModel(Network(domain, nodes), conditionals, recode(domain, "hierarchical"), (), int(counts.sum()))


def as_tree(domain, counts):
    """One clique that holds everything: cliques that share something are in test_tree_model.py."""
    everything = tuple(range(len(domain)))
    tree = CliqueTree(counts.shape, (everything,), (-1,), (counts / counts.sum(),))
    return TreeModel(domain, int(counts.sum()), tree=tree)


def as_rows(domain, counts):
    """Every cell that has rows, with its weight; a few rows stand there twice."""
    cells = np.array(np.nonzero(counts)).reshape(counts.ndim, -1).astype(np.uint16)
    twice = np.concatenate([cells, cells[:, :3]], axis=1)
    weights = counts[tuple(twice)] / np.where(np.arange(twice.shape[1]) % cells.shape[1] < 3, 2.0, 1.0)
    return RowsModel(domain, int(counts.sum()), rows=WeightedRows.of(counts.shape, twice, weights))


def as_joint(domain, counts):
    return JointModel(domain, int(counts.sum()), counts / counts.sum())


def as_noisy_joint(domain, counts):
    return NoisyJoint(domain, int(counts.sum()), counts)


def as_tables(domain, counts):
    return TablesModel(domain, int(counts.sum()), {tuple(range(len(domain))): counts / counts.sum()})


def as_views(domain, counts):
    return ViewsModel(domain, int(counts.sum()), (tuple(range(len(domain))),), [counts.astype(float)])


def as_columns(domain, counts):
    """The kind that docs/contributing.md shows; it has the distribution if columns are independent."""
    shares = [
        counts.sum(axis=tuple(b for b in range(counts.ndim) if b != a)) / counts.sum() for a in range(counts.ndim)
    ]
    return columns_model()(domain, int(counts.sum()), tuple(shares))


MAKERS: dict[str, Callable[[Domain, np.ndarray], Model]] = {
    "network": as_network,
    "joint": as_joint,
    "tree": as_tree,
    "rows": as_rows,
    "noisy-joint": as_noisy_joint,
    "tables": as_tables,
    "views": as_views,
    "columns": as_columns,
}
ONLY_BINARY, NO_EVIDENCE, INDEPENDENT = {"views"}, {"noisy-joint", "tables"}, {"columns"}


def case(kind, shape, seed=7):
    """A model of this kind and the distribution it was made from."""
    rng = np.random.default_rng(seed)
    sizes = SHAPES[shape]
    levels = kind not in ONLY_BINARY
    domain = Domain(
        tuple(attribute(rng, f"a{i}", n) if levels else Attribute(name=f"a{i}", size=n) for i, n in enumerate(sizes))
    )
    counts = rng.integers(0, 40, sizes) * (rng.random(sizes) < 0.8) + (np.arange(np.prod(sizes)) == 0).reshape(sizes)
    if kind in INDEPENDENT:
        counts = reduce(np.multiply.outer, [rng.integers(0, 5, size) + (np.arange(size) == 0) for size in sizes])
    return MAKERS[kind](domain, counts.astype(np.int64)), counts / counts.sum()


def marginals(domain, rng):
    """No attribute, each, a few together, at any level and in any order."""
    yield Marginal(())
    for size in (1, 1, 2, 2, 3):
        chosen = rng.permutation(len(domain))[: min(size, len(domain))]
        yield Marginal(tuple(Axis(int(a), int(rng.integers(domain[int(a)].n_levels))) for a in chosen))


def some_evidence(domain, rng, full):
    """Hard or soft weights on one attribute or two, that leave something possible."""
    cell = np.unravel_index(int(np.argmax(full)), full.shape)
    found = {}
    for a in rng.permutation(len(domain))[:2]:
        weights = rng.random(domain[int(a)].size) * (rng.random(domain[int(a)].size) < 0.6)
        weights[cell[a]] = 1.0
        found[int(a)] = weights
    return found


def every(ability=Model):
    """All kinds that have an ability, on all shapes that they can hold."""
    able = [kind for kind in MAKERS if isinstance(case(kind, "two binary")[0], ability)]
    return pytest.mark.parametrize(
        ("kind", "shape"),
        [(kind, shape) for kind in able for shape in SHAPES if kind not in ONLY_BINARY or set(SHAPES[shape]) == {2}],
    )


@every()
def test_it_is_a_model_and_says_so(kind, shape):
    model, full = case(kind, shape)
    assert isinstance(model, Model)
    assert model.kind == kind
    assert tuple(a.size for a in model.domain) == full.shape
    assert model.n > 0


@every()
def test_marginals_equal_those_of_the_whole_distribution(kind, shape):
    model, full = case(kind, shape)
    for marginal in marginals(model.domain, np.random.default_rng(3)):
        found = model.marginal(marginal, errors=False)
        assert found.probabilities.shape == marginal.shape(model.domain)
        assert found.probabilities.sum() == pytest.approx(1)
        assert found.probabilities == pytest.approx(brute_marginal(full, marginal, model.domain), abs=1e-9)
        assert (found.standard_error, found.low, found.high) == (None, None, None)


@every()
def test_evidence_is_weighed_in_or_refused_with_a_sentence(kind, shape):
    model, full = case(kind, shape)
    rng = np.random.default_rng(4)
    evidence = some_evidence(model.domain, rng, full)
    for marginal in marginals(model.domain, rng):
        if kind in NO_EVIDENCE:
            with pytest.raises(UserError, match="cannot be asked under a condition"):
                model.marginal(marginal, evidence=evidence)
            continue
        found = model.marginal(marginal, evidence=evidence, errors=False).probabilities
        expected = brute_marginal(condition(full, evidence), marginal, model.domain)
        assert found == pytest.approx(expected, abs=1e-9)


@every(DrawsRows)
@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_drawn_rows_have_the_distribution(kind, shape, independent, given):
    model, full = case(kind, shape)
    evidence = some_evidence(model.domain, np.random.default_rng(5), full) if given else None
    batches = list(
        model.sample_codes(ROWS, streams=Streams(1), evidence=evidence, independent=independent, batch_rows=1500)
    )
    assert [len(batch[0]) for batch in batches] == [1500, 1500, 1000]
    columns = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
    assert len(columns) == len(model.domain)
    assert all(column.dtype.kind == "u" for column in columns)
    found = np.zeros(full.shape)
    np.add.at(found, tuple(columns), 1 / ROWS)  # a code out of range would raise
    wanted = full if evidence is None else condition(full, evidence)
    assert found[wanted == 0].sum() == 0
    # of independent draws, a cell's share is within four standard deviations; low variance only helps
    assert (np.abs(found - wanted) <= 4 * np.sqrt(wanted / ROWS) + 4 / ROWS).all()


@every(DrawsRows)
def test_no_rows_are_drawn_as_no_rows(kind, shape):
    model, _ = case(kind, shape)
    assert sum(len(batch[0]) for batch in model.sample_codes(0, streams=Streams(1))) == 0


@every(Saves)
def test_a_saved_model_comes_back_the_same(kind, shape):
    model, _ = case(kind, shape)
    parts = model.to_parts()
    assert all(array.dtype in (np.float64, np.int64) for array in parts.arrays.values())
    again = type(model).from_parts(Parts(json.loads(json.dumps(parts.document)), parts.arrays), model.domain)
    assert again.n == model.n
    saved_again = again.to_parts()
    assert saved_again.document == parts.document
    assert saved_again.names == parts.names
    assert all(np.array_equal(saved_again.arrays[name], parts.arrays[name]) for name in parts.names)
    for marginal in marginals(model.domain, np.random.default_rng(6)):
        mine, theirs = (one.marginal(marginal, errors=False).probabilities for one in (model, again))
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("kind", [*KINDS, "columns"])
def test_parts_with_an_array_more_or_less_are_refused(kind):
    model, _ = case(kind, "two binary")
    parts = model.to_parts()
    name = min(parts.names)
    others = {key: array for key, array in parts.arrays.items() if key != name}
    for arrays in (others, {**parts.arrays, "table-99999": np.ones(2)}, {**others, name: np.ones((3, 3))}):
        with pytest.raises((ValueError, LookupError)):
            type(model).from_parts(Parts(parts.document, arrays), model.domain)


@pytest.mark.parametrize("kind", MAKERS)
def test_what_can_be_published_is_known_of_the_class(kind, monkeypatch):
    model, _ = case(kind, "two binary")
    if kind == "columns":
        assert why_not_releasable(type(model)) == "no model file can hold its kind, 'columns'"
        monkeypatch.setitem(KINDS, kind, type(model))  # the one line that it takes
    assert isinstance(model, Saves) == (KINDS.get(kind) is type(model))
    able = isinstance(model, Saves) and isinstance(model, DrawsRows)
    assert (why_not_releasable(type(model)) is None) == able


@every(DrawsItself)
def test_a_drawing_is_a_picture_with_its_title(kind, shape):
    model, _ = case(kind, shape)
    drawing = model.to_svg(title="people & others")
    assert drawing.startswith("<svg")
    assert "people &amp; others" in drawing


@every(HasNetwork)
def test_a_network_has_the_distribution_of_its_model(kind, shape):
    model, full = case(kind, shape)
    for node, family in zip(model.network.nodes, model.families(), strict=True):
        expected = brute_marginal(full, node.marginal, model.network.domain)
        assert family == pytest.approx(expected, abs=1e-9)


def test_every_kind_that_can_be_saved_is_held_to_the_contract():
    assert set(KINDS) <= set(MAKERS)


def test_nobody_outside_the_room_asks_a_model_for_its_class():
    classes = {maker for maker in dir(models) if maker.endswith(("Model", "Joint"))} - {"Model"}
    assert {"NetworkModel", "JointModel", "TablesModel", "NoisyJoint", "ViewsModel"} <= classes
    for path in [*(PROJECT / "src" / "understudy").rglob("*.py"), *(PROJECT / "research").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        if not {"models", "tests"} & set(path.parts) and any(name in text for name in classes):
            calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
            asked = [call for call in calls if ast.unparse(call.func) in ("isinstance", "issubclass")]
            named = {node.id for call in asked for node in ast.walk(call.args[1]) if isinstance(node, ast.Name)}
            assert not named & classes, path
