"""A pytest fixture for a sandbox of the exchange. In the `conftest.py` next to `pytest.ini`:

    pytest_plugins = ["effect_txc_pytest"]

A test requests the fixture `txc_sandbox`, a `Sandbox` from `effect_txc_sandbox`.
"""

from __future__ import annotations

from typing import Iterator

import pytest
from effect_txc_sandbox import Sandbox

_scopes = ("function", "session")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("txc_dialect", "the dialect of the sandbox: document or live", default="document")
    parser.addini(
        "txc_scope",
        "function: a new exchange for every test, at its own URL; session: one exchange for all tests",
        default="function",
    )
    parser.addini("txc_reset", "with txc_scope = session: reset the exchange before every test", "bool", True)
    parser.addini("txc_clock", "a time, such as 2026-01-01T00:00:00Z, at which the exchange's clock is frozen")
    parser.addini("txc_command", "the program to run instead of this package's effect-txc")


def pytest_configure(config: pytest.Config) -> None:
    if config.getini("txc_scope") not in _scopes:
        raise pytest.UsageError(f"txc_scope must be one of {', '.join(_scopes)}, not {config.getini('txc_scope')}")


@pytest.fixture(scope="session")
def txc_session(pytestconfig: pytest.Config) -> Iterator[Sandbox]:
    """The sandbox that all tests share. `txc_sandbox` forks or resets it."""
    with Sandbox.start(
        dialect=pytestconfig.getini("txc_dialect"),
        clock=pytestconfig.getini("txc_clock") or None,
        command=pytestconfig.getini("txc_command") or None,
    ) as sandbox:
        yield sandbox


@pytest.fixture
def txc_sandbox(txc_session: Sandbox, pytestconfig: pytest.Config) -> Iterator[Sandbox]:
    """The sandbox for one test."""
    if pytestconfig.getini("txc_scope") == "function":
        with txc_session.fork() as forked:
            yield forked
    else:
        if pytestconfig.getini("txc_reset"):
            txc_session.reset()
        yield txc_session
