"""`understudy randomize cross`, `own` and `assemble` on the command line: what they print, and how they refuse."""

import json

import pytest

from tests.randomize.setup_one import HOLDERS, bif, schema_of
from understudy.cli._main import run
from understudy.schema import Schema

CROSS = ["randomize", "cross", "--structure", "net.bif"]
CROSS += [word for party in HOLDERS for word in ("--party", f"{party}={party}.schema.yaml")]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.bif").write_text(bif())
    for party in HOLDERS:
        Schema.from_dict(schema_of(party)).save(f"{party}.schema.yaml")
    return tmp_path


def test_cross_prints_the_six_steps_and_everyones_commands(home, capsys):
    assert run([*CROSS, "--public", "tub"]) == 0
    out = capsys.readouterr().out
    for step in range(1, 7):
        assert f"\n{step}. " in out
    assert "randomize plan --schema clinic.schema.yaml --columns lung,bronc --epsilon 1 --party clinic" in out
    assert "--columns tub --public tub --party travel" in out
    assert "own imaging.csv inbox/travel.parquet inbox/clinic.parquet --schema imaging.schema.yaml" in out
    assert "randomize assemble" in out


def test_cross_as_json_is_all_of_stdout(home, capsys):
    assert run([*CROSS, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [party["party"] for party in found["parties"]] == list(HOLDERS)
    assert len(found["steps"]) == 6
    assert len(found["commands"]["imaging"]) == 2


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--party", "travel"], "names no party and schema"),
        (["--party", "travel=other.yaml"], "named twice"),
        (["--public", "lungs"], "no variable 'lungs'"),
        (["--party", "fourth=travel.schema.yaml"], "'tub' is in the schemas of travel and fourth"),
        (["--party", "fourth=none.yaml"], "none.yaml"),
        (["--structure", "none.bif"], "there is no file none.bif"),
    ],
)
def test_mistakes_are_told_in_a_sentence(home, capsys, more, words):
    assert run([*CROSS, *more]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err
