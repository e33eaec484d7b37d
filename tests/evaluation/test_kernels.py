"""Every kernel of the measures against its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.measuring import naive_number_keys, naive_share_differences
from understudy.evaluation import _kernels

keys_in_lists = st.lists(st.one_of(st.integers(0, 5), st.integers(-(2**63), 2**63 - 1)), max_size=80)
cells = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=20)
totals = st.tuples(st.integers(1, 10**6), st.integers(1, 10**6))


@given(keys_in_lists)
def test_keys_are_numbered_as_they_appear(keys):
    ids = np.empty(len(keys), dtype=np.int64)
    found = _kernels.number_keys(np.array(keys, dtype=np.int64), ids)
    assert ids.tolist() == naive_number_keys(keys)
    assert found == len(set(keys))


@given(cells, totals)
def test_differences_of_shares_are_their_twins(pairs, sizes):
    a, b = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    absolute, squared = naive_share_differences(a.tolist(), b.tolist(), *sizes)
    n, m = sizes
    assert int(_kernels.crossed_difference(a, b, n, m)) == absolute * n * m
    assert _kernels.share_differences(a, b, float(n), float(m)) == pytest.approx((float(absolute), float(squared)))
