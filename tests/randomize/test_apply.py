"""Applying a plan: what is written, what is refused, and what is on record whatever happens."""

from __future__ import annotations

import errno
import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import understudy.randomize._apply as module
from understudy._core.errors import BudgetExceeded, LedgerError, OptionError, OutputError, TableError
from understudy._core.randomness import SeededBytes
from understudy.privacy import PrivacyWarning, read_ledger
from understudy.randomize import apply, learn, open_randomized, plan
from understudy.randomize._study import study_of

SECRET = "correct horse battery staple"
SCHEMA = {
    "name": "hospital",
    "fields": [
        {"name": "smokes", "categories": ["no", "yes"]},
        {"name": "ill", "categories": ["none", "asthma", "copd"]},
        {"name": "ward", "categories": ["a", "b"]},
    ],
}
PLAN = plan(SCHEMA, epsilon="1.1", public=["ward"])
N = 400
ROWS = np.arange(N)
PEOPLE = pa.table(
    {
        "id": ROWS + 1_000,
        "smokes": np.array(["no", "yes"])[ROWS % 2],
        "ill": np.array(["none", "asthma", "copd"])[ROWS % 3],
        "ward": np.array(["a", "b"])[ROWS // 7 % 2],
        "noted": ["private"] * N,
    }
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "private" / "hospital.parquet"
    path.parent.mkdir()
    parquet.write_table(PEOPLE, path)
    return path


def run(source: Any, folder: Path, name: str = "sent", **options: Any) -> Any:
    return apply(source, options.pop("plan", PLAN), out=folder / f"{name}.parquet", **options)


def keyed(source: Any, folder: Path, name: str = "sent", **options: Any) -> Any:
    return run(source, folder, name, **({"key": "id", "secret": SECRET, "study": "asthma"} | options))


def sidecar(table: Path) -> Path:
    return table.with_name(table.name + ".ledger.db")


def left_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_columns_left_alone_are_sent_as_they_are_and_others_are_not(table: Path, tmp_path: Path) -> None:
    applied = run(table, tmp_path)
    found = open_randomized(applied.out, plan=PLAN).codes()
    assert found.columns[2].tolist() == (ROWS // 7 % 2).tolist()
    assert found.columns[1].tolist() != (ROWS % 3).tolist()
    assert (applied.n_rows, applied.left_out, applied.epsilon) == (N, 2, Fraction(11, 10))
    assert parquet.read_table(applied.out).column_names == ["smokes", "ill", "ward"]


def test_rows_with_keys_come_in_the_order_of_their_pseudonyms(table: Path, tmp_path: Path) -> None:
    applied = keyed(table, tmp_path)
    found = open_randomized(applied.out)
    pseudonyms = found.pseudonyms()
    assert pseudonyms is not None
    assert (np.diff(pseudonyms[:, 0].astype(object)) > 0).all()
    assert found.study == "asthma"
    assert parquet.read_table(applied.out).column_names == ["smokes", "ill", "ward", "pseudonym"]
    assert b"1007" not in applied.out.read_bytes()


def test_pseudonyms_stay_with_their_rows(tmp_path: Path) -> None:
    alone = plan(SCHEMA, epsilon=1, public=["ward", "smokes", "ill"])
    applied = keyed(PEOPLE, tmp_path, plan=alone, source_of_bits=SeededBytes(1))
    found = open_randomized(applied.out)
    again = keyed(PEOPLE.take(ROWS[::-1]), tmp_path, "again", plan=alone, source_of_bits=SeededBytes(2))
    other = open_randomized(again.out)
    assert found.pseudonyms().tolist() == other.pseudonyms().tolist()  # type: ignore[union-attr]
    columns = zip(found.codes().columns, other.codes().columns, strict=True)
    assert all((mine == theirs).all() for mine, theirs in columns)


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "polars"])
def test_every_source_has_the_same_pseudonyms(table: Path, tmp_path: Path, kind: str) -> None:
    source: Any = table
    if kind == "csv":
        source = tmp_path / "hospital.csv"
        PEOPLE.to_pandas().to_csv(source, index=False)
    elif kind != "parquet":
        polars = pytest.importorskip("polars")
        source = PEOPLE.to_pandas() if kind == "pandas" else polars.from_arrow(PEOPLE)
    expected = open_randomized(keyed(PEOPLE, tmp_path, "a", source_of_bits=SeededBytes(1)).out)
    found = open_randomized(keyed(source, tmp_path, "b", source_of_bits=SeededBytes(1)).out)
    assert found.pseudonyms().tolist() == expected.pseudonyms().tolist()  # type: ignore[union-attr]
    assert found.codes().columns[0].tolist() == expected.codes().columns[0].tolist()


def test_a_run_is_recorded_beside_the_table_and_a_second_refused(table: Path, tmp_path: Path) -> None:
    applied = run(table, tmp_path)
    assert applied.ledger == sidecar(table)
    found = read_ledger(sidecar(table))
    assert [(entry.kind, entry.epsilon, entry.method) for entry in found.entries] == [
        ("open", Fraction(11, 10), ""),
        ("charge", Fraction(11, 10), "randomize"),
    ]
    assert json.loads(found.entries[1].note)["columns"] == ["smokes", "ill"]
    with pytest.raises(LedgerError, match=r"columns 'smokes', 'ill' of dataset 'hospital' were randomised before"):
        run(table, tmp_path, "again")
    assert read_ledger(sidecar(table)).head == found.head
    assert not (tmp_path / "again.parquet").exists()


def test_a_forced_second_run_adds_up_and_says_so(table: Path, tmp_path: Path) -> None:
    run(table, tmp_path)
    applied = run(table, tmp_path, "again", force=True)
    assert (applied.times, applied.total_epsilon, applied.epsilon) == (2, Fraction(22, 10), Fraction(11, 10))
    assert open_randomized(applied.out).facts.times == 2
    account = read_ledger(sidecar(table)).account("hospital")
    assert (account.spent, account.cap, account.n_charges) == (Fraction(22, 10), Fraction(22, 10), 2)
    assert json.loads(read_ledger(sidecar(table)).entries[-1].note)["times"] == 2


@pytest.mark.parametrize("bounded", [True, False])
def test_a_study_of_a_forced_file_counts_earlier_runs_at_what_they_cost(
    table: Path, tmp_path: Path, bounded: bool
) -> None:
    first = (
        plan(SCHEMA, epsilon=5) if bounded else plan(SCHEMA, blocks=dict.fromkeys(("smokes", "ill", "ward"), "none"))
    )
    run(table, tmp_path, plan=first, no_guarantee=not bounded)
    applied = run(table, tmp_path, "again", plan=plan(SCHEMA, epsilon=1, columns=["smokes"]), force=True)
    assert applied.total_epsilon == (6 if bounded else None)
    statement = study_of(learn([applied.out])).statement
    assert statement.private == bounded
    assert statement.epsilon_of("hospital") == applied.total_epsilon


def test_the_ledger_beside_a_table_is_about_that_table_whatever_plans_call_their_party(
    table: Path, tmp_path: Path
) -> None:
    run(table, tmp_path)
    renamed = plan(SCHEMA, epsilon=1, party="clinic")
    with pytest.raises(LedgerError, match="of dataset 'hospital' were randomised before"):
        run(table, tmp_path, "again", plan=renamed)
    other_columns = plan(SCHEMA, epsilon=2, columns=["ward"], party="clinic")
    assert run(table, tmp_path, "more", plan=other_columns).dataset == "hospital"
    assert read_ledger(sidecar(table)).account("hospital").spent == Fraction(31, 10)
    assert run(table, tmp_path, "others", plan=renamed, dataset="last year").times == 1  # said to be other people
    assert run(table, tmp_path, "all", plan=renamed, force=True).times == 4


def test_another_ledger_does_not_hide_the_one_beside_the_table(table: Path, tmp_path: Path) -> None:
    run(table, tmp_path)
    elsewhere = {"ledger": tmp_path / "budget.db", "cap": 9}
    with pytest.raises(LedgerError, match="of dataset 'hospital' were randomised before"):
        run(table, tmp_path, "again", **elsewhere)
    forced = run(table, tmp_path, "again", force=True, **elsewhere)
    assert (forced.times, forced.total_epsilon) == (2, Fraction(22, 10))
    assert run(table, tmp_path, "others", dataset="last year", **elsewhere).times == 1  # said to be other people


def test_other_columns_of_the_same_table_may_follow_and_add_up(table: Path, tmp_path: Path) -> None:
    run(table, tmp_path, plan=plan(SCHEMA, epsilon=1, columns=["smokes"]))
    applied = run(table, tmp_path, "more", plan=plan(SCHEMA, epsilon=2, columns=["ill"]))
    assert applied.times == 1
    assert read_ledger(sidecar(table)).account("hospital").spent == 3


def test_a_cap_that_somebody_sets_is_kept(table: Path, tmp_path: Path) -> None:
    from understudy.privacy import SQLiteLedger

    run(table, tmp_path)
    SQLiteLedger(sidecar(table), dataset="hospital").change_cap("1.5", note="board")
    with pytest.raises(BudgetExceeded, match="asks for epsilon"):
        run(table, tmp_path, "again", force=True)


def test_public_columns_may_be_sent_again(table: Path, tmp_path: Path) -> None:
    public = plan(SCHEMA, epsilon=1, public=["ward"], columns=["ward"])
    assert run(table, tmp_path, plan=public).ledger is None
    assert run(table, tmp_path, "again", plan=public).epsilon == 0
    assert left_in(table.parent) == ["hospital.parquet"]


def test_a_copy_under_another_name_is_recognised_in_a_shared_ledger(table: Path, tmp_path: Path) -> None:
    ledger = {"ledger": tmp_path / "budget.db", "cap": 9}
    keyed(table, tmp_path, **ledger)
    copy = tmp_path / "copy.parquet"
    parquet.write_table(PEOPLE.slice(5).take(ROWS[: N - 5][::-1]), copy)
    with pytest.raises(LedgerError, match="of dataset 'hospital' were randomised before"):
        keyed(copy, tmp_path, "again", dataset="elsewhere", study="another study", **ledger)
    others = PEOPLE.set_column(0, "id", pa.array(ROWS + 9_000))
    assert keyed(others, tmp_path, "others", dataset="somewhere", **ledger).times == 1


def test_a_copy_in_the_same_folder_is_recognised_by_its_people(table: Path, tmp_path: Path) -> None:
    keyed(table, tmp_path)
    copy = table.with_name("copy.parquet")
    parquet.write_table(PEOPLE.take(ROWS[::-1]), copy)
    with pytest.raises(LedgerError, match="of dataset 'hospital' were randomised before"):
        keyed(copy, tmp_path, "again")
    with pytest.raises(LedgerError, match="of dataset 'hospital' were randomised before"):
        keyed(table, tmp_path, "again", ledger=tmp_path / "budget.db", cap=9)  # booked beside the table, not in there
    assert keyed(copy, tmp_path, "again", force=True).times == 2
    others = table.with_name("others.parquet")
    parquet.write_table(PEOPLE.set_column(0, "id", pa.array(ROWS + 9_000)), others)
    table.with_name("broken.csv.ledger.db").write_text("not a ledger")
    assert keyed(others, tmp_path, "others").times == 1


def test_a_secret_or_a_study_without_a_key_is_refused_before_anything_is_charged(table: Path, tmp_path: Path) -> None:
    for given in ({"secret": SECRET}, {"study": "demo"}):
        with pytest.raises(OptionError, match="no key was named"):
            run(table, tmp_path, **given)
    assert not sidecar(table).exists()


def test_the_record_shows_no_key(table: Path, tmp_path: Path) -> None:
    keyed(table, tmp_path)
    said = json.loads(read_ledger(sidecar(table)).entries[-1].note)
    assert len(said["people"]) == 32
    assert not {str(key) for key in range(1_000, 1_000 + N)} & set(said["people"])


def test_a_table_in_memory_needs_a_ledger(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="table in memory"):
        run(PEOPLE, tmp_path)
    with pytest.warns(PrivacyWarning, match="not recorded"):
        assert run(PEOPLE, tmp_path, record=False).ledger is None
    assert run(PEOPLE, tmp_path, "more", ledger=tmp_path / "budget.db", cap=2).dataset == "hospital"
    with pytest.raises(LedgerError, match="Give its cap"):
        run(PEOPLE, tmp_path, "third", ledger=tmp_path / "other.db")


def test_the_ledgers_cap_is_asked_before_the_table_is_read(tmp_path: Path) -> None:
    with pytest.raises(BudgetExceeded):
        run(PEOPLE.drop_columns(["smokes"]), tmp_path, ledger=tmp_path / "budget.db", cap=1)


def test_a_rehearsal_is_stamped_and_charges_nothing(table: Path, tmp_path: Path) -> None:
    applied = run(table, tmp_path, source_of_bits=SeededBytes(3))
    assert (applied.stamp, applied.ledger) == ("NOT PRIVATE: seeded", None)
    assert open_randomized(applied.out).facts.stamp == "NOT PRIVATE: seeded"
    assert left_in(table.parent) == ["hospital.parquet"]


def test_a_plan_without_bound_needs_a_word_and_is_recorded(table: Path, tmp_path: Path) -> None:
    bare = plan(SCHEMA, epsilon=1, blocks={"ill": "none"})
    with pytest.raises(OptionError, match="this plan bounds nothing"):
        run(table, tmp_path, plan=bare)
    applied = run(table, tmp_path, plan=bare, no_guarantee=True)
    assert (applied.epsilon, applied.total_epsilon) == (None, None)
    found = read_ledger(sidecar(table))
    assert [entry.kind for entry in found.entries] == ["open", "unbounded"]
    assert (found.account("hospital").spent, found.account("hospital").n_unbounded) == (0, 1)
    with pytest.raises(LedgerError, match="randomised before"):
        run(table, tmp_path, "again")
    assert run(table, tmp_path, "again", force=True).total_epsilon is None


def test_an_invariant_matrix_is_worked_out_and_goes_into_the_file(table: Path, tmp_path: Path) -> None:
    invariant = plan(SCHEMA, epsilon=1, blocks={"ill": "invariant=0.8"}, public=["ward"])
    applied = run(table, tmp_path, plan=invariant, no_guarantee=True)
    [block] = [block for block in open_randomized(applied.out).plan.blocks if block.columns == ("ill",)]
    assert block.matrix is not None
    assert block.from_data
    counts = np.bincount(ROWS % 3)
    assert counts @ block.matrix.dense == pytest.approx(counts)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.set_column(1, "smokes", pa.array(["maybe"] * N)), "not among its 2 categories"),
        (lambda t: t.drop_columns(["ill"]), "no column 'ill'"),
        (lambda t: t.slice(0, 0), "no rows"),
        (lambda t: t.set_column(0, "id", pa.array([None, *range(1, N)])), r"key is missing in 1 row \(row 1\)"),
        (lambda t: t.set_column(0, "id", pa.array(["a", " ", *map(str, range(N - 2))])), r"\(row 2\)"),
        (lambda t: t.set_column(0, "id", pa.array([1.5] * N)), "Keys are whole numbers or texts"),
        (lambda t: t.set_column(0, "id", pa.array([[1]] * N)), "Keys are whole numbers or texts"),
        (lambda t: t.set_column(0, "id", pa.array([1, 1, 2, 2, 2, *range(9, N + 4)])), "2 keys have more than one row"),
    ],
)
def test_faults_of_the_table_write_and_charge_nothing(tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises(TableError, match=message) as caught:
        keyed(change(PEOPLE), tmp_path, ledger=tmp_path / "budget.db", cap=2)
    assert left_in(tmp_path) == []
    assert "maybe" not in str(caught.value)


def test_rows_of_repeated_keys_can_be_dropped(tmp_path: Path) -> None:
    ids = pa.array([7, 7, *range(100, 100 + N - 3), 7])
    applied = keyed(PEOPLE.set_column(0, "id", ids), tmp_path, duplicates="drop", source_of_bits=SeededBytes(1))
    assert (applied.n_rows, applied.dropped) == (N - 3, 3)
    assert open_randomized(applied.out).codes().n == N - 3
    with pytest.raises(OptionError, match="'refuse' or 'drop'"):
        keyed(PEOPLE, tmp_path, "more", duplicates="first", source_of_bits=SeededBytes(1))
    same = PEOPLE.set_column(0, "id", pa.array([7] * N))
    with pytest.raises(TableError, match="no row is left"):
        keyed(same, tmp_path, "none", duplicates="drop", source_of_bits=SeededBytes(1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"key": "idd"}, "no column 'idd' to be the key"),
        ({"key": "ill"}, "a column of the plan too"),
        ({"secret": "short"}, "can be guessed"),
        ({"secret": "a" * 40}, "repeats a few characters"),
        ({"study": "x" * 201}, "characters at most"),
    ],
)
def test_mistaken_keys_are_refused(table: Path, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        keyed(table, tmp_path, **options)
    assert left_in(table.parent) == ["hospital.parquet"]


def test_an_output_that_cannot_be_is_refused_first(table: Path, tmp_path: Path) -> None:
    (tmp_path / "sent.parquet").write_text("old")
    with pytest.raises(OutputError, match="is there already"):
        run(table, tmp_path)
    with pytest.raises(OutputError, match="the private table itself"):
        apply(table, PLAN, out=table, overwrite=True)
    with pytest.raises(OutputError, match=r"in \.parquet"):
        apply(table, PLAN, out=tmp_path / "sent.csv")
    with pytest.raises(OutputError, match="a part of the path is a file"):
        apply(table, PLAN, out=tmp_path / "sent.parquet" / "sent.parquet")
    assert left_in(table.parent) == ["hospital.parquet"]
    assert run(table, tmp_path, overwrite=True).n_rows == N


def test_folders_on_the_way_are_made_and_go_again_if_it_fails(tmp_path: Path) -> None:
    wanted = tmp_path / "outbox" / "2026" / "sent.parquet"
    with pytest.raises(TableError):
        apply(PEOPLE.drop_columns(["ill"]), PLAN, out=wanted, source_of_bits=SeededBytes(1))
    assert left_in(tmp_path) == []
    assert apply(PEOPLE, PLAN, out=wanted, source_of_bits=SeededBytes(1)).out.is_file()


def test_a_full_disk_charges_nothing(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(OutputError, match="the disk is full"):
        run(table, tmp_path)
    assert left_in(tmp_path) == ["private"]
    assert left_in(table.parent) == ["hospital.parquet"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "input/output error")])
