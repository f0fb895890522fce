"""A sandbox of the exchange as a fixture of pytest. In the `conftest.py` beside `pytest.ini`:

    pytest_plugins = ["effect_txc_pytest"]

A test takes `txc_sandbox`, a `Sandbox` of `effect_txc_sandbox`.
"""

from __future__ import annotations

from typing import Iterator

import pytest
from effect_txc_sandbox import Sandbox

_scopes = ("function", "session")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("txc_dialect", "how the sandbox speaks: document or live", default="document")
    parser.addini(
        "txc_scope",
        "function: a new exchange for every test, at a URL of its own; session: one for all, at one URL",
        default="function",
    )
    parser.addini("txc_reset", "with txc_scope = session: reset the exchange before every test", "bool", True)
    parser.addini("txc_clock", "a time, such as 2026-01-01T00:00:00Z, at which the exchange's clock stands still")
    parser.addini("txc_command", "the program to run instead of the effect-txc that this file belongs to")


def pytest_configure(config: pytest.Config) -> None:
    if config.getini("txc_scope") not in _scopes:
        raise pytest.UsageError(f"txc_scope is one of {', '.join(_scopes)}, not {config.getini('txc_scope')}")


@pytest.fixture(scope="session")
def txc_session(pytestconfig: pytest.Config) -> Iterator[Sandbox]:
    """The sandbox of all tests. It is the one that `txc_sandbox` takes its exchanges from."""
    with Sandbox.start(
        dialect=pytestconfig.getini("txc_dialect"),
        clock=pytestconfig.getini("txc_clock") or None,
        command=pytestconfig.getini("txc_command") or None,
    ) as sandbox:
        yield sandbox


@pytest.fixture
def txc_sandbox(txc_session: Sandbox, pytestconfig: pytest.Config) -> Iterator[Sandbox]:
    """The exchange of a test."""
    if pytestconfig.getini("txc_scope") == "function":
        with txc_session.fork() as forked:
            yield forked
    else:
        if pytestconfig.getini("txc_reset"):
            txc_session.reset()
        yield txc_session
