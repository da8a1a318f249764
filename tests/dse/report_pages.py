"""A report in a browser: how it is opened, and what is read off it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

Open = Callable[..., Page]


def heading(page: Page) -> str:
    """The design that is shown."""
    return page.locator("#design-heading").inner_text()


def ids(page: Page) -> list[str]:
    """The designs in the table, in its order."""
    return page.locator("#table tbody tr").evaluate_all("rows => rows.map((row) => row.dataset.id)")


def address(identifier: str) -> str:
    """The fragment of the address of a design."""
    return "#" + identifier.replace(":", "%3A").replace("+", "%2B")


def cells(page: Page, part: str) -> dict[str, list[str]]:
    """The rows of the first table of a part, by what they begin with."""
    rows = page.locator(f'[data-part="{part}"] table').first.locator("tbody tr").all_inner_texts()
    return {row.split("\t")[0]: row.split("\t")[1:] for row in rows}
