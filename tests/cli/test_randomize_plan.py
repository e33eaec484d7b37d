"""`understudy randomize plan` and `report`, as a user would run them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from understudy.cli._main import run
from understudy.randomize import Plan, report
from understudy.schema import Schema

FIELDS = [
    {"name": "smoking", "type": "boolean"},
    {"name": "disease", "categories": ["none", "mild", "grave"]},
    {"name": "sex", "categories": ["F", "M"]},
]
PLAN = ("randomize", "plan", "--schema", "hospital.schema.yaml", "-o", "hospital.plan.yaml")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Schema.from_dict({"name": "hospital", "fields": FIELDS}).save("hospital.schema.yaml")
    Schema.from_dict({"name": "insurer", "fields": [{"name": "claims", "categories": ["few", "many"]}]}).save("i.yaml")
    return tmp_path


def out_of(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert run(list(arguments)) == code
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return captured.out if code == 0 else captured.err


def test_a_plan_is_written_and_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = out_of(capsys, *PLAN, "--epsilon", "1.1")
    for words in ("smoking, disease, sex", "epsilon=1.1", "ε = 1.1", "factor of up to 3.005", "randomize apply"):
        assert words in out
    assert Plan.load("hospital.plan.yaml").blocks[0].cells == 12


def test_a_plan_that_is_there_is_not_replaced_unless_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out_of(capsys, *PLAN, "--p", "0.1")
    before = Path("hospital.plan.yaml").read_bytes()
    assert "already exists" in out_of(capsys, *PLAN, "--epsilon", "1", code=2)
    assert Path("hospital.plan.yaml").read_bytes() == before
    out_of(capsys, *PLAN, "--epsilon", "1", "--overwrite")
    assert Path("hospital.plan.yaml").read_bytes() != before


def test_all_options_together(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("m.csv").write_text("none,mild,grave\n0.8,0.1,0.1\n0.2,0.7,0.1\n0.1,0.1,0.8\n")
    options = ("--gamma", "40", "--block", "disease: matrix=m.csv", "--public", "sex", "--party", "ward", "--separate")
    found = json.loads(out_of(capsys, *PLAN, *options, "--max-cells", "9", "--prior", "0.2", "--json"))
    assert found["plan"] == Plan.load("hospital.plan.yaml").to_dict()
    made = Plan.load("hospital.plan.yaml")
    assert made.party == "ward"
    assert found["report"] == report(made, priors=["0.2"]).to_dict()
    assert found["report"]["parties"][0]["blocks"][2]["sensitive"] is False
    assert [belief["prior"] for belief in found["report"]["beliefs"]] == [0.2]


def test_only_some_columns_are_planned(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out_of(capsys, *PLAN, "--epsilon", "1", "--columns", "disease, sex")
    assert Plan.load("hospital.plan.yaml").schema.names == ("disease", "sex")


def test_the_report_of_several_parties_adds_up(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out_of(capsys, *PLAN, "--epsilon", "1.1")
    out_of(capsys, "randomize", "plan", "--schema", "i.yaml", "--epsilon", "0.5", "-o", "insurer.plan.yaml")
    plans = ("hospital.plan.yaml", "insurer.plan.yaml")
    out = out_of(capsys, "randomize", "report", *plans)
    assert "The record of hospital: ε = 1.1" in out
    assert "it adds up: ε = 1.6" in out
    found: dict[str, Any] = json.loads(out_of(capsys, "randomize", "report", *plans, "--json"))
    assert found["epsilon"] == "8/5"
    assert found["epsilon_decimal"] == 1.6
    assert "in two plans" in out_of(capsys, "randomize", "report", plans[0], plans[0], code=2)


def test_no_bound_is_told_in_words(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = ("--block", "sex: none", "--block", "disease: groups=none|mild grave; p=0.3")
    out = out_of(capsys, *PLAN, "--epsilon", "1", *blocks)
    assert "ε = ∞ (no bound)" in out
    assert "'sex' is sensitive and left alone" in out
    assert "K* is no measure of privacy" in out
    found = json.loads(out_of(capsys, "randomize", "report", "hospital.plan.yaml", "--json"))
    assert (found["epsilon"], found["epsilon_decimal"]) == ("infinite", None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "how is smoking, disease, sex randomised"),
        (("--epsilon", "one"), "epsilon must be a number"),
        (("--p", "0.5"), "singular"),
        (("--epsilon", "1", "--block", "disase: p=0.1"), "Did you mean 'disease'"),
        (("--epsilon", "1", "--block", "sex: p=0.1/0.9"), "singular"),
        (("--epsilon", "1", "--block", "sex: p=0.4", "--block", "sex: p=0.3"), "two blocks are for sex"),
        (("--epsilon", "1", "--block", "sex: matrix=0.9 0.2|0.1 0.9"), "adds up to 1.1"),
        (("--epsilon", "1", "--prior", "3"), "a prior is a probability"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(
    home: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    assert words in out_of(capsys, *PLAN, *options, code=2)
    assert not Path("hospital.plan.yaml").exists()


def test_drafted_fields_need_trust(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields = [{"name": "x", "categories": ["a", "b"], "origin": "draft"}]
    Path("d.yaml").write_text(json.dumps({"fields": fields}))
    command = ("randomize", "plan", "-s", "d.yaml", "-o", "d.plan.yaml", "--epsilon", "1")
    assert "--trust-draft" in out_of(capsys, *command, code=2)
    assert "read off the private table" in out_of(capsys, *command, "--trust-draft")


def test_a_stranger_cannot_steer_the_terminal(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out_of(capsys, *PLAN, "--epsilon", "1")
    text = Path("hospital.plan.yaml").read_text().replace("asked: epsilon=1", 'asked: "\\e[2Jx"')
    Path("hospital.plan.yaml").write_text(text)
    assert "\x1b" not in out_of(capsys, "randomize", "report", "hospital.plan.yaml")
