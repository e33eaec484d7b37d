"""Whatever is wrong with what parties sent, `estimate` and `learn` say so in one sentence and leave nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understudy.cli._main import run
from understudy.randomize import apply, plan

N = 400
SECRET, OTHER = "correct horse battery staple", "another horse, another staple"
CYCLE = """network n { }
variable smokes { type discrete [ 2 ] { no, yes }; }
variable claims { type discrete [ 2 ] { no, yes }; }
probability ( smokes | claims ) { (no) 0.5, 0.5; (yes) 0.5, 0.5; }
probability ( claims | smokes ) { (no) 0.5, 0.5; (yes) 0.5, 0.5; }
"""
UNKNOWN = """network n { }
variable smokes { type discrete [ 2 ] { no, yes }; }
variable diet { type discrete [ 2 ] { no, yes }; }
probability ( smokes ) { table 0.5, 0.5; }
probability ( diet | smokes ) { (no) 0.5, 0.5; (yes) 0.5, 0.5; }
"""


def send(
    home: Path, party: str, column: str, *, secret: str = SECRET, first: int = 0, how: str = "p=0.1", name: str = ""
) -> Path:
    """A party's randomised file, its people numbered from `first`."""
    fields = [{"name": column, "type": "string", "categories": ["no", "yes"]}]
    made = plan({"name": party, "fields": fields}, blocks={(column,): how})
    made.save(home / f"{name or party}.plan.yaml")
    table = pa.table({"who": range(first, first + N), column: ["no", "no", "yes", "yes"] * (N // 4)})
    out = home / f"{name or party}.parquet"
    apply(table, made, out=out, key="who", secret=secret, study="s", ledger=home / f"{name or party}.db", cap=100)
    return out


@pytest.fixture
def home(tmp_path: Path) -> Path:
    send(tmp_path, "hospital", "smokes")
    return tmp_path


def wrong_secret(home: Path) -> list[str]:
    return [str(send(home, "insurer", "claims", secret=OTHER))]


def nobody_in_common(home: Path) -> list[str]:
    return [str(send(home, "insurer", "claims", first=10_000))]


def tampered(home: Path) -> list[str]:
    path = send(home, "insurer", "claims")
    table = pq.read_table(path)
    cells = table["claims"].to_pylist()
    cells[3] = "yes" if cells[3] == "no" else "no"
    changed = pa.array(cells, pa.string()).dictionary_encode().cast(table.schema.field("claims").type)
    said = {b"understudy.randomized": pq.read_metadata(path).metadata[b"understudy.randomized"]}
    forged = table.set_column(0, table.schema.field("claims"), changed).replace_schema_metadata(said)
    pq.write_table(forged, path)
    return [str(path)]


def other_plan(home: Path) -> list[str]:
    path = send(home, "insurer", "claims")
    send(home, "insurer", "claims", how="p=0.2", name="other")
    agreed = [home / "hospital.plan.yaml", home / "other.plan.yaml"]
    return [str(path), *(word for one in agreed for word in ("--plan", str(one)))]


def column_in_two_files(home: Path) -> list[str]:
    return [str(send(home, "insurer", "smokes"))]


def no_randomised_file(home: Path) -> list[str]:
    pq.write_table(pa.table({"claims": ["no"]}), home / "plain.parquet")
    return [str(home / "plain.parquet")]


def missing_file(home: Path) -> list[str]:
    return [str(home / "nowhere.parquet")]


@pytest.mark.parametrize("command", ["estimate", "learn"])
@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (wrong_secret, "different secrets"),
        (nobody_in_common, "nobody is in"),
        (tampered, "was changed after it was made"),
        (other_plan, "not made with a plan that was given"),
        (column_in_two_files, "column 'smokes' is in two files"),
        (no_randomised_file, "is no randomised file"),
        (missing_file, "nowhere.parquet"),
    ],
)
def test_files_that_do_not_fit_are_refused(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    mistake: Callable[[Path], list[str]],
    words: str,
) -> None:
    given = mistake(home)
    more = ["--out", str(home / "study")] if command == "learn" else []
    refused(home, capsys, ["randomize", command, str(home / "hospital.parquet"), *given, *more], words)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--structure", "cycle.bif"], "circle"),
        (["--structure", "unknown.bif"], "'diet'"),
        (["--structure", "nowhere.bif"], "nowhere.bif"),
        (["--order", "smokes,diet"], "diet"),
        (["--order", "smokes"], "claims"),
        (["--score", "best"], "score"),
        (["--method", "magic"], "magic"),
        (["--max-parents", "0"], "max_parents"),
        (["--prior", "-1"], "prior"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, more: list[str], words: str
) -> None:
    monkeypatch.chdir(home)
    send(home, "insurer", "claims")
    Path("cycle.bif").write_text(CYCLE, encoding="utf-8")
    Path("unknown.bif").write_text(UNKNOWN, encoding="utf-8")
    command = ["randomize", "learn", "hospital.parquet", "insurer.parquet", "--out", "study", *more]
    refused(home, capsys, command, words)


def test_a_folder_that_is_there_is_refused_before_anything_is_read(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "study").mkdir()
    command = ["randomize", "learn", str(home / "nowhere.parquet"), "--out", str(home / "study")]
    assert run(command) == 2
    assert "already exists" in capsys.readouterr().err


def test_a_singular_matrix_and_an_unknown_category_are_refused_where_they_arise(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("UNDERSTUDY_SECRET", SECRET)
    Path("s.yaml").write_text(
        "name: clinic\nfields:\n- {name: ill, type: string, categories: ['no', 'yes']}\n", "utf-8"
    )
    refused(home, capsys, ["randomize", "plan", "--schema", "s.yaml", "--p", "0.5", "-o", "half.plan.yaml"], "singular")
    assert run(["randomize", "plan", "--schema", "s.yaml", "--p", "0.1", "-o", "clinic.plan.yaml"]) == 0
    capsys.readouterr()
    Path("clinic.csv").write_text("who,ill\n1,no\n2,sometimes\n", encoding="utf-8")
    command = ["randomize", "apply", "clinic.csv", "--plan", "clinic.plan.yaml", "--key", "who", "-o", "clinic.parquet"]
    error = refused(home, capsys, command, "ill")
    assert "sometimes" not in error


def refused(home: Path, capsys: pytest.CaptureFixture[str], command: list[str], words: str) -> str:
    """The command ends with code 2 and one sentence, and no file is there that was not there before."""
    before = sorted(path.relative_to(home) for path in home.rglob("*"))
    capsys.readouterr()
    assert run(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert sorted(path.relative_to(home) for path in home.rglob("*")) == before
    return err
