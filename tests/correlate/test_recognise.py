"""Recognising from end to end: the bundled people, small tables, and tables with nobody to find."""

from __future__ import annotations

import csv
import gzip
import inspect
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts import make_people

import understudy as us
from understudy import demo
from understudy._core.randomness import streams
from understudy.correlate import TAGS, Correlation, Links
from understudy.correlate._blocking import Blocking, Key, candidate_pairs
from understudy.correlate._copies import with_copies
from understudy.correlate._fields import FieldMap, read_fields, tag_of
from understudy.correlate._grouping import bounded_groups
from understudy.correlate._recognise import _read
from understudy.options import CorrelateOptions, options_of
from understudy.tables import Source, open_source

FIELDS = "name,birthday,address,email,phone,id"


@pytest.fixture(scope="module")
def truth() -> list[int]:
    """Who each row of the bundled people is."""
    return make_people.numbers_of_rows()


@pytest.fixture(scope="module")
def unlabelled() -> Correlation:
    return us.correlate(demo.people_path(), fields=FIELDS)


def true_pairs(truth: list[int]) -> set[tuple[int, int]]:
    rows: dict[int, list[int]] = {}
    for row, number in enumerate(truth):
        rows.setdefault(number, []).append(row)
    return {pair for members in rows.values() for pair in combinations(members, 2)}


def linked_pairs(found: Correlation) -> set[tuple[int, int]]:
    assert found.groups.links is not None
    first, second, _ = found.groups.links.pairs()
    return set(zip(first.tolist(), second.tolist(), strict=True))


def f1(found: set[tuple[int, int]], true: set[tuple[int, int]]) -> float:
    return 2 * len(found & true) / (len(found) + len(true))


def test_the_bundled_people_are_what_the_script_makes(tmp_path: Path) -> None:
    make_people.main(str(tmp_path))
    assert (tmp_path / "people.pairs.csv").read_bytes() == demo.people_pairs_path().read_bytes()
    made = gzip.decompress((tmp_path / "people.csv.gz").read_bytes())
    assert made == gzip.decompress(demo.people_path().read_bytes())


def test_the_bundled_labels_are_true(truth: list[int]) -> None:
    with demo.people_pairs_path().open() as file:
        labels = list(csv.DictReader(file))
    assert len(labels) == 600
    for label in labels:
        assert (truth[int(label["row_a"])] == truth[int(label["row_b"])]) == (label["same"] == "1")


@pytest.mark.slow
def test_most_duplicates_of_the_bundled_people_are_found_without_labels(
    unlabelled: Correlation, truth: list[int]
) -> None:
    assert f1(linked_pairs(unlabelled), true_pairs(truth)) > 0.9


@pytest.mark.slow
def test_most_duplicates_that_nobody_labelled_are_found_with_labels(truth: list[int]) -> None:
    found = us.correlate(demo.people_path(), fields=FIELDS, labels=demo.people_pairs_path())
    with demo.people_pairs_path().open() as file:
        known = {(int(label["row_a"]), int(label["row_b"])) for label in csv.DictReader(file)}
    assert f1(linked_pairs(found) - known, true_pairs(truth) - known) > 0.8


@pytest.mark.slow
def test_groups_keep_the_bound_and_degrees_the_threshold(unlabelled: Correlation) -> None:
    groups = unlabelled.groups
    assert groups.sizes.sum() == groups.n_rows == 4000
    assert groups.sizes.max() <= groups.max_rows
    assert groups.links is not None
    assert (np.abs(groups.links.degrees) >= 0.6).all()


@pytest.mark.slow
def test_the_same_seed_recognises_the_same(unlabelled: Correlation) -> None:
    again = us.correlate(demo.people_path(), fields=FIELDS)
    assert linked_pairs(again) == linked_pairs(unlabelled)


def test_blocking_loses_few_duplicates_of_the_bundled_people(truth: list[int]) -> None:
    source = open_source(demo.people_path())
    columns = read_fields(source, FieldMap.read(FIELDS, source.names))
    records, _ = with_copies(columns, len(truth), n_copies=10, rng=streams(0).get("copies"))
    first, second = candidate_pairs(records.keys(), records.order)
    found = set(zip(first.tolist(), second.tolist(), strict=True))
    assert len(found & true_pairs(truth)) > 0.99 * len(true_pairs(truth))
    assert len(found) < 0.02 * len(truth) ** 2


@pytest.mark.slow
def test_a_table_without_duplicates_gets_hardly_any_found(truth: list[int]) -> None:
    rows, seen = [], set()
    for row, number in enumerate(truth):
        if number not in seen:
            rows.append(row)
        seen.add(number)
    with gzip.open(demo.people_path(), "rt", encoding="utf-8") as file:
        people = list(csv.DictReader(file))
    table = pa.Table.from_pylist([people[row] for row in rows])
    found = us.correlate(table, fields=FIELDS)
    assert len(linked_pairs(found)) < 0.01 * len(rows)


@st.composite
def _links(draw: st.DrawFn) -> Links:
    n = draw(st.integers(1, 9))
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    degrees = draw(st.lists(st.sampled_from([-0.9, 0.6, 0.7, 0.9]), min_size=len(chosen), max_size=len(chosen)))
    return Links.of_pairs(n, [a for a, _ in chosen], [b for _, b in chosen], degrees)


