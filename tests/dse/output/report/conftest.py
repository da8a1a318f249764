"""A browser, and results to report on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from explored import folded, mapped, published, write_undrawn
from playwright.sync_api import Browser, sync_playwright

from dse.output.report.write import write_report

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        message = "the report's tests need Chromium, as of Debian's package chromium; .ci/run installs it"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        # Pages of our own alone are opened; the sandbox is refused to root, as in a container.
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of plain mappings of lpsf."""
    folder = tmp_path_factory.mktemp("mapped") / "out"
    write_undrawn(mapped(), folder)
    return write_report(folder).path


@pytest.fixture(scope="session")
def folded_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of mappings of lpsf whose datapaths are derived, at several intervals."""
    folder = tmp_path_factory.mktemp("folded") / "out"
    write_undrawn(folded(), folder)
    return write_report(folder).path


@pytest.fixture(scope="session")
def published_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of all fusions of lpsf under the published model."""
    folder = tmp_path_factory.mktemp("published") / "out"
    write_undrawn(published(), folder)
    return write_report(folder).path
