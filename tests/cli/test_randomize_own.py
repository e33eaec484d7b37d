"""`understudy randomize cross`, `own` and `assemble` on the command line: what they print, and how they refuse."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from tests.randomize.setup_one import HOLDERS, LABELS, bif, rows, schema_of
from understudy._core.randomness import Streams
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


@pytest.fixture
def exchange(home, monkeypatch):
    """Each party's table, and what two of them sent to the third."""
    monkeypatch.setenv("UNDERSTUDY_SECRET", "a secret that parties share by courier")
    codes = rows(600, Streams(3).get("people"))
    for party, names in HOLDERS.items():
        columns = {name: np.array(LABELS[name])[codes[name]] for name in names}
        csv.write_csv(pa.table({"person_id": np.arange(600), **columns}), f"{party}.csv")
    for party, columns in (("travel", "tub"), ("clinic", "lung,bronc")):
        schema = ["--schema", f"{party}.schema.yaml", "--columns", columns, "--epsilon", "4", "--party", party]
        assert run(["randomize", "plan", *schema, "-o", f"{party}.plan.yaml"]) == 0
        made = [f"{party}.csv", "--plan", f"{party}.plan.yaml", "--key", "person_id", "-o", f"{party}.parquet"]
        assert run(["randomize", "apply", *made]) == 0
    return home


def own(party, *received):
    words = ["randomize", "own", f"{party}.csv", *received, "--schema", f"{party}.schema.yaml", "--party", party]
    return [*words, "--structure", "net.bif", "--key", "person_id", "-o", f"{party}.parameters.json"]


IMAGING = own("imaging", "travel.parquet", "clinic.parquet")


def test_own_and_assemble_say_what_they_did(exchange, capsys):
    assert run([*IMAGING, "--epsilon", "2"]) == 0
    out = capsys.readouterr().out
    assert "Central noise at ε = 2 for one person, over 3 tables" in out
    assert "Charged to 'imaging' in the ledger." in out
    assert "Send it to everybody." in out
    for party in ("travel", "clinic"):
        assert run([*own(party), "--epsilon", "1"]) == 0
    capsys.readouterr()
    files = [f"{party}.parameters.json" for party in HOLDERS]
    assert run(["randomize", "assemble", *files, "--structure", "net.bif", "--out", "study"]) == 0
    out = capsys.readouterr().out
    assert "One model of 8 variables" in out
    assert "all parties together: ε = 12" in out
    assert run(["sample", "study/model.understudy", "-n", "10", "-o", "joint.csv"]) == 0
    assert run(["query", "study/model.understudy", "dysp | bronc=severe"]) == 0


def test_own_and_assemble_as_json_are_all_of_stdout(exchange, capsys):
    capsys.readouterr()
    found = {}
    for words in (own("travel"), own("clinic"), IMAGING):
        assert run([*words, "--epsilon", "1", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
    assert found["epsilon"] == "1"
    assert [variable["name"] for variable in found["variables"]] == list(HOLDERS["imaging"])
    assert [one["party"] for one in found["received"]] == ["travel", "clinic"]
    files = [f"{party}.parameters.json" for party in HOLDERS]
    assert run(["randomize", "assemble", *files, "--structure", "net.bif", "--out", "study", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["statement"]["stamp"] is None


def test_exact_parameters_are_stamped_on_the_screen_and_in_the_study(exchange, capsys):
    assert run([*IMAGING, "--no-guarantee"]) == 0
    assert "*** NOT PRIVATE: as printed: do not share" in capsys.readouterr().out
    for party in ("travel", "clinic"):
        assert run([*own(party), "--epsilon", "1"]) == 0
    capsys.readouterr()
    files = [f"{party}.parameters.json" for party in HOLDERS]
    assert run(["randomize", "assemble", *files, "--structure", "net.bif", "--out", "study"]) == 0
    out = capsys.readouterr().out
    assert "*** NOT PRIVATE: as printed" in out
    assert "together: ε" not in out


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (IMAGING, "how much may the parameters reveal"),
        ([*own("imaging", "travel.parquet"), "--epsilon", "1", "--other", "clinic=clinic.schema.yaml"],
         "clinic must send it"),
        ([*own("imaging", "travel.parquet", "none.parquet"), "--epsilon", "1"], "none.parquet"),
        ([*own("imaging", "travel.parquet", "clinic.csv"), "--epsilon", "1"], "clinic.csv is no randomised file"),
        ([*IMAGING, "--epsilon", "1", "--study", "other"], "different studies"),
        ([*IMAGING, "--epsilon", "1", "--secret-file", "none.secret"], "cannot read the secret file"),
        ([*IMAGING, "--epsilon", "1", "--duplicates", "keep"], "must be 'refuse' or 'drop'"),
        (["randomize", "assemble", "none.json", "--structure", "net.bif", "-o", "s"], "cannot read none.json"),
        (["randomize", "assemble", "net.bif", "--structure", "net.bif", "-o", "s"], "holds no parameters"),
    ],
)  # fmt: skip
def test_mistakes_of_own_and_assemble_are_told_in_a_sentence(exchange, capsys, words, sentence):
    capsys.readouterr()
    assert run(words) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    assert not (exchange / "imaging.parameters.json").exists()
