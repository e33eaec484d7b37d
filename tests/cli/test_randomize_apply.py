"""`understudy randomize secret` and `apply`, as somebody types them."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from understudy.cli._main import run

SCHEMA = """
name: hospital
fields:
- {name: smokes, categories: ['no', 'yes']}
- {name: ill, categories: [none, asthma]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UNDERSTUDY_SECRET", raising=False)
    Path("hospital.schema.yaml").write_text(SCHEMA)
    rows = "".join(f"{i:03},{'yes' if i % 3 else 'no'},{'asthma' if i % 2 else 'none'},x\n" for i in range(200))
    Path("hospital.csv").write_text("person_id,smokes,ill,noted\n" + rows)
    Path("outbox").mkdir()
    assert (
        run(["randomize", "plan", "--schema", "hospital.schema.yaml", "--epsilon", "1.1", "-o", "hospital.plan.yaml"])
        == 0
    )
    assert run(["randomize", "secret", "-o", "secret"]) == 0
    capsys.readouterr()
    return tmp_path


APPLY = ["randomize", "apply", "hospital.csv", "--plan", "hospital.plan.yaml", "-o", "outbox/hospital.parquet"]
KEYED = [*APPLY, "--key", "person_id", "--secret-file", "secret"]


def test_a_secret_is_for_its_owner_alone_and_never_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = (folder / "secret").read_text()
    assert stat.S_IMODE((folder / "secret").stat().st_mode) == 0o600
    assert len(secret.strip()) == 43
    assert run(["randomize", "secret", "-o", "secret"]) == 2
    assert (folder / "secret").read_text() == secret
    assert secret.strip() not in "".join(capsys.readouterr())


def test_what_was_done_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(KEYED) == 0
    said = capsys.readouterr().out
    assert "Randomised 200 rows of 2 columns into outbox/hospital.parquet: ε = 1.1 a record." in said
    assert "1 block drawn, 1 other column of the table not sent." in said
    assert "Recorded for 'hospital' in" in said
    assert (folder / "hospital.csv.ledger.db").is_file()


def test_json_is_all_there_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*KEYED, "--study", "asthma", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["rows"], said["epsilon"], said["times"], said["study"]) == (200, "11/10", 1, "asthma")
    assert (said["columns_left_out"], said["pseudonyms"], said["dataset"]) == (1, True, "hospital")


def test_a_second_run_is_refused_unless_forced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(KEYED) == 0
    assert run([*KEYED, "--overwrite"]) == 2
    assert "randomised before" in capsys.readouterr().err
    assert run([*KEYED, "--overwrite", "--force"]) == 0
    assert "randomised 2 times by now, and that adds up: ε = 2.2" in capsys.readouterr().out
    assert run(["ledger", "show", "hospital.csv.ledger.db"]) == 0
    assert run(["ledger", "verify", "hospital.csv.ledger.db"]) == 0


def test_the_secret_may_come_from_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_SECRET", (folder / "secret").read_text())
    assert run([*APPLY, "--key", "person_id"]) == 0
    from understudy.randomize import open_randomized

    first = open_randomized("outbox/hospital.parquet")
    assert run([*KEYED, "--force", "--overwrite"]) == 0
    assert open_randomized("outbox/hospital.parquet").secret_check == first.secret_check


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("--key person_id", "pseudonyms need the parties' secret"),
        ("--key person_id --secret-file nowhere", "cannot read the secret file"),
        ("--key person_id --secret-file hospital.schema.yaml --study s --key nobody", "no column 'nobody'"),
        ("--cap 3", "a cap is kept in a ledger"),
        ("--ledger budget.db", "Give its cap on first use"),
        ("--ledger budget.db --cap 1", "asks for epsilon"),
        ("--duplicates some", "must be 'refuse' or 'drop'"),
    ],
)
def test_mistakes_end_in_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], change: str, message: str
) -> None:
    assert run([*APPLY, *change.split()]) == 2
    assert message in capsys.readouterr().err
    assert list((folder / "outbox").iterdir()) == []
    assert not list(folder.glob("*.db"))


def test_an_unbounded_release_shows_in_the_ledger(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = [
        "randomize",
        "plan",
        "--schema",
        "hospital.schema.yaml",
        "--epsilon",
        "1",
        "--block",
        "ill:none",
        "-o",
        "bare.yaml",
    ]
    assert run(plan) == 0
    apply = ["randomize", "apply", "hospital.csv", "--plan", "bare.yaml", "-o", "outbox/hospital.parquet"]
    assert run(apply) == 2
    assert "bounds nothing" in capsys.readouterr().err
    assert run([*apply, "--no-guarantee"]) == 0
    assert "outbox/hospital.parquet: without any bound." in capsys.readouterr().out
    assert run(["ledger", "show", "hospital.csv.ledger.db"]) == 0
    said = capsys.readouterr().out
    assert "1 release beside these had no bound at all" in said
    assert run(["ledger", "show", "hospital.csv.ledger.db", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accounts"][0]["unbounded"] == 1


def test_a_secret_is_never_replaced_and_a_missing_command_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["randomize", "secret", "-o", "shared.secret"]) == 0
    before = Path("shared.secret").read_text()
    assert run(["randomize", "secret", "-o", "shared.secret"]) == 2
    assert "--overwrite" not in capsys.readouterr().err
    assert Path("shared.secret").read_text() == before
    assert run(["randomize"]) == 2
    assert capsys.readouterr().err == "understudy: Missing command. See 'understudy randomize --help'.\n"
