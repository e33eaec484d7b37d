"""The real program in real processes: pipes, exit codes, signals, full disks."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.api.people import SCHEMA, people
from tests.warm import WarmProcess
from understudy.schema import Schema

pytestmark = pytest.mark.one_in(2)

PUBLISH = ["publish", "people.csv", "--schema", "people.schema.yaml", "--epsilon", "1"]


@pytest.fixture
def home(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    Schema.from_dict(SCHEMA).save(tmp_path / "people.schema.yaml")
    return tmp_path


def start(home, *arguments, code=None):
    return WarmProcess(arguments, cwd=home, code=code)


def start_cold(home, *arguments, code=None, **options):
    """From the first line of the interpreter on: where that is what a test is about."""
    program = ["-c", code] if code else ["-m", "understudy"]
    return subprocess.Popen(
        [sys.executable, *program, *arguments],
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_from_a_terminal,
        **options,
    )


def as_from_a_terminal():
    """A run in the background or under nohup has some signals ignored, and children inherit that."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def finish(process, *, within=600):
    out, err = process.communicate(timeout=within)
    return process.returncode, out, err


def test_in_a_pipe_there_is_no_progress_and_no_colour(home):
    code, out, err = finish(start_cold(home, *PUBLISH))
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert "\r" not in out


def test_json_is_all_of_stdout(home):
    code, out, err = finish(start(home, *PUBLISH, "--json"))
    assert (code, err) == (0, "")
    assert json.loads(out)["rows"] == json.loads(out)["statement"]["n_rows"]


def test_a_mistake_exits_with_2_and_no_traceback(home):
    code, out, err = finish(start(home, *PUBLISH, "--epsilon", "0"))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "epsilon" in err


def test_a_reader_who_goes_away_is_no_fault(home):
    process = start(home, "--help")
    process.stdout.close()
    process.wait(timeout=600)
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


# Runs the program with a step that reports where it is and then waits for the signal.
PAUSED = """
import sys, time
from understudy.release import _write
from understudy.cli import main

def pause(*args, **kwargs):
    print("paused", file=sys.stderr, flush=True)
    time.sleep(600)

setattr(_write, "privacy_letter", pause)
main(sys.argv[1:])
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
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
    process.communicate(timeout=600)
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
@pytest.mark.parametrize("size", [0, 3000, 6000])
def test_a_disk_that_fills_up_while_writing_leaves_nothing(home, size):
    code, _, err = finish(start(home, str(size), *PUBLISH, "--json", code=SMALL_DISK))
    assert code == 2, err
    assert "Nothing was left behind" in err
    assert "Traceback" not in err
    assert sorted(os.listdir(home)) == ["people.csv", "people.schema.yaml"]


def test_help_is_quick(home):
    """No figure for a time: the heavy libraries are simply not there."""
    listed = finish(
        start_cold(home, code="import sys, understudy.cli; print(len(sys.modules), 'numpy' in sys.modules)")
    )
    assert listed[1].split()[1] == "False"


LOADED = """
import atexit, sys
atexit.register(lambda: print(*{name.split(".")[0] for name in sys.modules}, file=sys.stderr))
from understudy.cli import main
main()
"""


def test_publishing_loads_neither_pandas_nor_anything_that_measures_tables(home):
    code, _, err = finish(start_cold(home, *PUBLISH, code=LOADED))
    assert code == 0
    assert {"numpy", "numba", "pyarrow"} <= set(err.split())
    assert not {"pandas", "polars", "sklearn", "sdmetrics", "matplotlib"} & set(err.split())


@pytest.mark.slow
def test_an_interrupt_at_any_moment_leaves_all_or_nothing(home):
    """Signals at moments spread over a run; whatever the moment, the folder is whole or not there."""
    for moment in (0.05, 0.6, 1.2, 1.8, 2.4):
        process = start_cold(home, *PUBLISH, "--overwrite")
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        _, _, err = finish(process)
        names = sorted(os.listdir(home))
        assert names in (["people.csv", "people.schema.yaml"], ["people.csv", "people.schema.yaml", "release"]), err
        if "release" in names:
            assert len(os.listdir(home / "release")) == 7


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


# Interrupts the import of one module, as Ctrl-C right after Enter does.
EARLY = """
import os, runpy, signal, sys
wanted = sys.argv.pop(1)

class Finder:
    def find_spec(self, name, *rest):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
