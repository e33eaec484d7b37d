"""Names that look alike are one account, or are refused, or are warned about before the charge."""

from functools import partial

import pytest

from understudy._core.errors import LedgerError, OptionError
from understudy.privacy import MemoryLedger, PrivacyTerms, PrivacyWarning, SQLiteLedger, make_budget, read_ledger
from understudy.privacy._dataset_names import find_name, near_names

ONE = {"terms": PrivacyTerms(budget=make_budget(1))}


@pytest.fixture
def path(tmp_path):
    SQLiteLedger(tmp_path / "budget.db", dataset="Größe 2024", cap=3).charge(**ONE)
    return tmp_path / "budget.db"


@pytest.mark.parametrize(
    "same", ["Größe 2024", "GRÖSSE 2024", "größe  2024 ", "Gro\u0308ße\u00a02024", "Größe\u3000２０２４"]
)
def test_names_that_differ_in_case_width_form_or_blanks_are_one_account(path, same):
    ledger = SQLiteLedger(path, dataset=same)
    ledger.charge(**ONE)
    found = read_ledger(path)
    assert list(found.accounts) == ["Größe 2024"]
    assert (ledger.spent(), ledger.spent(same), ledger.dataset) == (2, 2, "Größe 2024")
    assert {entry.dataset for entry in found.entries} == {"Größe 2024"}
    with pytest.raises(LedgerError, match="has cap 3 in this ledger"):
        SQLiteLedger(path, dataset=same, cap=5)


def test_two_that_open_one_account_at_once_under_two_spellings_share_it(tmp_path):
    first = SQLiteLedger(tmp_path / "budget.db", dataset="people", cap=2)
    second = SQLiteLedger(tmp_path / "budget.db", dataset="PEOPLE", cap=2)
    first.charge(**ONE)
    second.check(**ONE)
    second.charge(**ONE)
    assert [account.spent for account in read_ledger(first.path).accounts.values()] == [2]
    assert second.remaining() == 0
    second.change_cap(5)
    assert first.remaining() == 3


@pytest.mark.parametrize(
    "name",
    [
        "people\u200b", "peo\u200dple", "\ufeffpeople", "people\u202e", "pe\u00adople", "people\x00", "people\t1",
        "people\n", "people\x1b[2J", "people\u2028", "people\udcff", "people\u3164", "people\ufe0f", "\u2800people",
        "pe\u034fople", "people\u2066",
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [MemoryLedger, partial(SQLiteLedger, "budget.db")], ids=["memory", "sqlite"])
def test_characters_that_cannot_be_seen_are_refused(tmp_path, monkeypatch, name, make):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=r"a character that cannot be seen \(U\+[0-9A-F]{4}, number \d") as refused:
        make(dataset=name, cap=1)
    assert str(refused.value).isprintable()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "  ", "\u3000", None, 7])
def test_a_name_there_must_be(name):
    with pytest.raises(OptionError, match="needs the name of a dataset"):
        MemoryLedger(dataset=name, cap=1)


@pytest.mark.parametrize("near", ["Größe 2025", "Grösse-2024", "Groesse 2024", "Größe2024", "Größe 202", "Grоße 2024"])
def test_a_new_account_whose_name_is_near_another_is_warned_about_before_the_charge(path, near):
    with pytest.warns(PrivacyWarning, match=f"dataset '{near}' is new in this ledger, and its name is near 'Größe"):
        ledger = SQLiteLedger(path, dataset=near, cap=1)
    assert len(read_ledger(path).entries) == 2
    ledger.charge(**ONE)
    SQLiteLedger(path, dataset=near)  # it is not new any more


def test_names_of_other_alphabets_that_look_the_same_are_near():
    assert near_names("реорlе", ["people"]) == ["people"]  # all but the l are Cyrillic
    assert near_names("vis1ts", ["visits", "wards"]) == ["visits"]
    assert near_names("icu", ["ico", "lab"]) == []
    assert near_names("patients", ["people", "visits"]) == []


def test_a_file_from_before_that_has_two_spellings_keeps_its_two_accounts():
    assert find_name("People", ["people", "People"]) == "People"
    with pytest.raises(OptionError, match=r"'PEOPLE' could mean each of 'people', 'People' in this ledger"):
        find_name("PEOPLE", ["people", "People"])
