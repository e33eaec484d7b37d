"""Joining parties' columns by pseudonym."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.randomize.parties import columns_of, flip, made_plan
from understudy._core.errors import OptionError, TableError
from understudy.randomize import Block, Inbox, Plan, Response, UnmixedCounts
from understudy.schema import Marginal, Schema

HOSPITAL = made_plan([2], [([0], flip("3/4"))], party="hospital")
INSURER = made_plan([3], [([0], flip("1/2", 3))], party="insurer", first=1)
EMPLOYER = made_plan([2], [([0], flip("1"))], party="employer", first=2)


def test_rows_are_matched_by_pseudonym_whatever_their_order() -> None:
    inbox = Inbox(
        [
            columns_of(HOSPITAL, [[0], [1], [1], [0]], [4, 1, 3, 2]),
            columns_of(INSURER, [[2], [1], [0]], [3, 4, 9]),
            columns_of(EMPLOYER, [[1], [0], [0], [0]], [3, 5, 6, 4]),
        ]
    )
    assert inbox.schema.names == ("c0", "c1", "c2")
    assert inbox.n == 2
    assert [column.tolist() for column in inbox.table.columns] == [[1, 0], [2, 1], [1, 0]]
    assert inbox.table_of([0]).n == 4
    assert inbox.table_of([1, 0]).n == 2
    assert len(inbox.notes) == 3
    assert "hospital: 2 of 4 rows" in inbox.notes[0]


def test_a_marginal_uses_all_rows_that_its_parties_share() -> None:
    inbox = Inbox([columns_of(HOSPITAL, [[0], [1], [1]], [1, 2, 3]), columns_of(INSURER, [[2], [1]], [3, 4])])
    alone, both, nothing = UnmixedCounts(inbox).published([Marginal.of(0), Marginal.of(1, 0), Marginal.of()])
    assert (alone.n, both.n, nothing.n) == (3, 1, 1)
    assert both.table.tolist() == [[0, 0], [0, 0], [0, 1]]
    # as a counter, all tables have the same number of rows
    assert [table.sum() for table in UnmixedCounts(inbox).count([Marginal.of(0), Marginal.of(1, 0)])] == [1, 1]


@pytest.mark.parametrize("ties", [False, True])
def test_a_join_of_many_rows_agrees_with_a_dictionary(ties: bool) -> None:
    draws = np.random.default_rng(5)
    people = [draws.permutation(3000)[:2000] for _ in range(2)]
    codes = [draws.integers(0, size, 2000) for size in (2, 3)]
    parties = []
    for plan, persons, column in zip((HOSPITAL, INSURER), people, codes, strict=True):
        keys = np.column_stack([persons // (7 if ties else 1), persons]).astype(np.uint64)
        parties.append(columns_of(plan, column.reshape(-1, 1).tolist()))
        object.__setattr__(parties[-1], "pseudonyms", keys)
    joined = Inbox(parties).table
    first, second = (dict(zip(p.tolist(), c.tolist(), strict=True)) for p, c in zip(people, codes, strict=True))
    wanted = sorted((first[person], second[person]) for person in first.keys() & second.keys())
    assert sorted(zip(*(column.tolist() for column in joined.columns), strict=True)) == wanted


def test_one_party_alone_needs_no_pseudonyms_and_several_do() -> None:
    assert Inbox([columns_of(HOSPITAL, [[0], [1]])]).n == 2
    with pytest.raises(OptionError, match=r"insurer: no pseudonyms.*never matched by their order"):
        Inbox([columns_of(HOSPITAL, [[0]], [1]), columns_of(INSURER, [[0]])])


def test_other_people_and_another_secret_are_told_apart() -> None:
    with pytest.raises(TableError, match="nobody is in hospital and insurer: they were made with the same secret"):
        Inbox([columns_of(HOSPITAL, [[0]], [1]), columns_of(INSURER, [[0]], [2])])
    with pytest.raises(OptionError, match="hospital and insurer were made with different secrets"):
        Inbox([columns_of(HOSPITAL, [[0]], [1], secret_check="a"), columns_of(INSURER, [[0]], [2], secret_check="b")])


def test_a_column_in_two_files_and_the_same_plan_twice_are_refused() -> None:
    other = made_plan([2], [([0], flip("2/3"))], party="clinic")
    with pytest.raises(OptionError, match="column 'c0' is in two files: hospital and clinic"):
        Inbox([columns_of(HOSPITAL, [[0]], [1]), columns_of(other, [[0]], [1])])
    with pytest.raises(OptionError, match="have the same plan"):
        Inbox([columns_of(HOSPITAL, [[0]], [1]), columns_of(HOSPITAL, [[0]], [1])])


def test_a_party_may_send_its_columns_in_two_files() -> None:
    more = made_plan([2], [([0], flip("2/3"))], party="hospital", first=7)
    inbox = Inbox([columns_of(HOSPITAL, [[0], [1]], [1, 2]), columns_of(more, [[1], [0]], [2, 1])])
    assert [column.tolist() for column in inbox.table.columns] == [[0, 1], [0, 1]]
    assert inbox.notes == ()


def test_a_pseudonym_that_occurs_twice_is_refused() -> None:
    with pytest.raises(TableError, match="hospital: 1 rows have the pseudonym of another row"):
        Inbox([columns_of(HOSPITAL, [[0], [1]], [1, 1]), columns_of(INSURER, [[0]], [1])])


def test_the_schema_of_all_parties_keeps_what_each_declared() -> None:
    first = {
        "name": "hospital",
        "missingValues": ["", "NA"],
        "fields": [
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 10},
            {"name": "ward", "categories": ["a", "b", "c"], "taxonomy": [["a", "b"], "c"], "missingValues": ["?"]},
            {"name": "site", "categories": ["n", "s"], "constraints": {"required": False}},
        ],
        "dependencies": [{"determines": ["ward"], "column": "site"}],
    }
    second = {"name": "insurer", "missingValues": ["-"], "fields": [{"name": "claims", "type": "boolean"}]}
    parties = []
    for content in (first, second):
        schema = Schema.from_dict(content)
        plan = Plan(
            party=schema.name,
            schema=schema,
            blocks=tuple(
                Block(columns=(f.name,), sizes=(f.size,), matrix=Response(f.size, Fraction(1))) for f in schema.fields
            ),
        )
        parties.append(columns_of(plan, [[0] * len(schema.fields)], [1]))
    inbox = Inbox(parties)
    apart = [field for party in parties for field in party.plan.schema.fields]
    assert inbox.schema.name == "hospital and insurer"
    assert list(inbox.domain) == [field.attribute for field in apart]
    assert inbox.table.domain == inbox.domain
    again = Schema.from_dict(inbox.schema.to_dict())
    assert [field.missing_texts for field in again.fields] == [field.missing_texts for field in apart]
    assert [field.labels for field in again.fields] == [field.labels for field in apart]
    assert [one.text for one in inbox.schema.dependencies] == ["ward → site"]


def test_an_empty_inbox_is_told_in_a_sentence() -> None:
    with pytest.raises(TableError, match="no randomised files"):
        Inbox([])
