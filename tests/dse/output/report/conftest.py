"""A browser, and results to report on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import started
from explored import SPECS, folded, mapped, published, write_undrawn
from playwright.sync_api import Browser, Page
from report_pages import Open

from arrayol import api
from dse.output.report.write import write_report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    yield from started()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Open a report; what its page asks for, complains of or fails with must be nothing."""
    contexts, troubles = [], list[str]()

    def open_report(path: Path, *, width: int = 1280, scheme: str = "light", fragment: str = "") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        address = path.as_uri()
        page.on("request", lambda request: request.url.startswith(address) or troubles.append(request.url))
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(address + fragment)
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.fixture(scope="session")
def emitted_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with lpsf, its platform with a technology and runs of words, the result `out` and its report."""
    folder = tmp_path_factory.mktemp("built")
    for name in ("lpsf.aol", "lpsf.toml"):
        shutil.copy(SPECS / name, folder)
    spec = api.load(folder / "lpsf.aol", {"H": 4, "W": 8})
    write_undrawn(api.explore(spec, space=api.Space(narrow=True, verify=False)), folder / "out")
    write_report(folder / "out")
    return folder


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
