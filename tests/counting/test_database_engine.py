"""Rows counted on their server: cell by cell the codes and the faults that reading them here gives."""

import re
from itertools import combinations

import numpy as np
import pytest

from tests.counting.odd_cells import FIELDS, RANGE, VALUES
from tests.databases.loading import ask, named
from understudy._core.errors import OptionError, TableError
from understudy.counting import open_counter
from understudy.schema import Marginal, Schema, recode
from understudy.tables import DeclaredRows, open_source


def field_of(content, name):
    return {"name": name, **content}


@pytest.fixture(scope="module")
def kinds(postgres):
    """A table for each type: its values once, twice, thrice, …, and a missing one."""
    ask(
        postgres,
        "CREATE TYPE mood AS ENUM ('f', 'm')",
        "CREATE DOMAIN smaller AS int4",
        "CREATE DOMAIN small AS smaller",
    )
    for place, (kind, values) in enumerate(VALUES.items()):
        cells = [value for times, value in enumerate(values) for _ in range(times % 3 + 1)]
        rows = ",".join(f"({_literal(value)}::{kind})" for value in cells)
        ask(postgres, f"CREATE TABLE kind_{place} (v {kind})", f"INSERT INTO kind_{place} VALUES {rows}, (NULL)")
    return {kind: named(postgres, f"kind_{place}") for place, kind in enumerate(VALUES)}


def _literal(text):
    return "'" + text.replace("'", "''") + "'"


