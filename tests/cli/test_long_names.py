"""Names that are longer than any file's may be, in every place where a command takes the name of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.commands import COMMANDS, names_in, write_inputs
from understudy.cli._main import run

pytestmark = pytest.mark.one_in(3)

PLACES = sorted(
    {
        (words[:at], words[at + 1 :])
        for words in COMMANDS
        for at, word in enumerate(words)
        if word.startswith(("in/", "out/"))
    }
)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["x" * 300, "new/" + "x" * 300 + ".csv"])
@pytest.mark.parametrize(("before", "after"), PLACES)
def test_a_name_that_is_too_long_ends_in_a_sentence_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    before: tuple[str, ...],
    after: tuple[str, ...],
    name: str,
) -> None:
    write_inputs(tmp_path)
    there = names_in(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNDERSTUDY_DEBUG", "1")
    assert run([*before, name, *after]) == 2
    assert capsys.readouterr().err.startswith("understudy: ")
    assert names_in(tmp_path) == there
