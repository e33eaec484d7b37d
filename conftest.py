"""One setting of hypothesis for all tests, in `tests` and beside the research: how long a test takes never decides it.

`make test` tries the same few examples each time, so that what turns red is what was changed. `make test-all` draws new
ones, many more of them, and prints how to repeat a failure.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections import defaultdict
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("fast", _UNTIMED, max_examples=40, derandomize=True)
settings.register_profile("thorough", _UNTIMED, max_examples=500, print_blob=True)
settings.load_profile("fast")


def pytest_configure() -> None:
    """A shell that starts it in the background has it ignore interrupts, for which some tests would wait for ever."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked `one_in(k)`, leave all but one in k cases to `make test-all`; hashes of their names pick."""
    cases = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark is not None and item.get_closest_marker("slow") is None:
            cases[item.nodeid.split("[")[0], mark.args[0]].append(item)
    for (_, k), same in cases.items():
        same.sort(key=lambda item: crc32(item.nodeid.encode()))
        for item in same[-(-len(same) // k) :]:
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Ten thousand tests and all that they import stay to the end: looking for garbage among them only takes time.

    So it does after each few hundred objects: parsing all modules took half as long again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture(scope="session")
def postgres() -> str:
    """The address of a PostgreSQL server of the tests' own; what needs one is skipped where there is none."""
    from tests.databases.loading import shared_server

    return shared_server()


def pytest_sessionfinish() -> None:
    """Stop what tests started and share."""
    started = sys.modules.get("tests.databases.loading")
    if started is not None:
        started.STARTED.close()
