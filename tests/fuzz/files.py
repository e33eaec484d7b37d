"""Kinds of case: tables as files, model files, ledgers and release folders."""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import understudy
from tests.fuzz import materials
from tests.fuzz.mutations import odd_value, spoil_bytes, spoil_text, spoil_value
from understudy.privacy import PrivacyTerms, PureBudget, make_budget, read_ledger
from understudy.release import privacy_letter
from understudy.schema import Schema


def make_csv(rng: Random) -> Any:
    """A CSV file, spoilt as text or as bytes."""
    text = materials.csv_text()
    if rng.random() < 0.2:
        text = text.replace(",", rng.choice((";", "\t", "|", " ")))
    if rng.random() < 0.6:
        data = spoil_text(rng, text).encode(rng.choice(("utf-8", "utf-8-sig", "utf-16", "latin-1")), "replace")
    else:
        data = spoil_bytes(rng, text.encode())
    return {"name": rng.choice(("t.csv", "t.csv", "t.tsv", "t.csv.gz", "t.txt")), "data": data}


def make_arrow(rng: Random) -> Any:
    """A Parquet, Feather or Arrow file with some bytes changed."""
    name = rng.choice(sorted(materials.arrow_files()))
    data = materials.arrow_files()[name]
    if rng.random() < 0.5:  # at its end, where Parquet and Arrow files keep what says how to read the rest
        head = max(0, len(data) - rng.choice((64, 600, 3000)))
        return {"name": name, "data": data[:head] + spoil_bytes(rng, data[head:])}
    return {"name": name, "data": spoil_bytes(rng, data)}


def run_table(given: Any, folder: Path) -> None:
    """Check it, read it and draft a schema from it."""
    path = folder / "in" / given["name"]
    path.write_bytes(given["data"])
    told: understudy.UserError | None = None
    for look in (_check, _publish_plan, _draft):
        try:
            look(path, folder)
        except understudy.UserError as error:
            told = told or error
    if told is not None:
        raise told


def _check(path: Path, folder: Path) -> None:
    report = understudy.check_table(path, materials.schema())
    assert report.ok or all(report.faults)


def _publish_plan(path: Path, folder: Path) -> None:
    assert understudy.plan(path, schema=materials.schema(), epsilon=1, neighbours="replace-one").to_dict()


def _draft(path: Path, folder: Path) -> None:
    draft = understudy.draft_schema(path)
    draft.save(folder / "in" / "draft.yaml")
    assert Schema.load(folder / "in" / "draft.yaml").fields == draft.fields, "a draft reads back as another schema"


def make_model(rng: Random) -> Any:
    """A model file: with bytes changed, or with a part changed and its manifest made to fit."""
    data = materials.release_files()["model.understudy"]
    if rng.random() < 0.2:
        return {"data": spoil_bytes(rng, data)}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    if name.endswith(".json") and rng.random() < 0.8:
        try:
            members[name] = json.dumps(spoil_value(rng, json.loads(members[name]))).encode()
        except RecursionError:
            members[name] = b"[" * 5000
    elif rng.random() < 0.2:
        members[rng.choice(("x.json", "table-00099.npy", "evil.py", name))] = members.pop(name)
    else:
        members[name] = spoil_bytes(rng, members[name])
    return {"data": _zipped(members)}


def _zipped(members: dict[str, bytes]) -> bytes:
    try:
        manifest = json.loads(members["manifest.json"])
        manifest["members"] = {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in members.items()
            if name != "manifest.json"
        }
        members = {**members, "manifest.json": json.dumps(manifest).encode()}
    except (KeyError, ValueError, TypeError):
        pass  # the manifest itself was spoilt
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def run_model(given: Any, folder: Path) -> None:
    """Load it, and use whatever it says it can do."""
    path = folder / "in" / "model.understudy"
    path.write_bytes(given["data"])
    model = understudy.load(path)
    assert privacy_letter(model.statement)
    assert len(model.sample(5, seed=1)) == 5
    assert str(model.query(f"'{model.schema.names[0]}'"))
    assert model.to_bif()
    model.save(folder / "out" / "again.understudy")
    understudy.load(folder / "out" / "again.understudy")
    model.draw(folder / "out" / "network.svg")


