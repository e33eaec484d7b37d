"""The ledger never loses a charge, never lets two processes overspend, and notices when it was changed."""

import copy
import pickle
import sqlite3
import subprocess
import sys
import threading
import time
from fractions import Fraction
from types import SimpleNamespace

import pytest

from tests.warm import WarmProcess
from understudy._core.errors import BudgetExceeded, LedgerError, OptionError
from understudy.privacy import (
    ADD_REMOVE,
    REPLACE_ONE,
    MemoryLedger,
    PrivacyTerms,
    SQLiteLedger,
    make_budget,
    read_ledger,
)

ONE = {"terms": PrivacyTerms(budget=make_budget(1))}


def cost(epsilon, delta=0, neighbours=REPLACE_ONE):
    budget = SimpleNamespace(epsilon=Fraction(epsilon), delta=Fraction(delta))
    return {"terms": PrivacyTerms(budget=budget, neighbours=neighbours)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


@pytest.fixture
def ledger(path):
    """Three charges of 1, to a cap of 4."""
    ledger = SQLiteLedger(path, dataset="people", cap=4)
    for number in range(3):
        ledger.charge(**ONE, method="privbayes", note=f"run {number}")
    return ledger


def edit(path, *statements):
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


# -- spending ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(Fraction(-1), 0), (0, 0), (0.5, 0), (float("nan"), 0), (True, 0), (1, Fraction(-1, 2)), (1, 1)],
)
def test_a_charge_that_is_not_exact_or_gives_back_is_refused_and_changes_nothing(kind, epsilon, delta, path):
    """A float had another text, and so another hash, once it was read back: the file was of no use any more."""
    ledger = MemoryLedger(dataset="d", cap="1") if kind == "memory" else SQLiteLedger(path, dataset="d", cap="1")
    with pytest.raises(LedgerError, match="must be exact fractions"):
        ledger.charge(PrivacyTerms(budget=SimpleNamespace(epsilon=epsilon, delta=delta)))
    assert ledger.show() == ()
    ledger.charge(**ONE)
    assert ledger.remaining() == 0


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_charge_over_the_cap_is_refused_and_changes_nothing(kind, path):
    ledger = MemoryLedger(dataset="d", cap="1") if kind == "memory" else SQLiteLedger(path, dataset="d", cap="1")
    ledger.charge(**cost("2/3"))
    before = ledger.show()
    with pytest.raises(BudgetExceeded, match=r"epsilon 0\.5 of dataset 'd', but 1/3 of its cap 1 is left"):
        ledger.charge(**cost("1/2"))
    assert ledger.show() == before
    ledger.charge(**cost("1/3"))
    assert (ledger.spent(), ledger.remaining()) == (1, 0)
    with pytest.raises(BudgetExceeded, match="its cap 1 is spent"):
        ledger.charge(**cost("1/1000000"))


def test_a_first_charge_over_the_cap_leaves_no_dataset_behind(path):
    ledger = SQLiteLedger(path, dataset="d", cap=1)
    with pytest.raises(BudgetExceeded):
        ledger.charge(**cost(2))
    assert ledger.show() == ()
    assert ledger.remaining() == 1


def test_ten_tenths_are_one(path):
    ledger = SQLiteLedger(path, dataset="d", cap=1)
    for _ in range(10):
        ledger.charge(**cost("0.1"))
    assert ledger.remaining() == 0


def test_deltas_are_summed_and_capped_when_asked(path):
    ledger = SQLiteLedger(path, dataset="d", cap=9, delta_cap="1e-6")
    ledger.charge(**cost(1, "6e-7"))
    with pytest.raises(BudgetExceeded, match="of its delta cap 1e-6 is left"):
        ledger.charge(**cost(1, "6e-7"))
    ledger.charge(**cost(1, "4e-7"))
    assert read_ledger(path).accounts["d"].delta_spent == Fraction("1e-6")


