"""Drafts of killed processes are cleared by the next run; those of live ones, and everybody else's files, are not."""

import multiprocessing
import os
import signal
import subprocess
import sys

import pytest

from understudy._core.drafts import draft_of
from understudy._core.files import write_bytes
from understudy._core.locks import LOCKS

pytestmark = pytest.mark.skipif(not LOCKS, reason="there are no locks here")

# Starts a draft, says so, and waits for its end.
WRITER = """
import sys
from pathlib import Path
from understudy._core.drafts import draft_of
with draft_of(Path("table.csv")) as draft:
    draft.write_text("half of")
    print("writing", flush=True)
    sys.stdin.read()
"""


def writer(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "writing\n"
    return process


def end(process):
    process.stdin.close()
    process.stdout.close()
    process.wait()


def test_the_draft_of_a_killed_process_is_cleared_by_the_next_that_writes_there(tmp_path):
    process = writer(tmp_path)
    [draft] = tmp_path.iterdir()
    process.send_signal(signal.SIGKILL)
    end(process)
    assert draft.read_text() == "half of"
    write_bytes(tmp_path / "other.txt", b"all of it")
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]


def test_the_draft_of_a_live_process_is_left_alone(tmp_path):
    process = writer(tmp_path)
    [draft] = tmp_path.iterdir()
    write_bytes(tmp_path / "table.csv", b"mine")
    assert draft.read_text() == "half of"
    end(process)
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_files_that_only_look_like_drafts_are_left_alone(tmp_path):
    names = [".table.csv.part", ".understudy-12.part.csv", "understudy-12345678.part.a", ".understudy-12345678.part."]
    for name in names:
        (tmp_path / name).write_text("somebody's")
    (tmp_path / ".understudy-12345678.part.link").symlink_to(tmp_path / names[0])
    (tmp_path / ".understudy-12345678.part.folder").mkdir()
    write_bytes(tmp_path / "a.txt", b"")
    assert len(list(tmp_path.iterdir())) == len(names) + 3


def test_a_draft_has_the_ending_and_the_permissions_of_a_plain_file(tmp_path):
    (tmp_path / "plain").touch()
    with draft_of(tmp_path / "table.csv.gz") as draft:
        assert draft.name.endswith(".table.csv.gz")
        assert draft.stat().st_mode == (tmp_path / "plain").stat().st_mode


def _write_often(folder, number):
    os.chdir(folder)
    for turn in range(60):
        write_bytes(folder / f"{number % 2}.txt", f"{number} {turn}".encode())


def test_many_that_write_and_clear_at_once_disturb_nobody(tmp_path):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_write_often, args=(tmp_path, number)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.txt", "1.txt"]
    assert all(path.read_text().endswith(" 59") for path in tmp_path.iterdir())
