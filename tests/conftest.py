"""Settings of every test: property tests may be slow, because a busy machine is no defect.

What mostly waits (sessions in real time, over a socket) comes first: with ``-n 3`` it waits on all
three workers at once, and what computes begins when the last of it has begun.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.support.alone import beside_others

IN_REAL_TIME = (
    "tests/offline/test_faults.py",
    "tests/offline/test_over_a_socket.py",
    "tests/offline/test_judged_over_a_socket.py",
    "tests/offline/test_calls.py",
    "tests/offline/test_conversations_over_sockets.py",
    "tests/offline/test_lost_sessions.py",
    "tests/offline/test_remote_applications.py",
    "tests/offline/test_shutdown.py",
    "tests/offline/test_live_with_a_voice.py",
    "tests/offline/test_client_backend_live.py",
    "tests/bugs/test_sessions.py",
    "tests/bugs/test_conversations.py",
    "tests/bugs/test_judge.py",
    "tests/bugs/test_accounting.py",
    "tests/bugs/test_client_delegation.py",
    "tests/assistants/test_live_fixture.py",
    "tests/assistants/test_bad_client.py",
    "tests/peers/",
    "tests/wheel/test_live.py",
)
LONG = ("tests/wheel/", "tests/attack/", "tests/viewer/", "tests/offline/")
"""A module that takes minutes must not be what the last worker begins with."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Let no test run while another one measures alone."""
    with beside_others():
        return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what was made again, because a repeated measurement is not a good one."""
    reports = [one for kind in terminalreporter.stats.values() for one in kind]
    told = (getattr(one, "user_properties", ()) for one in reports)
    again = {str(what) for properties in told for name, what in properties if name == "repeated"}
    for line in sorted(again):
        terminalreporter.write_line(f"made again: {line}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the long waits begin first."""
    order = (IN_REAL_TIME, LONG)
    items.sort(
        key=lambda item: [not item.nodeid.startswith(modules) for modules in order],
    )


@pytest.fixture(scope="session")
def of_all_workers(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that every worker sees."""
    place = tmp_path_factory.getbasetemp()
    return place if worker_id == "master" else place.parent


def pytest_collection_finish() -> None:
    """Look no more for garbage among thousands of tests, which all live to the end."""
    gc.collect()
    gc.freeze()


settings.register_profile(
    "steady", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# A mutant lives or dies by the same examples every time, and nobody reads how it died.
settings.register_profile(
    "mutation",
    deadline=None,
    derandomize=True,
    max_examples=25,
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
)
settings.load_profile("steady")