def test_datasets_in_one_file_have_accounts_of_their_own(ledger, path):
    other = SQLiteLedger(path, dataset="firms", cap=1)
    other.charge(**cost(1, neighbours=ADD_REMOVE))
    assert other.remaining() == 0
    assert ledger.remaining() == 1
    assert other.spent("people") == 3
    found = read_ledger(path)
    assert [entry.kind for entry in found.entries] == ["open", "charge", "charge", "charge", "open", "charge"]
    assert found.accounts["firms"].neighbours is ADD_REMOVE
    with pytest.raises(LedgerError, match=r"no dataset 'firm' in this ledger\. Did you mean 'firms'"):
        other.spent("firm")


def test_an_entry_says_everything_about_the_run(ledger):
    entry = ledger.show()[-1]
    assert (entry.id, entry.dataset, entry.kind, entry.method, entry.note) == (
        4,
        "people",
        "charge",
        "privbayes",
        "run 2",
    )
    assert entry.time.endswith("+00:00")
    assert entry.previous == ledger.show()[-2].hash
    assert entry.hash == ledger.head()


def test_runs_under_another_neighbour_relation_are_refused(ledger):
    with pytest.raises(LedgerError, match="kept under replace-one neighbours, and this run is under add-remove"):
        ledger.charge(**cost(1, neighbours=ADD_REMOVE))


def test_a_cap_is_fixed_by_its_first_use_and_changed_only_on_purpose(ledger, path):
    with pytest.raises(LedgerError, match="has cap 4 in this ledger, and this run names 9"):
        SQLiteLedger(path, dataset="people", cap=9)
    with pytest.raises(LedgerError, match="delta cap none in this ledger"):
        SQLiteLedger(path, dataset="people", delta_cap="1e-9")
    assert SQLiteLedger(path, dataset="people").remaining() == 1
    entry = ledger.change_cap(9, note="board meeting")
    assert (entry.kind, entry.note, ledger.remaining()) == ("cap", "board meeting", 6)
    ledger.change_cap("1/2")
    assert ledger.remaining() == 0
    with pytest.raises(BudgetExceeded):
        ledger.charge(**ONE)


def test_a_charge_notices_a_cap_that_another_process_changed_meanwhile(ledger, path):
    stale = SQLiteLedger(path, dataset="people", cap=4)
    ledger.change_cap(9)
    with pytest.raises(LedgerError, match="has cap 9 in this ledger"):
        stale.charge(**ONE)


def test_a_check_tells_in_advance_and_charges_nothing(ledger, path):
    ledger.check(**ONE)
    with pytest.raises(BudgetExceeded):
        ledger.check(**cost(2))
    SQLiteLedger(path.with_name("new.db"), dataset="d", cap=1).check(**ONE)
    assert not path.with_name("new.db").exists()
    assert ledger.spent() == 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"dataset": "d"}, "Give its cap on first use"),
        ({"dataset": "", "cap": 1}, "needs the name of a dataset"),
        ({"dataset": "d", "cap": 0}, "'cap' parameter must be above 0"),
        ({"dataset": "d", "cap": "much"}, "'cap' parameter must be a finite number"),
        ({"dataset": "d", "cap": float("nan")}, "'cap' parameter must be a finite number"),
        ({"dataset": "d", "cap": 1, "delta_cap": 1}, "'delta_cap' parameter must lie between"),
    ],
)
def test_a_ledger_opened_wrongly_is_refused_with_a_sentence(options, sentence, path):
    with pytest.raises((LedgerError, OptionError), match=sentence):
        SQLiteLedger(path, **options)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_ledger_cannot_be_copied(duplicate, ledger):
    for original in (ledger, MemoryLedger(cap=1)):
        with pytest.raises(TypeError, match="cannot be copied"):
            duplicate(original)


def test_threads_cannot_overspend_a_ledger_in_memory():
    ledger = MemoryLedger(cap=1)
    refused = []

    def spend():
        for _ in range(20):
            try:
                ledger.charge(**cost("1/50"))
            except BudgetExceeded:
                refused.append(1)

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (ledger.spent(), len(refused)) == (1, 30)