@given(_links(), st.integers(1, 9))
def test_groups_are_components_as_far_as_the_bound_allows(links: Links, bound: int) -> None:
    whole, groups = bounded_groups(links, links.n_rows), bounded_groups(links, bound)
    assert np.bincount(groups).max() <= bound
    for one, other in _neighbours(links):
        assert whole[one] == whole[other]
        if groups[one] != groups[other]:  # a link is cut only where the bound would be exceeded
            assert (groups == groups[one]).sum() + (groups == groups[other]).sum() > bound
    assert all(len(set(whole[groups == group])) == 1 for group in set(groups.tolist()))


def _neighbours(links: Links) -> Iterator[tuple[int, int]]:
    first, second, _ = links.pairs()
    yield from zip(first.tolist(), second.tolist(), strict=True)


def test_the_weakest_link_of_a_component_is_cut() -> None:
    links = Links.of_pairs(6, [0, 1, 2, 3, 4], [1, 2, 3, 4, 5], [0.9, 0.95, 0.61, 0.99, 0.8])
    assert bounded_groups(links, 5).tolist() == [0, 0, 0, 3, 3, 3]


@given(st.lists(st.integers(0, 4), min_size=2, max_size=14))
def test_all_pairs_of_small_blocks_are_candidates(numbers: list[int]) -> None:
    key = Key("x", np.array(numbers, dtype=np.uint64), frozenset({0}))
    first, second = candidate_pairs([key], np.arange(len(numbers)))
    expected = {(a, b) for a, b in combinations(range(len(numbers)), 2) if numbers[a] == numbers[b] != 0}
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == expected
    assert len(first) == len(expected)


def test_in_a_large_block_each_row_meets_its_neighbours() -> None:
    key = Key("x", np.ones(50, dtype=np.uint64), frozenset({0}))
    first, second = candidate_pairs([key], np.arange(50)[::-1], Blocking(block=10, window=3))
    assert set((second - first).tolist()) == {1, 2, 3}
    assert len(first) == 49 + 48 + 47


def test_keys_are_used_as_long_as_there_is_room() -> None:
    rare = Key("rare", np.array([1, 1, 0, 0, 0, 0], dtype=np.uint64), frozenset({0}))
    common = Key("common", np.ones(6, dtype=np.uint64), frozenset({1}))
    settings = Blocking(pairs_per_row=1, least_pairs=10)
    assert len(candidate_pairs([common, rare], np.arange(6), settings)[0]) == 1


def test_opposed_records_get_negative_degrees() -> None:
    table = pa.table({"name": ["ann lee", "bob ray", "cid fox", "dan day"], "born": ["1990-01-02"] * 4})
    labels = pa.table({"row_a": [0, 0, 2], "row_b": [1, 2, 3], "same": [1, 0, -1]})
    found = us.correlate(table, fields="name,born", labels=labels)
    assert found.groups.links is not None
    assert found.groups.links.dense()[2, 3] == -1
    assert found.groups.links.dense()[0, 1] == 1
    assert found.groups.of_row[2] == found.groups.of_row[3]


def test_fields_are_found_by_the_names_of_columns() -> None:
    expected = {"given_name": "N", "surname": "N", "date_of_birth": "B", "dob": "B", "street_number": "A"}
    expected |= {"address_1": "A", "email_address": "E", "e_mail": "E", "mobilePhone": "P", "soc_sec_id": "I"}
    for name, letter in expected.items():
        found = tag_of(name)
        assert found is TAGS[letter], name
    assert tag_of("income") is None


def test_the_function_takes_what_is_declared() -> None:
    declared = {option.name: option.default for option in options_of(CorrelateOptions) if not option.required}
    taken = inspect.signature(us.correlate).parameters
    assert {name: taken[name].default for name in declared} == declared
    assert set(taken) == {"source", "fields", "progress", *declared}


def test_a_mapping_of_columns_to_tags_will_do() -> None:
    table = pa.table({"a": ["ann lee", "bob ray", "ann leee"], "b": ["1990-01-02", "1950-12-30", "1990-01-02"]})
    assert us.correlate(table, fields={"a": "N", "b": "B"}).groups.of_row.tolist() == [0, 1, 0]


def test_the_room_and_the_function_have_one_name() -> None:
    import understudy.correlate

    assert us.correlate is understudy.correlate
    assert callable(understudy.correlate)


@pytest.mark.parametrize("key", ["number", "name"])
def test_keys_belong_to_their_rows_where_each_reading_has_another_order(key: str) -> None:
    names = [f"ann {letter}" for letter in "abcdefghijklmnopqrst"]
    table = pa.table({"name": names, "number": names})
    readings = iter(range(9))

    def batches(wanted: Any, rows: int = 0) -> Any:
        order = np.random.default_rng(next(readings)).permutation(20)
        return (batch.columns for batch in table.select(list(wanted)).take(order).to_batches(7))

    source = Source(kind="duckdb", names=("name", "number"), batches=batches)
    columns, keys = _read(source, FieldMap.read(["name"], source.names), key, lambda stage, done, total: None)
    [(_, found)] = next(iter(columns.values()))
    assert keys is not None
    assert found.words[found.codes].tolist() == keys.to_pylist()
