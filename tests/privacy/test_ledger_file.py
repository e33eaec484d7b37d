"""Whoever may write a ledger's file cannot make it swallow charges: its whole list of objects must be ours."""

import sqlite3

import pytest

from understudy._core.errors import LedgerError
from understudy.privacy import PrivacyTerms, SQLiteLedger, _ledger_file, make_budget, read_ledger

ONE = {"terms": PrivacyTerms(budget=make_budget(1))}
UNDO = (
    "AFTER UPDATE ON head BEGIN DELETE FROM entries WHERE id = NEW.count; UPDATE head SET count = (SELECT count(*) "
    "FROM entries), hash = (SELECT hash FROM entries ORDER BY id DESC LIMIT 1); END"
)


@pytest.fixture
def ledger(tmp_path):
    ledger = SQLiteLedger(tmp_path / "budget.db", dataset="people", cap=4)
    ledger.charge(**ONE)
    return ledger


def rewrite(path, change):
    """Put another list of objects into a file, as SQLite lets anybody do who may write it."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    rows = connection.execute("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master").fetchall()
    connection.execute("DELETE FROM sqlite_master")
    connection.executemany("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", change(*rows))
    connection.commit()
    connection.close()


def beside(*row):
    return lambda entries, head: [entries, head, row]


def replaced(before, after):
    return lambda entries, head: [(*row[:4], row[4].replace(before, after)) for row in (entries, head)]


ATTACKS = {
    "a trigger that has a table's name": lambda entries, head: [
        head,
        ("trigger", "entries", "head", 0, f"CREATE TRIGGER entries {UNDO}"),
        entries,
    ],
    "a trigger listed as one of SQLite's own tables": beside(
        "table", "sqlite_stat9", "sqlite_stat9", 0, f"CREATE TRIGGER sqlite_stat9 {UNDO}"
    ),
    "a trigger listed as the statistics of ANALYZE": beside(
        "table", "sqlite_stat1", "sqlite_stat1", 0, f"CREATE TRIGGER x {UNDO}"
    ),
    "a trigger listed as a table of ours": beside("table", "head", "head", 0, f"CREATE TRIGGER x {UNDO}"),
    "a view": beside("view", "cheap", "cheap", 0, "CREATE VIEW cheap AS SELECT 0 AS epsilon"),
    "a view that hides the list itself": beside(
        "view", "sqlite_schema", "sqlite_schema", 0, "CREATE VIEW sqlite_schema AS SELECT 1 AS name"
    ),
    "another collation": replaced("hash TEXT NOT NULL)", "hash TEXT NOT NULL COLLATE NOCASE)"),
    "a conflict that is ignored": replaced("id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY ON CONFLICT IGNORE"),
    "a check that is gone": replaced(" CHECK (only = 1)", ""),
    "a check that reads a function": replaced("epsilon TEXT NOT NULL", "epsilon TEXT NOT NULL CHECK (random() <> 0)"),
    "a default": replaced("note TEXT NOT NULL", "note TEXT NOT NULL DEFAULT ''"),
    "a generated column": replaced("hash TEXT NOT NULL)", "hash TEXT NOT NULL, more TEXT AS (hash))"),
    "a comment": replaced("CREATE TABLE head", "CREATE TABLE /* ours */ head"),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_list_of_objects_that_is_not_ours_is_refused_by_every_use(ledger, attack):
    rewrite(ledger.path, attack)
    for use in (
        lambda: read_ledger(ledger.path),
        lambda: SQLiteLedger(ledger.path, dataset="people"),
        lambda: ledger.charge(**ONE),
        lambda: ledger.change_cap(9),
    ):
        with pytest.raises(LedgerError, match=r"tampered with|corrupt|not a ledger of ours"):
            use()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE INDEX fast ON entries (dataset || note)",
        "CREATE INDEX some ON entries (hash) WHERE epsilon > 1",
        "CREATE TABLE more (id INTEGER PRIMARY KEY) WITHOUT ROWID",
        "CREATE VIRTUAL TABLE more USING fts5(text)",
        "PRAGMA user_version = 7",
        "PRAGMA application_id = 7",
    ],
)
def test_whatever_else_can_be_put_into_the_file_is_refused(ledger, statement):
    connection = sqlite3.connect(ledger.path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match=r"tampered with|not a ledger of ours|its format is number 7"):
        ledger.charge(**ONE)


def test_a_charge_that_the_file_does_not_give_back_stops_the_run(ledger, monkeypatch):
    """Even an object that nobody thought of cannot swallow a charge: it must be read back."""
    rewrite(ledger.path, ATTACKS["a trigger that has a table's name"])
    monkeypatch.setattr(_ledger_file, "_refuse_strangers", lambda connection, path: None)
    with pytest.raises(LedgerError, match="what was just written is not in it, so the run stops") as refused:
        ledger.charge(**ONE)
    assert not hasattr(refused.value, "__notes__")  # and it is not told as booked
    assert ledger.spent() == 1


def test_a_charge_that_cannot_be_read_back_is_told_as_a_doubt(ledger, monkeypatch):
    def locked(path, *, wait_seconds):
        raise LedgerError(f"the ledger {path} is locked by another process. Nothing was charged. Try again later.")

    monkeypatch.setattr("understudy.privacy._sqlite_ledger.read_ledger", locked)
    with pytest.raises(LedgerError, match="cannot be read back, so the run stops: the ledger") as refused:
        ledger.charge(**ONE)
    assert "Nothing was charged" not in str(refused.value)
    assert refused.value.__notes__ == [
        "The charge of epsilon 1 to dataset 'people' may be in the ledger, which cannot be read now. Look with: "
        "understudy ledger show"
    ]
    monkeypatch.undo()
    assert ledger.spent() == 2


def test_a_file_that_was_given_a_side_file_keeps_its_charges_in_one_file(ledger):
    connection = sqlite3.connect(ledger.path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    ledger.charge(**ONE)
    assert [path.name for path in ledger.path.parent.iterdir()] == ["budget.db"]
    assert ledger.spent() == 2


def test_a_ledger_of_version_0_1_is_told_as_that_and_not_as_tampered_with(tmp_path):
    connection = sqlite3.connect(tmp_path / "old.db")
    connection.execute(
        "CREATE TABLE entries (id INTEGER PRIMARY KEY, time TEXT NOT NULL, dataset TEXT NOT NULL, kind TEXT NOT NULL, "
        "epsilon TEXT NOT NULL, delta TEXT NOT NULL, neighbours TEXT NOT NULL, method TEXT NOT NULL, note TEXT NOT "
        "NULL, previous TEXT NOT NULL, hash TEXT NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE head (only INTEGER PRIMARY KEY CHECK (only = 1), count INTEGER NOT NULL, hash TEXT NOT NULL)"
    )
    connection.execute(f"PRAGMA application_id = {0x75734C31}")
    connection.close()
    with pytest.raises(LedgerError, match=r"made by understudy 0\.1, .*What it holds stays spent"):
        SQLiteLedger(tmp_path / "old.db", dataset="people", cap=1)


def test_another_working_folder_leads_to_no_other_ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger = SQLiteLedger("budget.db", dataset="people", cap=1)
    half = {"terms": PrivacyTerms(budget=make_budget("1/2"))}
    ledger.charge(**half)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ledger.charge(**half)
    assert ledger.remaining() == 0
    assert not (tmp_path / "elsewhere" / "budget.db").exists()


@pytest.mark.parametrize("field", ["epsilon", "delta"])
@pytest.mark.parametrize("amount", ["1e999999999", "-1", "1/0", "0x1", " 1", "٣", "9" * 5000])
def test_amounts_that_were_never_written_are_noticed_at_once(tmp_path, field, amount):
    path = tmp_path / "budget.db"
    SQLiteLedger(path, dataset="people", cap=1).charge(PrivacyTerms(budget=make_budget("1/2")))
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE entries SET {field} = ? WHERE id = 2", (amount,))
    with pytest.raises(LedgerError, match="tampered with"):
        read_ledger(path)