# -- processes ---------------------------------------------------------------------------------------------------------


# Tries ten times, and says how often it got what it asked for.
RACER = """
import sys
from understudy._core.errors import BudgetExceeded
from understudy.privacy import PrivacyTerms, SQLiteLedger, make_budget
made = 0
for _ in range(10):
    ledger = SQLiteLedger(sys.argv[1], dataset="race", cap=1, wait_seconds=600)
    try:
        ledger.charge(PrivacyTerms(budget=make_budget("1/20")))
        made += 1
    except BudgetExceeded:
        pass
print(made)
"""


def test_processes_racing_to_the_cap_never_overspend(path):
    racers = [WarmProcess([str(path)], code=RACER) for _ in range(4)]
    made = sum(int(racer.communicate(timeout=600)[0]) for racer in racers)
    account = read_ledger(path).accounts["race"]
    assert made == account.n_charges == 20
    assert account.spent == 1


# Charges until killed; says so after each charge, as a run would only then look at its data.
SPENDER = """
import sys
from understudy.privacy import PrivacyTerms, SQLiteLedger, make_budget
while True:
    ledger = SQLiteLedger(sys.argv[1], dataset="killed", cap=10**6, wait_seconds=600)
    ledger.charge(PrivacyTerms(budget=make_budget("1/7")))
    sys.stdout.write("charged\\n")
    sys.stdout.flush()
"""


def test_kill_9_at_any_moment_never_loses_a_charge(path):
    acknowledged = 0
    n_kills = 6
    for round_number in range(n_kills):
        spender = WarmProcess([str(path)], code=SPENDER)
        spender.stdout.readline()
        # another moment each round; which one does not matter for the outcome
        time.sleep(0.0037 * (round_number + 1))
        spender.kill()
        rest, _ = spender.communicate()
        acknowledged += 1 + rest.count("charged")
        account = read_ledger(path).accounts["killed"]  # verifies the chain
        # killed between the commit and the word: charged, though no data were looked at
        assert acknowledged <= account.n_charges <= acknowledged + round_number + 1
        assert account.spent == Fraction(account.n_charges, 7)
    SQLiteLedger(path, dataset="killed").charge(**cost("1/7"))


HALF_WRITTEN = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 2")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE entries SET epsilon = '0'")
blank = ", ''" * 10
for i in range(5, 400):
    connection.execute(f"INSERT INTO entries VALUES (?{blank}, ?, '', '')", (i, "x" * 500))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_pages_half_written_by_a_killed_process_are_rolled_back(ledger, path):
    size = path.stat().st_size
    subprocess.run([sys.executable, "-c", HALF_WRITTEN, str(path)], check=False)
    assert path.stat().st_size > size  # some of it did reach the file
    assert read_ledger(path).accounts["people"].spent == 3
    ledger.charge(**ONE)


def test_a_ledger_locked_by_another_process_is_told_so(ledger, path):
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(LedgerError, match=r"locked by another process\. Nothing was charged"):
            SQLiteLedger(path, dataset="people", wait_seconds=0.05)
    finally:
        holder.close()
    patient = SQLiteLedger(path, dataset="people", wait_seconds=0.05)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(LedgerError, match="locked by another process"):
            patient.charge(**ONE)
    finally:
        holder.close()
    patient.charge(**ONE)


