"""Before the charge: everything that will be written has a form as bytes, and the disk has room for it."""

from collections import namedtuple

import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from understudy import demo
from understudy.cli._main import run as run_command
from understudy.release import CardFacts, Writing, rehearse_writing
from understudy.schema import Schema


def writing(schema=SCHEMA, **changes):
    given = {"format": "csv", "delimiter": ",", "unit": "one row", "facts": CardFacts()} | changes
    return Writing(schema=Schema.from_dict(schema), **given)


def room_for(monkeypatch, mebibytes):
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": mebibytes << 20})())


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_billion_rows_are_refused_where_a_few_megabytes_are_free(tmp_path, monkeypatch, format):
    room_for(monkeypatch, 24)
    rehearse_writing(tmp_path, writing(format=format), n_rows=1_000)
    with pytest.raises(
        us.OutputError, match=r"has 24 MiB left .* may need [\d,]+ MiB\. Nothing was spent\. .*fewer rows"
    ):
        rehearse_writing(tmp_path, writing(format=format), n_rows=10**9)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_room_that_is_asked_for_is_about_what_the_release_takes(tmp_path, monkeypatch, format):
    release = us.publish(people(), schema=SCHEMA, epsilon=1, n=200_000, format=format, out=tmp_path / "release")
    taken = release.synthetic.stat().st_size / 2**20
    room_for(monkeypatch, int(16 + taken / 3))
    with pytest.raises(us.OutputError, match="may need"):
        rehearse_writing(tmp_path, writing(format=format), n_rows=200_000)
    room_for(monkeypatch, int(17 + 3 * taken))
    rehearse_writing(tmp_path, writing(format=format), n_rows=200_000)


def test_without_a_number_of_rows_the_input_stands_for_the_output(tmp_path, monkeypatch):
    room_for(monkeypatch, 24)
    rehearse_writing(tmp_path, writing(), n_rows=None, n_bytes=4 << 20)
    with pytest.raises(us.OutputError, match="may need 46 MiB"):
        rehearse_writing(tmp_path, writing(), n_rows=None, n_bytes=30 << 20)


@pytest.mark.parametrize(
    "changes",
    [
        {"unit": "one p\udce9rson"},
        *({"facts": CardFacts(**{name: "caf\udce9"})} for name in ("license", "creator", "url")),
        {"schema": {"name": "t\udce9", "fields": [{"name": "a", "type": "boolean"}]}},
        {"schema": {"fields": [{"name": "caf\udce9", "type": "boolean"}]}},
        {"schema": {"fields": [{"name": "a", "categories": ["x", "caf\udce9"]}]}},
        {"schema": {"fields": [{"name": "a", "categories": ["x", "caf\udce9"]}]}, "format": "parquet"},
    ],
)
def test_a_text_that_has_no_form_as_bytes_is_refused(tmp_path, changes):
    with pytest.raises(us.UserError) as refused:
        rehearse_writing(tmp_path, writing(**changes), n_rows=10)
    str(refused.value).encode()  # the sentence itself can be told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["unit", "license", "creator", "url"])
def test_a_byte_that_is_not_utf_8_costs_nothing(tmp_path, monkeypatch, option, capsys):
    from understudy.cli._main import run

    monkeypatch.chdir(tmp_path)
    arguments = ["publish", "demo", "--ledger", "budget.db", "--cap", "2", f"--{option}", "caf\udce9"]
    assert run(arguments) == 2
    assert "stays in the ledger" not in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_more_rows_than_the_disk_has_room_for_are_refused_before_any_is_drawn(tmp_path, monkeypatch, capsys):
    model = us.PrivBayes(epsilon=1, seed=1).fit(demo.table_path(), demo.schema_path())
    model.save(tmp_path / "model.understudy")
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda place: usage(1 << 30, 0, 24 << 20))
    for name in ("rows.csv", "rows.csv.gz", "rows.parquet"):
        words = ["sample", str(tmp_path / "model.understudy"), "-n", "1e9", "-o", str(tmp_path / name)]
        assert run_command(words) == 2
        assert "1,000,000,000 rows may need" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["model.understudy"]
    assert run_command([*words[:3], "1000", *words[4:]]) == 0  # few rows are not asked about


def test_rows_that_would_take_for_ever_are_refused(tmp_path):
    model = us.PrivBayes(epsilon=1, seed=1).fit(demo.table_path(), demo.schema_path())
    with pytest.raises(us.OptionError, match=r"'n' parameter must be at most 1,000,000,000,000 rows"):
        model.sample(10**30)
