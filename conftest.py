"""One setting of hypothesis for all tests, in `tests` and beside the research: how long a test takes never decides it.

`make test` tries the same few examples each time, so that what turns red is what was changed. `make test-all` draws new
ones, many more of them, and prints how to repeat a failure.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("fast", _UNTIMED, max_examples=40, derandomize=True)
settings.register_profile("thorough", _UNTIMED, max_examples=500, print_blob=True)
settings.load_profile("fast")


def pytest_collection_finish() -> None:
    """Ten thousand tests and all that they import stay to the end: looking for garbage among them only takes time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of the tests' own; what needs one is skipped where there is none."""
    pytest.importorskip("adbc_driver_postgresql", reason="the driver of PostgreSQL is not installed")
    from scripts.start_postgres import NoServerError, server

    try:
        running = server()
        address = running.__enter__()
    except NoServerError as why:
        pytest.skip(str(why))
    yield address
    running.__exit__(None, None, None)