def test_a_crash_in_the_middle_of_a_charge_rolls_it_back(ledger, path, monkeypatch):
    def crash(*_args, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("understudy.privacy._sqlite_ledger.next_entries", crash)
        with pytest.raises(KeyboardInterrupt):
            ledger.charge(**ONE)
    assert ledger.spent() == 3
    ledger.charge(**ONE)


# -- files in trouble --------------------------------------------------------------------------------------------------


def test_a_read_only_ledger_can_be_shown_but_not_charged(ledger, path):
    path.chmod(0o444)
    assert read_ledger(path).accounts["people"].spent == 3
    with pytest.raises(LedgerError, match=r"is read-only\. Nothing was charged"):
        SQLiteLedger(path, dataset="people").charge(**ONE)


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to look like one" * 40, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_corrupt_file_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(LedgerError, match="corrupt or not a ledger"):
        SQLiteLedger(path, dataset="people", cap=1)
    with pytest.raises(LedgerError, match="corrupt or not a ledger"):
        read_ledger(path)


def test_a_ledger_whose_list_of_objects_is_no_text_is_refused(ledger, path):
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE entries", b"CREATE TABLE entr\xcces"))
    with pytest.raises(LedgerError, match="corrupt or not a ledger"):
        read_ledger(path)


def test_a_file_cut_short_is_refused(ledger, path):
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LedgerError):
        ledger.charge(**ONE)


def test_an_empty_file_is_a_new_ledger_and_a_folder_is_none(path, tmp_path):
    path.touch()  # what a process leaves that was killed before its first charge
    SQLiteLedger(path, dataset="people", cap=1).charge(**ONE)
    with pytest.raises(LedgerError, match="is a folder"):
        SQLiteLedger(tmp_path, dataset="people", cap=1)
    with pytest.raises(LedgerError, match="cannot be opened"):
        SQLiteLedger(tmp_path / "no" / "such" / "folder.db", dataset="people", cap=1).charge(**ONE)
    with pytest.raises(LedgerError, match="there is no ledger at"):
        read_ledger(tmp_path / "missing.db")


def test_somebody_elses_database_is_left_alone(path):
    edit(path, "CREATE TABLE cats (name TEXT)")
    with pytest.raises(LedgerError, match="not a ledger of ours"):
        SQLiteLedger(path, dataset="people", cap=1)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET epsilon = '1/10' WHERE id = 2",
        "UPDATE entries SET epsilon = 'lots' WHERE id = 2",
        "UPDATE entries SET epsilon = '1/0' WHERE id = 2",
        "UPDATE entries SET epsilon = '400' WHERE id = 1",  # the cap
        "UPDATE entries SET dataset = 'other' WHERE id = 3",
        "UPDATE entries SET kind = 'cap' WHERE id = 3",
        "UPDATE entries SET kind = 'gift' WHERE id = 3",
        "UPDATE entries SET neighbours = 'add-remove' WHERE id = 1",
        "UPDATE entries SET note = 'innocent' WHERE id = 3",
        "UPDATE entries SET note = x'00' WHERE id = 3",
        "UPDATE entries SET time = '2001-01-01' WHERE id = 4",
        "DELETE FROM entries WHERE id = 3",
        "DELETE FROM entries WHERE id = 4",  # the tail: the head row knows
        "DELETE FROM entries",
        "DELETE FROM head",
        "UPDATE head SET count = 3",
        "INSERT INTO entries SELECT 5, time, dataset, kind, epsilon, delta, neighbours, unit, max_rows, unit_column, "
        "method, note, previous, hash "
        "FROM entries WHERE id = 4",
    ],
)
def test_tampering_is_noticed_by_reading_opening_and_charging(ledger, path, statement):
    edit(path, statement)
    for use in (
        lambda: read_ledger(path),
        lambda: SQLiteLedger(path, dataset="people"),
        lambda: ledger.charge(**ONE),
        lambda: ledger.change_cap(9),
    ):
        with pytest.raises(LedgerError, match="tampered with"):
            use()


def test_a_row_rehashed_alone_breaks_the_next_link(ledger, path):
    from dataclasses import replace

    forged = replace(ledger.show()[1], epsilon=Fraction(1, 1000)).sealed()
    edit(path, f"UPDATE entries SET epsilon = '1/1000', hash = '{forged.hash}' WHERE id = 2")
    with pytest.raises(LedgerError, match="tampered with"):
        ledger.charge(**ONE)


