"""Kernels of counting that can be asked one by one; the others are checked through the engine."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.counting import naive_bits_set, naive_tally_ns, naive_zeta
from understudy.counting import _kernels

tables = st.integers(0, 5).flatmap(lambda width: st.lists(st.integers(0, 99), min_size=1 << width, max_size=1 << width))


@given(st.integers(0, 2**64 - 1))
def test_the_bits_of_a_word_are_counted(word):
    assert int(_kernels.bits_set(np.uint64(word))) == naive_bits_set(word)


@given(tables)
def test_zeta_counts_rows_with_at_least_a_patterns_ones_and_moebius_undoes_it(counts):
    width, table = len(counts).bit_length() - 1, np.array(counts, dtype=np.int64)
    _kernels.zeta(width, table)
    assert table.tolist() == naive_zeta(counts, width)
    _kernels.moebius(table)
    assert table.tolist() == counts


@given(st.one_of(st.integers(1, 1 << 23), st.sampled_from([4096, 4097, 1 << 16, (1 << 16) + 1, 1 << 21])))
def test_larger_tables_are_predicted_to_cost_more(cells):
    steps = {4096: 0.5, 1 << 16: 1.0, 1 << 21: 1.8}
    assert _kernels.tally_ns(float(cells)) == naive_tally_ns(cells, steps, beyond=7.0)
