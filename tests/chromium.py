"""Chromium without a window, and what axe finds on its pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


def started() -> Iterator[Browser]:
    """The browser until the fixture that yields from this ends; tests are skipped where there is none."""
    path = next((path for path in map(shutil.which, NAMES) if path), None)
    if path is None:
        message = "tests of pages need Chromium, as of Debian's package chromium; .ci/run installs it"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        # Pages of our own alone are opened; the sandbox is refused to root, as in a container.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def findings(page: Page) -> list[str]:
    """What axe finds wrong with a page for those who use a screen reader or no mouse: the rule, and the element."""
    page.evaluate(AXE_SCRIPT)
    broken = page.evaluate("async () => (await axe.run({ resultTypes: ['violations'] })).violations")
    return [f"{rule['id']}: {node['html'][:120]}" for rule in broken for node in rule["nodes"]]
