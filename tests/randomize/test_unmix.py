"""Maps along the axes of a table against NumPy's tensor products, for shapes that take each way through the kernels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.naive.unmixing import naive_axis_by_axis
from tests.randomize.parties import CIRCULANT, UNEVEN
from understudy.randomize import Response, unmix

SHAPES = [
    (1,),
    (5,),
    (3, 1),
    (1, 4, 1),
    (2, 3, 4),
    (5, 5, 5, 5),
    (2, 700),
    (2, 513, 3),
    (700, 2),
    (3, 40, 31),
    (33, 2, 32),
]


def tables(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_square_maps_agree_with_tensor_products(shape: tuple[int, ...]) -> None:
    draws = np.random.default_rng(1)
    table = tables(shape)
    before = table.copy()
    matrices = [draws.normal(size=(size, size)) for size in shape]
    assert unmix(table, matrices) == pytest.approx(naive_axis_by_axis(table, matrices), rel=1e-9, abs=1e-9)
    assert np.array_equal(table, before)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_maps_to_more_or_fewer_values_agree_with_tensor_products(shape: tuple[int, ...]) -> None:
    draws = np.random.default_rng(2)
    matrices = [draws.normal(size=(size, 1 + (axis + size) % 4)) for axis, size in enumerate(shape)]
    table = tables(shape)
    found = unmix(table, matrices)
    assert found.shape == tuple(matrix.shape[1] for matrix in matrices)
    assert found == pytest.approx(naive_axis_by_axis(table, matrices), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_randomised_response_in_closed_form_agrees_with_its_inverse(shape: tuple[int, ...]) -> None:
    table = tables(shape)
    responses = [Response(size, Fraction(7, 10) if size > 1 else Fraction(1)) for size in shape]
    wanted = naive_axis_by_axis(table, [one.inverse for one in responses])
    assert unmix(table, responses) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def test_axes_can_be_left_alone_and_any_layout_of_memory_is_taken() -> None:
    table = np.asfortranarray(tables((2, 4, 3))).transpose(2, 0, 1)[:, :, ::2]
    assert table.shape == (3, 2, 2)
    matrices = [CIRCULANT.inverse.T.copy().T, None, UNEVEN.inverse]
    assert unmix(table, [CIRCULANT, None, UNEVEN]) == pytest.approx(naive_axis_by_axis(table, matrices))
    assert unmix(np.arange(4).reshape(2, 2), [None, None]).tolist() == [[0, 1], [2, 3]]
    assert unmix(7, []).tolist() == 7


def test_maps_that_do_not_fit_the_table_are_refused() -> None:
    with pytest.raises(ValueError, match="2 axes, and 1 inverses"):
        unmix([[1, 2]], [UNEVEN])
    with pytest.raises(ValueError, match="axis 1 has 3 values, and its map takes 2"):
        unmix([[1, 2, 3]], [None, UNEVEN])
