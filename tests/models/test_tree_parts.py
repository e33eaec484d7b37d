"""Junction trees as parts of a file: the same again, and nothing that nobody wrote."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

from tests.models.random_trees import random_tree
from tests.models.test_tree_model import trees
from understudy.models import Parts, TreeModel


@given(trees())
def test_a_saved_tree_comes_back_with_its_merged_values_and_measurements(model):
    parts = model.to_parts()
    again = TreeModel.from_parts(Parts(json.loads(json.dumps(parts.document)), parts.arrays), model.domain)
    assert again.to_parts().document == parts.document
    assert all(np.array_equal(again.to_parts().arrays[name], parts.arrays[name]) for name in parts.names)
    assert again.tree.parents == model.tree.parents
    for mine, theirs in zip(model.measurements, again.measurements, strict=True):
        assert (mine.marginal, mine.variance, mine.interaction) == (
            theirs.marginal,
            theirs.variance,
            theirs.interaction,
        )


def changed(document, **parts):
    return {**json.loads(json.dumps(document)), **parts}


def test_a_tree_that_nobody_wrote_is_refused_before_its_tables_are_read():
    model = random_tree(3, (3, 4, 2))
    assert any(rare is not None for rare in model.within)
    parts = model.to_parts()
    document = parts.document
    first = dict(document["measurements"][0])
    merged = [dict(document["merged"][0], size=1 << 40), *document["merged"][1:]]
    for other in (
        changed(document, cliques=document["cliques"][:-1]),
        changed(document, cliques=[[0, 0], *document["cliques"][1:]]),
        changed(document, cliques="01"),
        changed(document, parents=[9] * len(document["parents"])),
        changed(document, parents=[-1] * len(document["parents"])),
        changed(document, merged=merged),
        changed(document, merged=document["merged"] * 2),
        changed(document, merged=[dict(document["merged"][0], attribute=77), *document["merged"][1:]]),
        changed(document, n=-1),
        changed(document, n=1e99),
        changed(document, measurements=[]),
        *(
            changed(document, measurements=[{**first, **wrong}, *document["measurements"][1:]])
            for wrong in ({"variance": "1"}, {"interaction": 1}, {"attributes": [99]}, {"attributes": [0] * 40})
        ),
    ):
        with pytest.raises((ValueError, TypeError, LookupError)):
            TreeModel.from_parts(Parts(other, parts.arrays), model.domain)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *((name, bad) for name in ("belief-00000", "share-00000") for bad in (np.nan, -1.0, 1e300)),
        *(("merged-00000", bad) for bad in (-1, 1 << 60)),
        *(("measured-00000", bad) for bad in (np.nan, 1e300)),
    ],
)
def test_numbers_that_are_none_of_a_tree_are_refused(name, bad):
    model = random_tree(3, (3, 4, 2))
    parts = model.to_parts()
    array = parts.arrays[name].copy()
    array.flat[0] = bad
    with pytest.raises(ValueError):
        TreeModel.from_parts(Parts(parts.document, {**parts.arrays, name: array}), model.domain)
