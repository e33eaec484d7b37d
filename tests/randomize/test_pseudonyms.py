"""One person has one pseudonym, from whatever file, and nobody without the secret can make it."""

from __future__ import annotations

import hmac
import unicodedata
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy._core.errors import OptionError, TableError
from understudy.randomize import read_secret, write_secret
from understudy.randomize._keys import Keys
from understudy.randomize._pseudonyms import Pseudonymizer, canonical_keys, check_secret, make_secret
from understudy.tables import open_source

SECRET = "correct horse battery staple"


def texts_of(column: object) -> list[str]:
    frame = pd.DataFrame({"key": pd.Series(column)})
    [[cells]] = open_source(frame).batches(["key"])
    found: list[str] = canonical_keys(cells).to_pylist()
    return found


def test_a_pseudonym_is_the_hmac_that_the_proof_says() -> None:
    key = hmac.digest(SECRET.encode(), b"understudy/1 pseudonyms\0asthma", "sha256")
    expected = hmac.digest(key, b"17", "sha256")[:16]
    assert Pseudonymizer(SECRET, "asthma")(pa.array([17])).tobytes() == expected


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([17, 1000]),
        pa.array([17, 1000], pa.uint16()),
        pa.array(["17", " 1000\t"]),
        pa.array(["17", "1000"], pa.large_string()),
        pa.array(["17", "1000"]).dictionary_encode(),
        pa.array([1, 17, 1000]).slice(1),
        pa.array(["x", "17", "1000"]).slice(1),
    ],
)
def test_whole_numbers_and_their_texts_are_one_key(cells: pa.Array) -> None:
    expected = Pseudonymizer(SECRET, "")(pa.array(["17", "1000"]))
    assert Pseudonymizer(SECRET, "")(cells).tolist() == expected.tolist()


def test_leading_zeros_and_case_count() -> None:
    made = Pseudonymizer(SECRET, "")(pa.array(["7", "007", "a", "A"]))
    assert len({row.tobytes() for row in made}) == 4


def test_composed_and_decomposed_letters_are_one_key() -> None:
    forms = [unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD")]
    assert forms[0] != forms[1]
    made = Pseudonymizer(SECRET, "")(pa.array(forms))
    assert made[0].tolist() == made[1].tolist()


def test_columns_of_python_objects_are_read_cell_by_cell() -> None:
    assert texts_of([17, "b ", 10**30]) == ["17", "b", str(10**30)]


@pytest.mark.parametrize("cells", [[1.0, 2.5], [[1], [2]], [Decimal("1.5"), Decimal(2)], [True, False]])
def test_keys_that_are_written_in_several_ways_are_refused(cells: list[object]) -> None:
    with pytest.raises(TableError, match="Keys are whole numbers or texts"):
        texts_of(cells)


def test_a_key_of_another_type_is_told_by_its_row() -> None:
    with pytest.raises(TableError, match=r"\(row 2\)") as caught:
        texts_of(["a", 2.5])
    assert "2.5" not in str(caught.value)


def test_missing_keys_are_told_by_row_over_all_batches() -> None:
    one = Pseudonymizer(SECRET, "")
    one(pa.array(["a", "b"]))
    with pytest.raises(TableError, match=r"missing in 2 rows \(row 3, 5\)"):
        one(pa.array([None, "c", "  "]))


def test_another_study_or_secret_has_other_pseudonyms_and_another_check() -> None:
    keys = pa.array(["a", "b"])
    makers = [Pseudonymizer(*pair) for pair in ((SECRET, "x"), (SECRET, "y"), (SECRET + "!", "x"))]
    assert len({maker(keys).tobytes() for maker in makers}) == 3
    assert len({maker.check for maker in makers}) == 3
    assert Pseudonymizer(SECRET, "  x ").check == makers[0].check


def test_the_record_tells_the_same_people_whatever_the_study_and_the_order() -> None:
    def people(keys: list[str], study: str) -> tuple[str, ...]:
        found = Keys("key", Pseudonymizer(SECRET, study))
        for start in range(0, len(keys), 37):
            found.add(pa.array(keys[start : start + 37]))
        found.finish()
        return found.people()

    keys = [f"{i:04}" for i in range(500)]
    shuffled = [keys[i] for i in np.random.default_rng(1).permutation(500)]
    assert set(people(keys, "x")) == set(people(shuffled, "y"))
    assert len(set(people(keys, "x"))) == 32
    assert people(["a"], "x") != people(["b"], "x")


def test_repeated_keys_are_found_over_batches() -> None:
    keys = Keys("key", Pseudonymizer(SECRET, ""))
    for part in (["a", "b"], ["c", "a"], ["b", "a"]):
        keys.add(pa.array(part))
    with pytest.raises(TableError, match="2 keys have more than one row"):
        keys.finish()


def test_a_secret_is_long_and_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_secret(tmp_path / "secret")
    secret = read_secret(tmp_path / "secret")
    assert len(secret) == 43
    monkeypatch.setenv("UNDERSTUDY_SECRET", f"{secret}\n")
    assert read_secret(None) == secret
    monkeypatch.setenv("UNDERSTUDY_SECRET", "swordfish")
    with pytest.raises(OptionError, match="9 characters") as caught:
        read_secret(None)
    assert "swordfish" not in str(caught.value)
    monkeypatch.delenv("UNDERSTUDY_SECRET")
    with pytest.raises(OptionError, match="UNDERSTUDY_SECRET"):
        read_secret(None)


@pytest.mark.parametrize("content", [b"\xff" * 30, b"", b"short\n", b"x" * 100_000])
def test_files_that_hold_no_secret_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret").write_bytes(content)
    with pytest.raises(OptionError, match="secret"):
        read_secret(tmp_path / "secret")


def test_new_secrets_differ_and_pass() -> None:
    assert len({check_secret(make_secret()) for _ in range(100)}) == 100