STATEMENTS = (
    "UPDATE entries SET {column} = {value}",
    "UPDATE entries SET {column} = {value} WHERE rowid = {row}",
    "DELETE FROM entries WHERE rowid = {row}",
    "DROP TABLE entries",
    "CREATE TABLE other (x)",
    "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END",
    "CREATE VIEW v AS SELECT * FROM entries",
    "ALTER TABLE entries ADD COLUMN more",
    "INSERT INTO entries SELECT * FROM entries",
    "PRAGMA user_version = {value}",
    "PRAGMA application_id = {value}",
    "PRAGMA journal_mode = WAL",
)


def make_ledger(rng: Random) -> Any:
    """A ledger file: bytes changed, or changed by SQL behind our back; and what is charged to it."""
    given: dict[str, Any] = {"data": materials.ledger_file(), "sql": [], "dataset": "people", "epsilon": "1/3"}
    if rng.random() < 0.4:
        given["data"] = spoil_bytes(rng, materials.ledger_file())
    elif rng.random() < 0.7:
        given["sql"] = [
            rng.choice(STATEMENTS).format(column=rng.choice(_columns()), value=_sql(rng), row=rng.randint(1, 4))
            for _ in range(rng.randint(1, 2))
        ]
    if rng.random() < 0.4:
        given["dataset"] = str(odd_value(rng))[:400]
    if rng.random() < 0.2:
        given["epsilon"] = str(odd_value(rng, deep=False))[:300]
    return given


def _columns() -> list[str]:
    path = Path(materials.kept_folder(), "columns.db")
    path.write_bytes(materials.ledger_file())
    connection = sqlite3.connect(path)
    found = [row[1] for row in connection.execute("PRAGMA table_info(entries)")]
    connection.close()
    return found


def _sql(rng: Random) -> str:
    value = odd_value(rng, deep=False)
    if value is None or isinstance(value, int | float):
        return "NULL" if value is None else str(int(value) % 2**63 if abs(value) < 2**80 else 7)
    return "'" + str(value)[:300].replace("'", "''").replace("\x00", "") + "'"


def run_ledger(given: Any, folder: Path) -> None:
    """Read it, charge to it, read it again."""
    path = folder / "in" / "budget.db"
    path.write_bytes(given["data"])
    for statement in given["sql"]:
        connection = sqlite3.connect(path)
        try:
            connection.execute(statement)
            connection.commit()
        except (sqlite3.Error, UnicodeError, OverflowError):
            pass
        finally:
            connection.close()
    before = read_ledger(path, wait_seconds=0.1)
    epsilon = make_budget(given["epsilon"], None).epsilon
    ledger = understudy.SQLiteLedger(path, dataset=given["dataset"], cap=None, wait_seconds=0.1)
    ledger.charge(PrivacyTerms(budget=PureBudget(epsilon=epsilon)))
    assert len(read_ledger(path).entries) == len(before.entries) + 1


def make_release(rng: Random) -> Any:
    """A release folder in which files are missing, spoilt, folders, or strangers."""
    files: dict[str, bytes | None] = dict(materials.release_files())
    for _ in range(rng.randint(1, 2)):
        name = rng.choice(sorted(files))
        choice = rng.randrange(4)
        if choice == 0:
            del files[name]
        elif choice == 1:
            files[name] = None  # a folder in its place
        elif choice == 2:
            files[name] = spoil_bytes(rng, materials.release_files().get(name) or b"x")
        else:
            files[rng.choice(("stranger.txt", ".hidden", "synthetic.csv.gz", "x" * 200))] = rng.randbytes(20)
        if not files:
            break
    return {"files": files, "overwrite": rng.random() < 0.5, "report": rng.random() < 0.3}


def run_release(given: Any, folder: Path) -> None:
    """Report on the folder, or publish into it; a refusal leaves it as it was."""
    out = folder / "in" / "release"
    out.mkdir()
    for name, data in given["files"].items():
        (out / name).mkdir() if data is None else (out / name).write_bytes(data)
    if given["report"]:
        understudy.public_report(out).save(folder / "out" / "report.html")
        return
    source = folder / "in" / "people.csv"
    source.write_text(materials.csv_text(), encoding="utf-8")
    before = _listed(out)
    try:
        understudy.publish(
            source, schema=materials.schema(), epsilon=3, out=out, seed=2, n=5, overwrite=given["overwrite"]
        )
    except understudy.UserError:
        assert _listed(out) == before, "a refused release changed the folder"
        raise
    assert set(_listed(out)) >= {"model.understudy", "privacy.json"}


def _listed(folder: Path) -> dict[str, bytes | None]:
    return {path.name: path.read_bytes() if path.is_file() else None for path in sorted(folder.iterdir())}
