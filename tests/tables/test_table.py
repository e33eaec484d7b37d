"""Tables of codes."""

import numpy as np
import pytest

from understudy._core.errors import TableError
from understudy.schema import Attribute, Domain
from understudy.tables import Table


def domain(*sizes: int) -> Domain:
    return Domain(tuple(Attribute(name=f"a{i}", size=size) for i, size in enumerate(sizes)))


@pytest.mark.parametrize(
    ("size", "kind"), [(1, "uint8"), (256, "uint8"), (257, "uint16"), (65_536, "uint16"), (65_537, "uint32")]
)
def test_codes_get_the_narrowest_type(size, kind):
    assert Table(domain(size), (np.array([0, size - 1]),)).columns[0].dtype.name == kind


def test_columns_cannot_be_written():
    table = Table(domain(2), (np.array([0, 1]),))
    with pytest.raises(ValueError, match="read-only"):
        table.columns[0][0] = 1


def test_a_column_of_the_right_type_is_not_copied():
    codes = np.array([0, 1], dtype=np.uint8)
    assert np.shares_memory(Table(domain(2), (codes,)).columns[0], codes)
    codes[0] = 1  # the caller's own array stays writable


@pytest.mark.parametrize("codes", [[0, 3], [-1, 0]])
def test_codes_outside_the_domain_are_refused_without_showing_them(codes):
    with pytest.raises(TableError, match="column 'a0': it holds codes outside 0 to 1") as caught:
        Table(domain(2), (np.array(codes),))
    assert "3" not in str(caught.value)
    assert "-1" not in str(caught.value)


@pytest.mark.parametrize("codes", [np.zeros((2, 2), dtype=np.uint8), np.zeros(2), np.array(["0"])])
def test_codes_that_are_no_list_of_integers_are_refused(codes):
    with pytest.raises(TableError, match="one-dimensional array of integers"):
        Table(domain(2), (codes,))


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(TableError, match="column 'a1' is not as long as column 'a0'"):
        Table(domain(2, 2), (np.zeros(2, dtype=np.uint8), np.zeros(3, dtype=np.uint8)))


def test_a_column_too_few_is_refused():
    with pytest.raises(TableError, match="columns given: 1; attributes that the domain declares: 2"):
        Table(domain(2, 2), (np.zeros(2, dtype=np.uint8),))


def test_all_faults_are_told_together():
    with pytest.raises(TableError) as caught:
        Table(domain(2, 2), (np.array([2]), np.array([5])))
    assert len(caught.value.faults) == 2