def test_a_published_head_reveals_a_file_that_was_cut_and_patched(ledger, path):
    published = ledger.head()
    assert ledger.contains(published)
    kept = ledger.show()[-2]
    # whoever can write the file can cut its tail and mend the head row: the file alone cannot tell, the head can
    edit(path, "DELETE FROM entries WHERE id = 4", f"UPDATE head SET count = 3, hash = '{kept.hash}'")
    assert ledger.spent() == 2
    assert not ledger.contains(published)


def test_changing_the_cap_leaves_the_cap_on_delta_unless_another_is_given(path):
    ledger = SQLiteLedger(path, dataset="d", cap=1, delta_cap="1e-6")
    ledger.charge(**ONE)
    assert ledger.change_cap(2).delta == Fraction(1, 10**6)
    assert ledger.change_cap(3, delta_cap="1e-5").delta == Fraction(1, 10**5)
    assert read_ledger(path).accounts["d"].delta_cap == Fraction(1, 10**5)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "CREATE TRIGGER undo AFTER INSERT ON entries BEGIN DELETE FROM entries WHERE id = NEW.id; END",
            "trigger 'undo'",
        ),
        ("CREATE VIEW cheap AS SELECT 0 AS epsilon", "view 'cheap'"),
        ("CREATE TABLE notes (text TEXT)", "table 'notes'"),
        ("CREATE INDEX fast ON entries (dataset)", "index 'fast'"),
        ("ALTER TABLE entries ADD COLUMN more TEXT", "table 'entries'"),
    ],
)
def test_a_ledger_that_holds_what_we_did_not_make_is_refused(path, ledger, statement, words):
    edit(path, "ANALYZE")
    assert ledger.spent() == 3
    edit(path, statement)
    with pytest.raises(LedgerError, match=f"tampered with: it holds a {words}"):
        ledger.charge(**ONE)


def test_an_unknown_dataset_is_told_which_ones_there_are(path, ledger):
    with pytest.raises(LedgerError, match=r"--cap 3 .*Did you mean 'people'"):
        SQLiteLedger(path, dataset="peopel")


def test_a_spent_ledger_in_memory_says_what_can_be_done_about_it():
    ledger = MemoryLedger(dataset="d", cap=1, delta_cap="1e-6")
    for refused in (ledger.check, ledger.charge):
        with pytest.raises(BudgetExceeded, match=r"Ask for 1 or less, or make the ledger with a larger cap\.$"):
            refused(**cost(2))
    assert ledger.show() == ()
    ledger.check(**cost(1))
    ledger.charge(**cost(1))
    with pytest.raises(BudgetExceeded, match=r"that is free\. Or make the ledger with a larger cap\.$"):
        ledger.check(**cost("1/2"))


class Interrupted(sqlite3.Connection):
    """Hears of Ctrl-C while it writes: Python raises it before or after the statement."""

    word, late = "", False

    def execute(self, statement, *values):
        if statement == self.word and not self.late:
            raise KeyboardInterrupt
        result = super().execute(statement, *values)
        if statement == self.word:
            raise KeyboardInterrupt
        return result


@pytest.mark.parametrize("late", [False, True])
def test_an_interrupt_during_a_charge_is_told_with_what_became_of_it(path, monkeypatch, late):
    connect = sqlite3.connect
    monkeypatch.setattr(Interrupted, "word", "COMMIT")
    monkeypatch.setattr(Interrupted, "late", late)
    ledger = SQLiteLedger(path, dataset="d", cap=3)
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, factory=Interrupted, **options))
    with pytest.raises(KeyboardInterrupt) as stopped:
        ledger.charge(**cost(1))
    monkeypatch.undo()
    assert SQLiteLedger(path, dataset="d", cap=3).spent() == (1 if late else 0)
    notes = ["The charge of epsilon 1 to dataset 'd' stays in the ledger."] if late else []
    assert getattr(stopped.value, "__notes__", []) == notes
