"""The real program in real processes: pipes, exit codes, signals, full disks."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.api.people import SCHEMA, people
from understudy.schema import Schema

PUBLISH = ["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1"]


@pytest.fixture
def home(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    Schema.from_dict(SCHEMA).save(tmp_path / "people.schema.yaml")
    return tmp_path


def start(home, *arguments, code=None, **options):
    program = ["-c", code] if code else ["-m", "understudy"]
    return subprocess.Popen(
        [sys.executable, *program, *arguments],
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def finish(process, *, within=120):
    out, err = process.communicate(timeout=within)
    return process.returncode, out, err


def test_in_a_pipe_there_is_no_progress_and_no_colour(home):
    code, out, err = finish(start(home, *PUBLISH))
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert "\r" not in out


def test_json_is_all_of_stdout(home):
    code, out, err = finish(start(home, *PUBLISH, "--json"))
    assert (code, err) == (0, "")
    assert json.loads(out)["rows"] == 400


def test_a_mistake_exits_with_2_and_no_traceback(home):
    code, out, err = finish(start(home, *PUBLISH, "--epsilon", "0"))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "epsilon" in err


def test_a_reader_who_goes_away_is_no_fault(home):
    process = start(home, "--help")
    process.stdout.close()
    process.wait(timeout=60)
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


# Runs the program with a step that reports where it is and then waits for the signal.
PAUSED = """
import sys, time
from understudy.release import _write
from understudy.cli import main

def pause(*args, **kwargs):
    print("paused", file=sys.stderr, flush=True)
    time.sleep(60)

setattr(_write, "privacy_letter", pause)
main(sys.argv[1:])
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_writing_leaves_nothing_and_exits_with_130(home, number):
    process = start(home, *PUBLISH, "--ledger", "budget.db", "--cap", "2", code=PAUSED)
    assert process.stderr.readline() == "paused\n"
    assert any(name.endswith(".part") for name in os.listdir(home))
    process.send_signal(number)
    code, out, err = finish(process)
    assert (code, out) == (130, "")
    assert "interrupted; nothing was written. The charge of epsilon 1 to dataset 'people' stays in the ledger" in err
    assert sorted(os.listdir(home)) == ["budget.db", "people.csv", "people.schema.yaml"]


def test_a_kill_leaves_no_half_written_release_and_the_next_run_succeeds(home):
    process = start(home, *PUBLISH, code=PAUSED)
    assert process.stderr.readline() == "paused\n"
    process.kill()
    process.communicate(timeout=60)
    assert not (home / "release").exists()
    assert finish(start(home, *PUBLISH))[0] == 0


# A limit on the size of files stands in for a full disk: writing fails in the middle, in the same way.
SMALL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from understudy.cli import main
import understudy._api
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
main(sys.argv[2:])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs POSIX limits")
@pytest.mark.parametrize("size", [0, 3000, 8000])
def test_a_disk_that_fills_up_while_writing_leaves_nothing(home, size):
    code, _, err = finish(start(home, str(size), *PUBLISH, "--json", code=SMALL_DISK))
    assert code == 2, err
    assert "Nothing was left behind" in err
    assert "Traceback" not in err
    assert sorted(os.listdir(home)) == ["people.csv", "people.schema.yaml"]


def test_help_is_quick(home):
    """No figure for a time: the heavy libraries are simply not there."""
    listed = finish(start(home, code="import sys, understudy.cli; print(len(sys.modules), 'numpy' in sys.modules)"))
    assert listed[1].split()[1] == "False"


@pytest.mark.slow
def test_an_interrupt_at_any_moment_leaves_all_or_nothing(home):
    """Signals at moments spread over a run; whatever the moment, the folder is whole or not there."""
    for moment in (0.05, 0.6, 1.2, 1.8, 2.4):
        process = start(home, *PUBLISH, "--overwrite")
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        _, _, err = finish(process)
        names = sorted(os.listdir(home))
        assert names in (["people.csv", "people.schema.yaml"], ["people.csv", "people.schema.yaml", "release"]), err
        if "release" in names:
            assert len(os.listdir(home / "release")) == 6


# An interrupt that lands in a callback out of C: Python prints it and goes on, and so would the run.
LOST = """
import ctypes, os, signal, sys
from understudy.release import _write
from understudy.cli import main

letter = _write.privacy_letter

@ctypes.CFUNCTYPE(None)
def callback():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10):
        pass

def lose(*args, **kwargs):
    callback()
    return letter(*args, **kwargs)

setattr(_write, "privacy_letter", lose)
main(sys.argv[1:])
"""


def test_an_interrupt_that_lands_in_a_callback_stops_the_run_all_the_same(home):
    code, out, err = finish(start(home, *PUBLISH, code=LOST))
    assert (code, out) == (130, "")
    assert err == "understudy: interrupted; nothing was written.\n"
    assert sorted(os.listdir(home)) == ["people.csv", "people.schema.yaml"]


def test_an_interrupt_while_the_program_is_loaded_leaves_no_traceback(home):
    early = "import os, signal, sys; from understudy.cli import main\n"
    early += "class Finder:\n def find_spec(self, *a): os.kill(os.getpid(), signal.SIGINT); return None\n"
    early += "sys.meta_path.insert(0, Finder()); main(['--help'])"
    assert finish(start(home, code=early)) == (130, "", "")


def test_a_terminal_that_knows_no_greek_shows_escapes(home):
    code, out, err = finish(start(home, *PUBLISH, env={**os.environ, "PYTHONIOENCODING": "ascii"}))
    assert (code, err) == (0, "")
    assert "at \\u03b5 = 1" in out


def test_json_stays_json_on_a_terminal_that_knows_no_greek(home):
    text = (home / "people.schema.yaml").read_text().replace("name: people", "name: gens d'été 😀")
    (home / "people.schema.yaml").write_text(text)
    code, out, _ = finish(start(home, *PUBLISH, "--json", env={**os.environ, "PYTHONIOENCODING": "ascii"}))
    assert code == 0
    assert json.loads(out)["statement"]["dataset"] == "gens d'été 😀"
