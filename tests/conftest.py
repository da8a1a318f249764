"""What tests of the installed command and of the checkout share."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

import cpu_seconds
import many_cases
import once_a_run
import pytest
from command_line import CommandLine, as_process, in_process

many_cases.register_profiles()

# Processes that tests start, and those of `-n`, keep compiled files: else each would compile all packages again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell's background jobs and nohup ignore signals, and pass that on to what tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the source tree."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def script() -> Path:
    """The console script of the environment that runs the tests."""
    return Path(sys.executable).with_name("arrayol")


@pytest.fixture
def arrayol(tmp_path: Path) -> CommandLine:
    """Run the command inside of this process, in an empty folder, 80 columns wide."""
    return partial(in_process, cwd=tmp_path)


@pytest.fixture
def arrayol_process(script: Path, tmp_path: Path) -> CommandLine:
    """The same by a process of its own, for what depends on it: hash seeds, locks, modules of the user's."""
    return partial(as_process, script, cwd=tmp_path)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` writes what the golden tests saw instead of comparing it: read the diff before you commit."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")
    cpu_seconds.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Share what is computed once a run."""
    once_a_run.open_shared_folder(config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that take long."""
    cpu_seconds.mark_slow(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Measure the processor time of each test."""
    return (yield from cpu_seconds.measured(item))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name the tests that take long and have no marker."""
    cpu_seconds.summarise(terminalreporter, config.getoption("--cpu-seconds"))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a golden file."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing; pytest --update-golden writes it"
        assert text == path.read_text(encoding="utf-8")

    return compare
