"""`understudy evaluate` as a user would run it."""

import json

import pytest

from tests.api.people import SCHEMA, people
from understudy.cli._main import run
from understudy.schema import Schema


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    people().to_csv(folder / "people.csv", index=False)
    Schema.from_dict(SCHEMA).save(folder / "people.schema.yaml")
    arguments = ["publish", str(folder / "people.csv"), "--schema", str(folder / "people.schema.yaml")]
    assert run([*arguments, "--epsilon", "1", "--out", str(folder / "release"), "--json"]) == 0
    return folder


@pytest.fixture
def home(made, tmp_path, monkeypatch):
    for name in ("people.csv", "people.schema.yaml", "release"):
        (tmp_path / name).symlink_to(made / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


EVALUATE = ["evaluate", "people.csv", "release", "--no-classifiers"]


def test_it_shows_numbers_between_their_references_and_says_they_are_private(home, capsys):
    assert run(EVALUATE) == 0
    out = capsys.readouterr().out
    for words in (
        "synthetic",
        "fresh sample",
        "independent columns",
        "2-way",
        "Tables of two and three columns differ from the real ones by",
        "Do not publish",
    ):
        assert words in out


def test_a_page_and_the_numbers_are_written(home, capsys):
    assert run([*EVALUATE, "--html", "report.html", "--json", "report.json"]) == 0
    assert "report.html" in capsys.readouterr().out
    assert "<html" in (home / "report.html").read_text()
    assert json.loads((home / "report.json").read_text())["private"].endswith("do not publish")


@pytest.mark.parametrize("place", [[*EVALUATE, "--json"], ["evaluate", "--json", "-", *EVALUATE[1:]]])
def test_a_lone_json_goes_to_the_screen_and_is_all_there_is(home, capsys, place):
    assert run(place) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["rows_real"] == 400
    assert err == ""


def test_files_that_are_there_are_kept_unless_overwritten(home, capsys):
    (home / "report.html").write_text("mine")
    assert run([*EVALUATE, "--html", "report.html"]) == 2
    assert "another --html" in capsys.readouterr().err
    assert (home / "report.html").read_text() == "mine"
    assert run([*EVALUATE, "--html", "report.html", "--overwrite"]) == 0


def test_the_public_page_needs_no_real_table_and_opens_none(home, capsys):
    assert run(["evaluate", "release", "--public", "--html", "public.html"]) == 0
    (home / "people.csv").unlink()
    assert run(["evaluate", "people.csv", "release", "--public", "--html", "again.html"]) == 0
    assert "not opened" in capsys.readouterr().err
    assert (home / "again.html").read_text() == (home / "public.html").read_text()


def test_the_demo_table_is_known_by_its_name(home, capsys):
    assert run(["publish", "demo", "--out", "demo-release", "--seed", "1", "--json"]) == 0
    assert run(["evaluate", "demo", "demo-release", "--no-classifiers", "--ways", "1,2"]) == 0
    assert "5,912" in capsys.readouterr().out


CASES = {
    "one name": ["evaluate", "people.csv"],
    "three names": ["evaluate", "people.csv", "release", "release"],
    "no such release": ["evaluate", "people.csv", "nothing"],
    "no such table": ["evaluate", "nobody.csv", "release"],
    "a table without a schema": ["evaluate", "people.csv", "people.csv"],
    "ways that are words": [*EVALUATE, "--ways", "two"],
    "no ways": [*EVALUATE, "--ways", ""],
    "zero draws": [*EVALUATE, "--draws", "0"],
    "a page without its ending": [*EVALUATE, "--html", "report.txt"],
    "a page in no folder": [*EVALUATE, "--html", "none/report.html"],
    "an unknown target": ["evaluate", "people.csv", "release", "--classifiers", "--targets", "smoke"],
    "a target without classifiers": [*EVALUATE, "--targets", "smokes"],
    "a target called as if it were none": [
        "evaluate",
        "people.csv",
        "release",
        "--classifiers",
        "--targets",
        "default",
    ],
    "no target": ["evaluate", "people.csv", "release", "--classifiers", "--targets", ","],
    "held-out rows without classifiers": [*EVALUATE, "--holdout", "people.csv"],
    "ways beyond four": [*EVALUATE, "--ways", "2,5"],
    "a negative seed": [*EVALUATE, "--seed", "-1"],
    "the release first": ["evaluate", "release", "people.csv"],
    "the synthetic table first": ["evaluate", "release/synthetic.csv", "people.csv"],
    "the release first, then the demo": ["evaluate", "release", "demo"],
    "a public page of a table": ["evaluate", "people.csv", "--public", "--html", "public.html"],
    "a public page of nothing": ["evaluate", "nothing", "--public", "--html", "public.html"],
}


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_one_sentence_and_exit_code_2(home, capsys, case):
    before = sorted(path.name for path in home.iterdir())
    assert run(CASES[case]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("understudy: ")
    assert "Traceback" not in err
    assert sorted(path.name for path in home.iterdir()) == before


def test_swapped_arguments_are_recognised_and_the_right_order_is_shown(home, capsys):
    assert run(["evaluate", "release", "people.csv", "--no-classifiers"]) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert "they look swapped" in err
    assert "understudy evaluate 'people.csv' 'release'" in err


@pytest.mark.parametrize("real", ["release", "release/synthetic.csv", "release/model.understudy"])
def test_a_release_is_no_real_table_for_a_release(home, capsys, real):
    assert run(["evaluate", real, "release", "--no-classifiers", "--ways", "1"]) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert f"'{real}' is a release" in err
    assert "Name the private table that it was made from" in err


def test_a_copy_of_a_releases_table_is_known_by_its_rows(home, capsys):
    (home / "real.csv").write_bytes((home / "release" / "synthetic.csv").read_bytes())
    assert run(["evaluate", "real.csv", "release", "--no-classifiers", "--ways", "1"]) == 2
    assert "is the release's own synthetic table" in " ".join(capsys.readouterr().err.split())


def test_a_copy_of_the_real_table_is_not_called_good(home, capsys):
    schema = ["--schema", "people.schema.yaml"]
    assert run(["evaluate", "people.csv", "people.csv", *schema, "--no-classifiers"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Single columns: CLOSER THAN CHANCE. Every column holds exactly the real values" in out
    assert "Relations: CLOSER THAN CHANCE." in out
    assert "so it may hold the real rows themselves" in out
    assert "stand in for" not in out
    assert "little more than chance" not in out


def test_the_screen_and_the_file_carry_raw_values_and_three_verdicts(home, capsys):
    assert run([*EVALUATE, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [verdict["name"] for verdict in found["verdicts"]] == ["single columns", "relations", "models"]
    assert found["numbers"][0]["real"]["mean"]
    assert run(EVALUATE) == 0
    out = " ".join(capsys.readouterr().out.split())
    for words in ("real → synthetic", "raw KS", "raw mean", "Single columns: ", "Relations: ", "Use for models: "):
        assert words in out