sys.argv.append("--help")
runpy.run_module("understudy", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["_interrupts", "_show", "_main", "_publish"])
def test_an_interrupt_while_the_program_is_loaded_leaves_no_traceback(home, module):
    assert finish(start_cold(home, f"understudy.cli.{module}", code=EARLY)) == (130, "", "")


def test_nothing_of_the_program_is_loaded_where_an_interrupt_would_leave_a_traceback(home):
    program = "import sys; before = set(sys.modules); import understudy.cli; print(*set(sys.modules) - before)"
    _, out, _ = finish(start_cold(home, code=program))
    known = {"understudy", "understudy.cli", "understudy.cli._start", "__future__", "importlib", "warnings"}
    assert set(out.split()) <= known | {"importlib._bootstrap", "importlib._bootstrap_external", "_warnings"}


# Interrupts itself once the new folder has its name, while that is flushed to disk.
LATE = """
import os, signal, sys
from pathlib import Path
from understudy.release import _folder
from understudy.cli import main

flush = _folder._flush

def late(path):
    flush(path)
    if path == Path.cwd():
        os.kill(os.getpid(), signal.SIGINT)

setattr(_folder, "_flush", late)
main(sys.argv[1:])
"""


@pytest.mark.parametrize("overwrite", [False, True])
def test_an_interrupt_that_comes_too_late_does_not_deny_the_release(home, overwrite):
    if overwrite:
        assert finish(start(home, *PUBLISH))[0] == 0
    ledger = ["--ledger", "budget.db", "--cap", "2"]
    code, out, err = finish(start(home, *PUBLISH, *ledger, "--overwrite", code=LATE))
    assert (code, out) == (130, "")
    assert err.startswith("understudy: interrupted; the release in release is complete. The charge of epsilon 1 to")
    assert len(os.listdir(home / "release")) == 7


# The interrupt cuts short an object's own clean-up, as it does in the compiler's objects.
SHORT = """
import os, signal, sys
from understudy.release import _write
from understudy.cli import main

class Handle:
    def __del__(self):
        raise AttributeError("_as_parameter_")

def stop(*args, **kwargs):
    handle = Handle()
    os.kill(os.getpid(), signal.SIGTERM)

setattr(_write, "privacy_letter", stop)
main(sys.argv[1:])
"""


# A library that swallows the interrupt, and fails over what it left undone.
SWALLOWED = """
import os, signal, sys
from understudy.release import _write
from understudy.cli import main

def stop(*args, **kwargs):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except BaseException:
        raise AttributeError("half made") from None

setattr(_write, "privacy_letter", stop)
main(sys.argv[1:])
"""


@pytest.mark.parametrize("program", [SHORT, SWALLOWED])
def test_an_interrupt_is_told_in_one_line_whatever_it_cut_short(home, program):
    code, out, err = finish(start(home, *PUBLISH, code=program))
    assert (code, out, err) == (130, "", "understudy: interrupted; nothing was written.\n")


def test_an_interrupt_in_generated_code_still_ends_with_our_exit_code(home):
    (home / "program.py").write_text(
        "from understudy.cli import _main, main\n"
        "def attempt(self):\n exec('raise KeyboardInterrupt')\n"
        "_main.Command.attempt = attempt\nmain()"
    )
    done = subprocess.run([sys.executable, "-m", "program"], cwd=home, capture_output=True, check=False)
    assert done.returncode == 130


def test_a_run_that_was_told_to_outlive_its_terminal_does(home):
    stubborn = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + PAUSED.replace("600", "1")
    process = start(home, *PUBLISH, code=stubborn)
    assert process.stderr.readline() == "paused\n"
    process.send_signal(signal.SIGHUP)
    code, _, err = finish(process)
    assert code != 130
    assert "interrupted" not in err


def test_a_terminal_that_knows_no_greek_shows_escapes(home):
    code, out, err = finish(start_cold(home, *PUBLISH, env={**os.environ, "PYTHONIOENCODING": "ascii"}))
    assert (code, err) == (0, "")
    assert "at \\u03b5 = 1" in out


def test_json_stays_json_on_a_terminal_that_knows_no_greek(home):
    text = (home / "people.schema.yaml").read_text().replace("name: people", "name: gens d'été 😀")
    (home / "people.schema.yaml").write_text(text)
    code, out, _ = finish(start_cold(home, *PUBLISH, "--json", env={**os.environ, "PYTHONIOENCODING": "ascii"}))
    assert code == 0
    assert json.loads(out)["statement"]["dataset"] == "gens d'été 😀"