def counted(address, schema, **how):
    """The counts of all columns and pairs, or the faults, without the numbers of rows."""
    try:
        counter = open_counter(address, schema, **{"engine": "auto", **how})
    except TableError as error:
        return [re.sub(r" \(rows? [0-9, …]+\)", "", fault) for fault in error.faults]
    columns = range(len(schema.fields))
    asked = [Marginal.of(), *map(Marginal.of, columns), *(Marginal.of(*pair) for pair in combinations(columns, 2))]
    return [table.tolist() for table in counter.count(asked)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", VALUES)
def test_a_column_of_any_type_gives_the_counts_and_faults_of_reading_it(kinds, kind):
    told, source = 0, open_source(kinds[kind])
    for content in FIELDS.values():
        schema = Schema.from_dict({"missingValues": ["", "NA"], "fields": [field_of(content, "v")]})
        there = counted(source, schema, engine="database")
        assert there == counted(source, schema, engine="memory", pull=True), content
        told += isinstance(there[0], str)
    assert 0 < told < len(FIELDS) or kind in ("interval", "int4[]", "jsonb", "timestamptz", "bytea")


CASELESS = {
    "flag": {"type": "boolean", "trueValues": ["a", "B", "é"], "falseValues": ["A", "b", "É"]},
    "flag with other cells": {"type": "boolean", "trueValues": ["a", "b", "é"], "falseValues": ["zz"]},
    "letter": {"categories": ["a", "A", "b", "B", "é", "É"]},
    "letter of some": {"categories": ["a", "b"]},
}


def test_texts_that_a_collation_takes_for_equal_are_counted_apart(postgres):
    if not ask(postgres, "SELECT 1 AS one FROM pg_collation WHERE collprovider = 'i' LIMIT 1").num_rows:
        pytest.skip("this PostgreSQL was built without ICU, so that no collation takes different texts for equal")
    ask(
        postgres,
        "CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE letters (v text COLLATE caseless, w varchar(20) COLLATE caseless, d text COLLATE caseless)",
        "INSERT INTO letters SELECT (ARRAY['a','A','b','B','é','É'])[1 + g % 6], (ARRAY['a','A','b'])[1 + g % 3], "
        "(ARRAY['1 jan 2020','1 JAN 2020','2 Feb 2020','2 feb 2020'])[1 + g % 4] FROM generate_series(1, 77) g",
    )
    source = open_source(named(postgres, "letters"))
    day = {"type": "date", "format": "%d %b %Y", "bins": 12}
    year = {"constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}}
    told = 0
    for content in CASELESS.values():
        fields = [field_of(content, "v"), field_of({**CASELESS["flag"]}, "w"), field_of({**day, **year}, "d")]
        schema = Schema.from_dict({"fields": fields})
        there = counted(source, schema, engine="database")
        assert there == counted(source, schema, engine="memory", pull=True), content
        told += isinstance(there[0], str)
    assert told == 2


def test_a_view_with_other_values_each_time_ends_in_a_sentence(postgres, recwarn):
    now = "(extract(epoch FROM clock_timestamp()) * 1000000)::int8::text"
    ask(postgres, f"CREATE VIEW drifting AS SELECT {now} AS v, g::text AS w FROM generate_series(1, 3) g")
    fields = [field_of({"type": "integer", "bins": 2, "constraints": {"minimum": 0, "maximum": 10**18}}, "v"),
              field_of({"categories": ["1", "2", "3"]}, "w")]  # fmt: skip
    counter = open_counter(named(postgres, "drifting"), Schema.from_dict({"fields": fields}), engine="auto")
    for asked in (counter, counter.recoded(recode(counter.domain, "binary"))):
        with pytest.raises(TableError, match="not what it was in the first pass"):
            asked.count([Marginal.of(0, 1)])
    assert not recwarn.list


@pytest.mark.parametrize("seed", range(3))
def test_random_tables_give_the_same_counts(postgres, seed):
    rng = np.random.default_rng(seed)
    ask(
        postgres,
        f"SELECT setseed(0.{seed + 1})",
        "DROP TABLE IF EXISTS drawn CASCADE",
        """CREATE TABLE drawn AS SELECT
        CASE WHEN random() < .1 THEN NULL ELSE 'c' || (random() * 30)::int END AS "a ""b",
        (random() * 100 - 5)::int AS whole, random() * 3 AS number, (random() * 9)::numeric(4, 1) AS exact,
        random() < .3 AS flag, date '2020-01-01' + (random() * 400)::int AS day,
        timestamp '2020-01-01' + random() * interval '400 days' AS moment, (random() * 50)::int::text AS written
        FROM generate_series(1, 500)""",
    )
    days = {"minimum": "2020-01-10", "maximum": "2020-12-31"}
    fields = [
        {"name": 'a "b', "categories": [f"c{i}" for i in range(25)], "outside": "other"},
        {"name": "whole", "type": "integer", "bins": int(rng.integers(2, 9)), "constraints": RANGE, "outside": "clip"},
        {"name": "number", "type": "number", "bins": 6, "constraints": {"minimum": 0, "maximum": 3}},
        {"name": "exact", "type": "number", "bins": 9, "constraints": {"minimum": 0, "maximum": 9}},
        {"name": "flag", "type": "boolean"},
        {"name": "day", "type": "date", "bins": 5, "constraints": days, "outside": "other"},
        {"name": "moment", "type": "datetime", "bins": 4, "outside": "clip", "constraints": {
            "minimum": "2020-02-01T00:00:00", "maximum": "2020-12-31T00:00:00"}},
        {"name": "written", "type": "integer", "bins": 7, "constraints": {"minimum": 0, "maximum": 50}},
    ]  # fmt: skip
    schema = Schema.from_dict({"missingValues": [""], "fields": fields})
    there = counted(named(postgres, "drawn"), schema)
    assert there[0] == 500
    assert there == counted(named(postgres, "drawn"), schema, engine="memory", pull=True)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("zone", ["Europe/Paris", "America/New_York", "Asia/Kolkata", "UTC"])
def test_clocks_of_a_zone_show_the_same_there_and_here(postgres, monkeypatch, zone):
    """Around every change of the clock of a century, by the rules of this machine."""
    ask(
        postgres,
        "CREATE TABLE IF NOT EXISTS moments AS SELECT timestamptz '1938-01-01 00:00:00+00' + g * interval '17 hours 13 "
        "minutes 7 seconds' AS v FROM generate_series(1, 55000) g",
    )
    monkeypatch.setattr("understudy.counting._open_database.MOST_VALUES", 10)
    limits = {"minimum": "1940-01-01T00:00:00", "maximum": "2044-12-31T23:59:59"}
    field = {"name": "v", "type": "datetime", "timezone": zone, "bins": 9973, "constraints": limits, "outside": "clip"}
    schema, source = Schema.from_dict({"fields": [field]}), open_source(named(postgres, "moments"))
    assert counted(source, schema) == counted(source, schema, engine="memory", pull=True)


@pytest.fixture(scope="module")
def pairs(postgres):
    ask(
        postgres,
        "CREATE TABLE pairs AS SELECT (g % 5)::int AS low, (g % 7)::int AS high, "
        "CASE WHEN g % 3 = 0 THEN 'yes' ELSE 'no' END AS one FROM generate_series(1, 105) g",
    )
    return named(postgres, "pairs")


def ordered(policy):
    number = {"type": "integer", "constraints": {"minimum": 0, "maximum": 6}, "bins": 7}
    return Schema.from_dict({
        "fields": [{"name": "low", **number}, {"name": "high", **number}, {"name": "one", "categories": ["no", "yes"]}],
        "dependencies": [{"lower": "low", "upper": "high"}, {"impossible": {"one": "yes", "high": "6"}}],
        "brokenRows": policy,
    })  # fmt: skip


@pytest.mark.parametrize("dropping", [True, False])
@pytest.mark.parametrize("policy", ["refuse", "drop"])
def test_what_is_declared_of_rows_is_looked_at_on_the_server(pairs, policy, dropping):
    schema = ordered(policy)
    declared = DeclaredRows(fields=schema.fields, dependencies=schema.dependencies, policy=policy, dropping=dropping)
    there = counted(pairs, schema, declared=declared)
    assert there == counted(pairs, schema, declared=declared, engine="memory", pull=True)
    assert isinstance(there[0], str) == (policy == "refuse" or not dropping)


def test_that_no_row_is_left_refuses_nothing(pairs):
    written = ordered("drop").to_dict()
    written["dependencies"] = [{"impossible": {"low": "0..4", "high": high}} for high in ("0..5", "6")]
    schema = Schema.from_dict(written)
    declared = DeclaredRows(fields=schema.fields, dependencies=schema.dependencies, policy="drop", dropping=True)
    there = counted(pairs, schema, declared=declared)
    assert there[0] == 0
    assert there == counted(pairs, schema, declared=declared, engine="memory", pull=True)


def test_what_needs_the_rows_is_refused_and_says_how_to_have_it(pairs, monkeypatch, postgres):
    from understudy._core.randomness import Streams
    from understudy.counting import UnitRule

    schema = ordered("mend")
    declared = DeclaredRows(fields=schema.fields, dependencies=schema.dependencies, policy="mend", dropping=True)
    with pytest.raises(OptionError, match=r"mended one by one.*--pull"):
        open_counter(pairs, schema, declared=declared, engine="auto")
    few = Schema.from_dict({"fieldsMatch": "subset", "fields": [{"name": "one", "categories": ["no", "yes"]}]})
    with pytest.raises(OptionError, match=r"one by one.*--pull"):
        open_counter(pairs, few, engine="auto", unit=UnitRule(column="low", max_rows=2, coins=Streams(1)))
    monkeypatch.setattr("understudy.counting._open_database.MOST_VALUES", 3)
    ask(postgres, "CREATE TABLE many AS SELECT g::text AS v FROM generate_series(1, 9) g")
    number = Schema.from_dict({"fields": [field_of({"type": "integer", "bins": 2, "constraints": RANGE}, "v")]})
    with pytest.raises(OptionError, match=r"more than 3 different values.*--pull"):
        open_counter(named(postgres, "many"), number, engine="auto")


def test_rows_to_be_mended_are_refused_whether_or_not_there_are_any(postgres):
    """Else whoever knows that a table is published without --pull knows that no row of it was broken."""
    ask(postgres, "CREATE TABLE in_order AS SELECT 1 AS low, 2 AS high, 'no' AS one")
    schema = ordered("mend")
    declared = DeclaredRows(fields=schema.fields, dependencies=schema.dependencies, policy="mend", dropping=True)
    with pytest.raises(OptionError, match=r"mended one by one.*--pull"):
        open_counter(named(postgres, "in_order"), schema, declared=declared, engine="auto")


def test_where_no_row_by_itself_can_break_anything_none_is_to_be_mended(postgres):
    ask(postgres, "CREATE TABLE told AS SELECT 1 AS low, 2 AS high, 'no' AS one")
    written = ordered("mend").to_dict() | {"dependencies": [{"determines": ["low"], "column": "one"}]}
    schema = Schema.from_dict(written)
    declared = DeclaredRows(fields=schema.fields, dependencies=schema.dependencies, policy="mend", dropping=True)
    assert counted(named(postgres, "told"), schema, declared=declared)[0] == 1


def test_a_table_without_rows_and_columns_that_are_not_declared_are_refused_as_ever(postgres):
    ask(postgres, "CREATE TABLE empty_one (v int)")
    schema = Schema.from_dict({"fields": [field_of({"type": "integer", "bins": 2, "constraints": RANGE}, "v")]})
    for how in ({"engine": "auto"}, {"engine": "memory", "pull": True}):
        with pytest.raises(TableError, match="no rows"):
            open_counter(named(postgres, "empty_one"), schema, **how)
        with pytest.raises(TableError, match="none of the columns"):
            open_counter(named(postgres, "empty_one"), ordered("drop"), **how)


def test_texts_that_would_fit_but_for_capitals_are_told_of(postgres):
    ask(postgres, "CREATE TABLE near_ones AS SELECT unnest(ARRAY['F', ' f', 'f', 'x', 'm ']) AS v")
    schema = Schema.from_dict({"fields": [field_of(FIELDS["sex"], "v")]})
    [fault] = counted(named(postgres, "near_ones"), schema)
    assert "4 values are not among its 2 categories. 3 of them would fit but for spaces or capitals." in fault
    assert [fault] == counted(named(postgres, "near_ones"), schema, engine="memory", pull=True)


def test_texts_that_nobody_declared_stay_on_the_server(postgres, monkeypatch):
    ask(postgres, "CREATE TABLE strangers AS SELECT 'Jane ' || g AS v FROM generate_series(1, 50) g")
    schema, source = (
        Schema.from_dict({"fields": [field_of(FIELDS["sex"], "v")]}),
        open_source(named(postgres, "strangers")),
    )
    came, asked = [], type(source.server).ask
    monkeypatch.setattr(type(source.server), "ask", lambda self, sql: came.append(asked(self, sql)) or came[-1])
    [fault] = counted(source, schema)
    assert "50 values are not among its 2 categories" in fault
    assert came
    assert "Jane" not in str([table.to_pylist() for table in came])


def test_spaces_and_capitals_of_any_script_are_told_of(postgres):
    ask(postgres, "CREATE TABLE scripts AS SELECT unnest(ARRAY['ÉTÉ', ' été', U&'\\00A0été', 'hiver', 'été']) AS v")
    schema = Schema.from_dict({"fields": [field_of({"categories": ["été", "automne"]}, "v")]})
    [fault] = counted(named(postgres, "scripts"), schema)
    assert "4 values are not among its 2 categories. 3 of them would fit but for spaces or capitals." in fault
    assert [fault] == counted(named(postgres, "scripts"), schema, engine="memory", pull=True)


def test_by_default_rows_stay_and_engines_that_need_them_are_refused(pairs):
    schema = Schema.from_dict({"fieldsMatch": "subset", "fields": [{"name": "one", "categories": ["no", "yes"]}]})
    for engine in ("memory", "stream"):
        with pytest.raises(OptionError, match="--pull"):
            open_counter(pairs, schema, engine=engine)
        assert counted(pairs, schema, engine=engine, pull=True) == counted(pairs, schema)
