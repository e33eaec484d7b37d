"""Associations of pairs of columns equal what pandas, scipy and scikit-learn say of the same rows."""

from __future__ import annotations

from math import isnan, log

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import spearmanr
from scipy.stats.contingency import association
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score

from tests.evaluation.samples import SCHEMA, pairs, random_pair
from understudy.evaluation import AssociationMatrices, Pair, make_references, measure_associations, pair_of_codes
from understudy.evaluation import _association as module
from understudy.evaluation._scales import scales_of
from understudy.schema import Schema
from understudy.tables import Table


def matrices_of(pair: Pair) -> dict[str, AssociationMatrices]:
    found = measure_associations(pair, make_references(pair))
    return {matrices.name: matrices for one in found for matrices in one.matrices}


def crossed(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    table = np.zeros((int(x.max()) + 1, int(y.max()) + 1), dtype=np.int64)
    np.add.at(table, (x, y), 1)
    table = table[table.sum(axis=1) > 0]
    return table[:, table.sum(axis=0) > 0]


@pytest.mark.slow
@settings(max_examples=10)
@given(pair=pairs())
def test_all_three_equal_other_libraries(pair: Pair) -> None:
    found, scales = matrices_of(pair), scales_of(pair)
    for side, table in (("real", pair.real), ("synthetic", pair.first)):
        for i, x in enumerate(table.columns):
            for j, y in enumerate(table.columns):
                if i >= j:
                    continue
                cells = crossed(x, y)
                v = association(cells, method="cramer") if min(cells.shape) > 1 else 0.0
                assert getattr(found["Cramér's V"], side)[i, j] == pytest.approx(v, abs=1e-9)
                bits = mutual_info_score(x, y) / log(2)
                assert getattr(found["mutual information (bits)"], side)[i, j] == pytest.approx(bits, abs=1e-9)
                both_constant = min(cells.shape) == max(cells.shape) == 1
                share = 0.0 if both_constant else normalized_mutual_info_score(x, y)
                assert getattr(found["mutual information"], side)[i, j] == pytest.approx(share, abs=1e-9)
        ordered = [i for i, scale in enumerate(scales) if scale.ordered]
        for a, i in enumerate(ordered):
            for b, j in enumerate(ordered):
                x, y = scales[i].places[table.columns[i]], scales[j].places[table.columns[j]]
                both = (x >= 0) & (y >= 0)
                got = getattr(found["Spearman"], side)[a, b]
                if a == b:
                    assert got == 1
                elif len(set(x[both])) < 2 or len(set(y[both])) < 2:
                    assert isnan(got)
                else:
                    assert got == pytest.approx(spearmanr(x[both], y[both]).statistic, abs=1e-9)


def test_values_and_references_stand_in_their_order() -> None:
    pair, references = random_pair(n_real=3000, n_synthetic=3000)
    for found in measure_associations(pair, references):
        assert found.fresh_sample is not None
        assert found.independent_columns is not None
        assert found.fresh_sample < found.value < found.independent_columns
        assert found.details is not None
        assert found.worst is not None
        first = found.details.to_pylist()[0]
        assert (first["column_1"], first["column_2"]) == found.worst[0]
        assert found.details["difference"].to_pylist() == sorted(found.details["difference"].to_pylist(), reverse=True)
        assert first["difference"] == pytest.approx(abs(first["real"] - first["synthetic"]))
        assert "independent columns" in found.verdict


def test_a_table_against_itself_differs_by_nothing() -> None:
    pair, references = random_pair()
    same = pair_of_codes(SCHEMA, pair.real, [pair.real])
    assert [found.value for found in measure_associations(same, references)] == [0, 0, 0]


def test_tables_too_wide_to_set_out_are_counted_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, _ = random_pair()
    dense = matrices_of(pair)
    monkeypatch.setattr(module, "_LARGEST", 5)
    sparse = matrices_of(pair)
    monkeypatch.setattr(module, "_BATCH_CELLS", 50)
    for name in dense:
        np.testing.assert_allclose(dense[name].real, sparse[name].real)
        np.testing.assert_allclose(dense[name].real, matrices_of(pair)[name].real)


def test_one_row_and_one_column_say_why_nothing_was_measured() -> None:
    row = Table(SCHEMA.domain, tuple(np.array([0]) for _ in SCHEMA.fields))
    pair = pair_of_codes(SCHEMA, row, [row])
    information, v, spearman = measure_associations(pair, make_references(pair))
    assert information.value == v.value == 0
    assert not spearman.measured
    assert spearman.to_dict()["value"] is None
    assert "Not measured (Spearman)" in spearman.verdict
    narrow = Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]})
    single = pair_of_codes(narrow, Table(narrow.domain, (np.array([0, 1]),)), [Table(narrow.domain, (np.array([1]),))])
    assert not any(found.measured for found in measure_associations(single, make_references(single)))


def test_several_synthetic_tables_give_an_interval() -> None:
    pair, references = random_pair(draws=3)
    for found in measure_associations(pair, references):
        assert found.interval is not None
        assert found.interval[0] < found.value < found.interval[1]


def test_a_tie_of_a_single_row_is_not_the_worst() -> None:
    """A fresh sample loses it as often as not, and all else of the table can be right."""
    rng = np.random.default_rng(6)
    schema = Schema.from_dict({"fields": [{"name": name, "type": "boolean"} for name in "abcd"]})
    one = np.eye(1, 1000, dtype=np.int64)[0]
    tied, other = rng.integers(0, 2, 1000), rng.integers(0, 2, 1000)
    made = np.where(rng.random(1000) < 0.8, tied, other)
    real = Table(schema.domain, (one, one, tied, tied))
    pair = pair_of_codes(schema, real, [Table(schema.domain, (one * 0, one * 0, tied, made))])
    for found in measure_associations(pair, make_references(pair))[:2]:
        assert found.worst is not None
        assert found.worst[0] == ("c", "d")
        assert found.details is not None
        assert found.details.to_pylist()[0]["difference"] == found.worst[1] < 1
        assert max(found.details["difference"].to_pylist()) == 1