def test_whatever_stops_it_after_the_charge_tells_of_it(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises((KeyboardInterrupt, OutputError)) as caught:
        run(table, tmp_path)
    assert "The charge of epsilon 1.1 to dataset 'hospital' stays in the ledger." in caught.value.__notes__
    assert left_in(tmp_path) == ["private"]
    assert read_ledger(sidecar(table)).account("hospital").spent == Fraction(11, 10)


def test_an_interrupt_before_the_charge_leaves_nothing(table: Path, tmp_path: Path) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(table, tmp_path, progress=stop)
    assert left_in(tmp_path) == ["private"]
    assert left_in(table.parent) == ["hospital.parquet"]


def test_two_runs_at_once_book_one(table: Path, tmp_path: Path) -> None:
    """The second one starts and ends while the first is about to book."""
    done = []

    def meanwhile(stage: str, *_: int) -> None:
        if stage == "recording" and not done:
            done.append(run(table, tmp_path, "quick"))

    with pytest.raises(LedgerError, match="randomised before"):
        run(table, tmp_path, progress=meanwhile)
    done.clear()

    def again(stage: str, *_: int) -> None:
        if stage == "recording" and not done:
            done.append(run(table, tmp_path, "fourth", force=True))

    with pytest.raises(LedgerError, match="in the meantime"):
        run(table, tmp_path, "third", force=True, progress=again)
    assert left_in(tmp_path) == ["fourth.parquet", "private", "quick.parquet"]
    assert read_ledger(sidecar(table)).account("hospital").n_charges == 2


def test_groups_of_rows_tell_nothing_of_how_long_lines_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.randomize._stream._GROUP", 128)
    lengths = []
    for width in (1, 40_000):  # a text file is read by bytes, so long lines make short batches
        path = tmp_path / f"of{width}.csv"
        path.write_text("smokes,noted\n" + f"no,{'x' * width}\n" * N)
        sent = run(path, tmp_path, f"sent{width}", plan=plan(SCHEMA, epsilon=1, columns=["smokes"]))
        found = parquet.read_metadata(sent.out)
        lengths.append([found.row_group(i).num_rows for i in range(found.num_row_groups)])
    assert lengths == [[128, 128, 128, 16]] * 2


def test_a_large_table_is_written_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.randomize._stream._GROUP", 128)
    monkeypatch.setattr("understudy.tables._stream._ROWS", 64)
    alone = plan(SCHEMA, epsilon=1, public=["ward", "smokes", "ill"])
    table = PEOPLE.set_column(3, "ward", pa.array(np.array(["a", "b"])[(ROWS >= 128).astype(int)]))
    from understudy.tables import open_source

    source = open_source(table)
    parts = [
        [column.slice(i, 64) for column in (table[n].combine_chunks() for n in table.column_names)]
        for i in range(0, N, 64)
    ]
    named = [dict(zip(table.column_names, part, strict=True)) for part in parts]

    def batches(wanted: Any, rows: int = 0) -> Any:
        return iter([[part[name] for name in wanted] for part in named])

    object.__setattr__(source, "batches", batches)
    found = open_randomized(keyed(source, tmp_path, plan=alone, source_of_bits=SeededBytes(1)).out)
    wards = found.codes().columns[2]
    assert wards[:128].sum() == 0
    assert wards[128:].all()
    pseudonyms = found.pseudonyms()
    assert pseudonyms is not None
    assert (np.diff(pseudonyms[:128, 0].astype(object)) > 0).all()
    assert not (np.diff(pseudonyms[:, 0].astype(object)) > 0).all()
