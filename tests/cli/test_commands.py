"""Every command, as a user would run it."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.api.people import SCHEMA, people
from tests.promises import STRICT_FLAGS
from understudy import PrivBayes
from understudy.cli._main import run
from understudy.schema import Schema


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    Schema.from_dict(SCHEMA).save("people.schema.yaml")
    return tmp_path


@pytest.fixture
def model(home):
    assert run(["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1", "--json"]) == 0
    return "release/model.understudy"


def output(capsys):
    captured = capsys.readouterr()
    return captured.out, captured.err


def result(capsys, *arguments, code=0):
    """The JSON on stdout, which must be all there is."""
    capsys.readouterr()
    assert run([*arguments, "--json"]) == code
    return json.loads(output(capsys)[0])


def test_publish_says_what_it_made_where_and_where_to_read_on(home, capsys):
    assert run(["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1", "--out", "r"]) == 0
    out, err = output(capsys)
    for words in ("ε = 1, δ = 1e-09", "synthetic.csv", " synthetic rows", "r/PRIVACY.md", "understudy query"):
        assert words in out
    assert err == ""


def test_publish_says_what_is_promised_and_how_to_be_promised_more(home, capsys):
    publish = ["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1", "--overwrite"]
    assert run(publish) == 0
    out = output(capsys)[0]
    assert "if one row were added or left out, give or take a probability of δ = 1e-09." in out
    assert "The number of rows is private, and published with noise." in out
    assert "Stricter: --delta 0 (ε alone, without a δ); --neighbours replace-one" in out
    assert run([*publish, *STRICT_FLAGS]) == 0
    out = output(capsys)[0]
    assert "Published 'people' at ε = 1 into release/" in out
    assert "if one row were replaced by any other row. The number of rows is public." in out
    assert "400 synthetic rows" in out
    assert "Stricter" not in out
    assert run([*publish, "--seed", "1"]) == 0
    assert "Promise" not in output(capsys)[0]  # a rehearsal makes none


def test_publish_in_json_has_the_whole_statement(home, capsys):
    found = result(capsys, "publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1")
    assert found["statement"]["epsilon"] == "1"
    assert found["rows"] == found["statement"]["n_rows"]
    assert found["statement"]["in_words"].startswith("Whatever is published is at most e^ε = 2.72 times as likely")
    assert len(found["files"]) == 7


def test_publish_demo_needs_nothing_else(home, capsys):
    found = result(capsys, "publish", "demo")
    assert found["rows"] == pytest.approx(5912, abs=500)  # a noisy number
    assert found["statement"]["unit"] == "one person"


def test_a_file_called_demo_is_mentioned(home, capsys):
    (home / "demo").write_text("mine")
    assert run(["publish", "demo"]) == 0
    assert "write ./demo" in output(capsys)[1]


def test_a_seeded_run_is_stamped_on_the_screen(home, capsys):
    arguments = ["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1", "--seed", "3"]
    assert run(arguments) == 0
    assert "NOT PRIVATE: seeded" in output(capsys)[0]
    assert run(["sample", "release/model.understudy", "-o", "s.csv"]) == 0
    assert "NOT PRIVATE: seeded" in output(capsys)[0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
@pytest.mark.parametrize("why", [["--seed", "3"], ["--diagnostic", "no-privacy"]])
def test_a_sample_without_a_guarantee_says_so_in_its_name(home, capsys, ending, why):
    assert run(["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1", *why]) == 0
    arguments = ["sample", "release/model.understudy", "-n", "9", "-o", f"s.{ending}"]
    assert result(capsys, *arguments)["out"] == f"s.NOT-PRIVATE.{ending}"
    assert Path(f"s.NOT-PRIVATE.{ending}").is_file()
    assert not Path(f"s.{ending}").exists()
    assert run(arguments) == 2  # the real name is the one that is not overwritten
    assert f"s.NOT-PRIVATE.{ending}' already exists" in output(capsys)[1]
    assert run([*arguments, "--overwrite"]) == 0
    assert f"s.NOT-PRIVATE.{ending}" in output(capsys)[0]


def test_an_export_without_a_guarantee_begins_with_its_stamp(home):
    assert run(["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1", "--seed", "3"]) == 0
    assert run(["export", "release/model.understudy", "-o", "n.bif"]) == 0
    assert Path("n.bif").read_text(encoding="utf-8").startswith("// NOT PRIVATE: seeded\n")


def test_plan_prints_candidates_sizes_memory_time_error_and_what_is_coarsened(home, capsys):
    asked = ["plan", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "0.2", "--method", "privbayes"]
    assert run([*asked, *STRICT_FLAGS]) == 0
    out, _ = output(capsys)
    for words in ("Candidates", "cells", "Memory", "Time", "error", "others see it", "Nothing was spent", "coarser"):
        assert words in out, words


def test_plan_opens_no_table_when_the_rows_are_given(home, capsys):
    found = result(capsys, "plan", "--schema", "people.schema.yaml", "--epsilon", "1", "--rows", "5000")
    assert found["rows"] == 5000


def test_plan_of_the_demo(capsys):
    found = result(capsys, "plan", "demo")
    assert found["rows"] == 5912
    assert [(line["delta"], line["neighbours"], line["chosen"]) for line in found["promises"]] == [
        (1e-9, "add-remove", True),
        (1e-9, "replace-one", False),
        (0, "add-remove", False),
        (0, "replace-one", False),
    ]
    assert "give or take" in found["promise"]


def test_plan_shows_what_each_promise_would_give(capsys):
    assert run(["plan", "demo", "--epsilon", "1"]) == 0
    out = output(capsys)[0]
    assert "Promise: Whatever is published" in out
    lines = [line for line in out.splitlines() if "add-remove" in line or "replace-one" in line]
    assert len(lines) == 4
    assert [line.rstrip().endswith("chosen") for line in lines] == [True, False, False, False]
    assert run(["plan", "demo", "--epsilon", "1", "--method", "privbayes", "--score", "I", *STRICT_FLAGS]) == 0
    assert output(capsys)[0].count("not by this method") == 2


def test_sample_writes_the_rows_asked_for(model, capsys):
    found = result(
        capsys, "sample", model, "-n", "50", "-o", "more.csv", "--where", "sex=Female, age=30..39", "--seed", "1"
    )
    assert found["rows"] == 50
    table = pd.read_csv("more.csv")
    assert set(table["sex"]) == {"Female"}
    assert table["age"].between(30, 39).all()


@pytest.mark.parametrize("name", ["s.csv", "s.csv.gz", "s.parquet"])
def test_sample_writes_every_format(model, name):
    assert run(["sample", model, "-n", "20", "-o", name, "--independent"]) == 0
    read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
    assert len(read(name)) == 20


def test_sample_does_not_replace_a_file_unasked(model, capsys):
    assert run(["sample", model, "-n", "5", "-o", "people.csv"]) == 2
    assert "--overwrite" in output(capsys)[1]
    assert run(["sample", model, "-n", "5", "-o", "people.csv", "--overwrite"]) == 0
    assert len(pd.read_csv("people.csv")) == 5


def test_query_prints_a_table_with_intervals(model, capsys):
    output(capsys)
    assert run(["query", model, "smokes | sex=Female, age=60..79"]) == 0
    out, err = output(capsys)
    assert out.splitlines()[0].split()[:2] == ["smokes", "probability"]
    assert "Intervals" in err


def test_query_says_where_intervals_are_not_known(home, capsys):
    made = [
        "--schema",
        "people.schema.yaml",
        "--epsilon",
        "1",
        "--method",
        "privbayes",
        "--option",
        "postprocessing=printed",
    ]
    assert run(["publish", "people.csv", *made]) == 0
    output(capsys)
    assert run(["query", "release/model.understudy", "smokes"]) == 0
    out, err = output(capsys)
    assert out.splitlines()[0].split() == ["smokes", "probability"]
    assert "No intervals" in err


def test_query_in_json(model, capsys):
    found = result(capsys, "query", model, "sex, smokes")
    assert sum(row["probability"] for row in found["rows"]) == pytest.approx(1)


def test_export_draw_and_show(model, capsys):
    assert run(["export", model, "-o", "network.bif"]) == 0
    assert "network" in Path("network.bif").read_text()
    assert run(["draw", model, "-o", "network.svg"]) == 0
    assert "<svg" in Path("network.svg").read_text()
    output(capsys)
    assert run(["show", model]) == 0
    assert "# Privacy statement: people" in output(capsys)[0]
    assert result(capsys, "show", model)["dataset"] == "people"


def test_a_strangers_model_cannot_steer_the_terminal(home, capsys):
    frame = people().rename(columns={"sex": "s\x1b[2Jx"})
    schema = {"fields": [SCHEMA["fields"][0] | {"name": "s\x1b[2Jx"}, *SCHEMA["fields"][1:]]}
    PrivBayes(epsilon=1).fit(frame, schema).save("odd.understudy")
    assert run(["query", "odd.understudy", "s\x1b[2Jx"]) == 0
    assert run(["query", "odd.understudy", "\x1b[2J"]) == 2
    assert "\x1b" not in "".join(output(capsys))


def test_methods_lists_privbayes(capsys):
    assert result(capsys, "methods")["privbayes"].startswith("Choose a Bayesian network")


def test_schema_draft_marks_every_field_and_publish_refuses_it(home, capsys):
    assert run(["schema", "draft", "people.csv", "-o", "draft.yaml"]) == 0
    text = (home / "draft.yaml").read_text()
    assert text.count("origin: draft") == 4
    assert text.startswith("#")
    output(capsys)
    assert run(["publish", "people.csv", "--schema", "draft.yaml", "--epsilon", "1"]) == 2
    assert "voids the guarantee" in output(capsys)[1]
    assert run(["publish", "people.csv", "--schema", "draft.yaml", "--epsilon", "1", "--trust-draft"]) == 0
    assert "trusted" in output(capsys)[0]


def test_schema_draft_prints_without_a_file_name(home, capsys):
    assert run(["schema", "draft", "people.csv"]) == 0
    assert "origin: draft" in output(capsys)[0]
    assert len(result(capsys, "schema", "draft", "people.csv")["schema"]["fields"]) == 4


def test_schema_check_tells_what_does_not_fit_and_hides_values(home, capsys):
    assert run(["schema", "check", "people.csv", "people.schema.yaml"]) == 0
    frame = people()
    frame.loc[3, "age"] = 567
    frame.to_csv("bad.csv", index=False)
    output(capsys)
    assert run(["schema", "check", "bad.csv", "people.schema.yaml"]) == 1
    out, _ = output(capsys)
    assert "column 'age'" in out
    assert "567" not in out
    assert run(["schema", "check", "bad.csv", "people.schema.yaml", "--show-values"]) == 1
    assert "567" in output(capsys)[0]
    assert result(capsys, "schema", "check", "bad.csv", "people.schema.yaml", code=1)["ok"] is False


def test_schema_check_names_rows_that_break_what_is_declared_and_no_values(home, capsys):
    years = {"type": "integer", "constraints": {"minimum": 1900, "maximum": 2020}}
    content = {
        "fields": [{"name": "born", **years}, {"name": "died", **years}],
        "dependencies": [{"lower": "born", "upper": "died"}],
    }
    Path("s.json").write_text(json.dumps(content))
    Path("lives.csv").write_text("born,died\n1950,2001\n1962,1961\n1990,1990\n2003,2002\n")  # found bins hide neither
    assert run(["schema", "check", "lives.csv", "s.json"]) == 1
    out, _ = output(capsys)
    assert "- 2 rows break the dependency born ≤ died (rows 2, 4). Correct them" in out
    assert "private to you: do not publish" in out
    assert not any(value in out for value in ("1961", "1962", "2002", "2003"))
    found = result(capsys, "schema", "check", "lives.csv", "s.json", code=1)
    assert found["dependencies"] == [{"dependency": "born ≤ died", "broken": 2, "first_rows": [2, 4], "strays": 0}]
    assert (found["ok"], found["private"]) == (False, "computed from the real table: do not publish")
    Path("s.json").write_text(json.dumps({**content, "brokenRows": "drop"}))
    assert run(["schema", "check", "lives.csv", "s.json"]) == 0
    out, _ = output(capsys)
    assert "They will be left out, as brokenRows: drop in the schema says." in out
    assert "private to you: do not publish" in out


def test_schema_import_sdv(home, capsys):
    metadata = {
        "METADATA_SPEC_VERSION": "V1",
        "tables": {"people": {"columns": {"age": {"sdtype": "numerical"}, "sex": {"sdtype": "categorical"}}}},
    }
    (home / "sdv.json").write_text(json.dumps(metadata))
    assert run(["schema", "import-sdv", "sdv.json", "-o", "from-sdv.yaml"]) == 0
    assert "origin: draft" in (home / "from-sdv.yaml").read_text()


def test_a_draft_takes_types_from_sdv_metadata(home, capsys):
    columns = {"sex": {"sdtype": "categorical"}, "age": {"sdtype": "categorical"}}
    metadata = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns}
    Path("metadata.json").write_text(json.dumps(metadata))
    plain = result(capsys, "schema", "draft", "people.csv")["schema"]["fields"]
    found = result(capsys, "schema", "draft", "people.csv", "--sdv", "metadata.json")["schema"]["fields"]
    assert [field["name"] for field in found] == [field["name"] for field in plain]
    assert "categories" in found[1]
    assert "categories" not in plain[1]


def test_rows_may_be_written_as_a_power_of_ten(model, capsys):
    assert result(capsys, "sample", model, "-n", "1e2", "-o", "some.csv")["rows"] == 100
    assert result(capsys, "plan", "--schema", "people.schema.yaml", "--epsilon", "1", "--rows", "1e6")["rows"] == 10**6


def test_one_row_is_not_rows(model, capsys):
    capsys.readouterr()
    assert run(["sample", model, "-n", "1", "-o", "one.csv"]) == 0
    assert output(capsys)[0] == "Wrote 1 row to one.csv.\n"
    assert run(["schema", "check", "one.csv", "people.schema.yaml"]) == 0
    assert "1 row fits the schema." in output(capsys)[0]


def test_commands_to_try_next_can_be_pasted(home, capsys):
    assert (
        run(["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1", "--out", "my release"]) == 0
    )
    assert "understudy query 'my release/model.understudy' job" in output(capsys)[0]


def test_a_release_that_nobody_keeps_account_of_says_so(home, capsys):
    publish = ["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1", "--method", "uniform"]
    assert run(publish) == 0
    assert "No ledger: nobody keeps account of this release." in output(capsys)[0]
    found = result(capsys, *publish, "--overwrite")
    assert found["charged"] is False
    assert found["ledger"].startswith("No ledger")
    charged = result(capsys, *publish, "--overwrite", "--ledger", "budget.db", "--cap", "3")
    assert (charged["charged"], charged["ledger"]) == (True, "Charged to 'people' in the ledger.")


def test_ledger_show_and_verify(home, capsys):
    publish = ["publish", "people.csv", "--schema", "people.schema.yaml", "--ledger", "budget.db", "--dataset", "p24"]
    assert run([*publish, "--epsilon", "0.5", "--cap", "0.8"]) == 0
    assert run([*publish, "--epsilon", "0.5", "--out", "again"]) == 2
    assert "but 0.3 of its cap 0.8 is left" in output(capsys)[1]
    assert run(["ledger", "show", "budget.db"]) == 0
    assert (
        "ε 0.5 of 0.8 spent in 1 release (add-remove, one row), 0.3 left; δ 1e-09 in all, without a cap."
        in output(capsys)[0]
    )
    found = result(capsys, "ledger", "show", "budget.db", "--dataset", "p24")
    assert found["accounts"][0]["remaining"] == "3/10"
    assert result(capsys, "ledger", "verify", "budget.db", "--head", found["head"])["intact"] is True
    assert run(["ledger", "verify", "budget.db", "--head", "00"]) == 2
    assert run(["ledger", "show", "budget.db", "--dataset", "p23"]) == 2
    assert "p24" in output(capsys)[1]


def test_a_cap_is_changed_on_purpose_and_stays_on_record(home, capsys):
    publish = ["publish", "people.csv", "--schema", "people.schema.yaml", "--ledger", "budget.db", "--dataset", "p24"]
    assert run([*publish, "--epsilon", "0.5", "--cap", "0.8", "--delta-cap", "1e-6"]) == 0
    assert run([*publish, "--epsilon", "0.5", "--out", "again"]) == 2
    assert "understudy ledger cap" in output(capsys)[1]
    change = ["ledger", "cap", "budget.db", "--dataset", "p24"]
    assert run([*change, "--cap", "2", "--note", "agreed"]) == 0
    said = output(capsys)[0]
    assert "p24: cap ε 0.8 changed to 2; δ 1e-09 of 1e-06." in said
    assert "ε 0.5 is spent, 1.5 left" in said
    assert run([*publish, "--epsilon", "0.5", "--out", "again"]) == 0
    found = result(capsys, "ledger", "show", "budget.db")
    assert [entry["kind"] for entry in found["entries"]] == ["open", "charge", "cap", "charge"]
    assert found["entries"][2]["note"] == "agreed"
    changed = result(capsys, *change, "--cap", "1/2", "--delta-cap", "1e-9")
    assert (changed["cap_before"], changed["cap"], changed["delta_cap"]) == ("2", "1/2", "1/1000000000")
    assert (changed["spent"], changed["remaining"]) == ("1", "0")
    verified = result(capsys, "ledger", "verify", "budget.db", "--head", changed["hash"])
    assert (verified["entries"], verified["head"]) == (5, changed["hash"])
    assert run([*publish, "--epsilon", "0.1", "--out", "more"]) == 2
    assert "its cap 0.5 is spent" in output(capsys)[1]


def test_a_cap_on_delta_is_kept(home, capsys):
    publish = ["publish", "people.csv", "--schema", "people.schema.yaml", "--ledger", "budget.db", "--epsilon", "1"]
    assert run([*publish, "--cap", "9", "--delta-cap", "1e-9", "--delta", "1e-9"]) == 0
    assert run([*publish, "--delta", "1e-9", "--out", "again"]) == 2
    assert "delta cap 1e-9" in output(capsys)[1]


def test_version_and_help(capsys):
    assert run(["--version"]) == 0
    assert output(capsys)[0].startswith("understudy ")
    assert run(["--help"]) == 0
    assert "publish" in output(capsys)[0]


@pytest.mark.parametrize(
    "command",
    [
        *("plan", "publish", "sample", "query", "export", "draw", "show", "methods"),
        *("schema draft", "schema check", "schema import-sdv", "ledger show", "ledger cap", "ledger verify"),
    ],
)
def test_every_command_has_help_and_json(command, capsys):
    assert run([*command.split(), "--help"]) == 0
    assert "--json" in output(capsys)[0]
