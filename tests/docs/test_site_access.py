"""The pages of the documentation site for those who use a screen reader or no mouse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import findings, started
from many_cases import draws_all_cases
from playwright.sync_api import Browser

pytest.importorskip("sphinx", reason="the site is built by the extra docs")
from accessible_pages import accessible

SITE = Path(__file__).parents[2] / "build" / "site"
DARK = ("index", "explore", "language", "api")  # these pages have all that the theme colours
FURO = """\
<aside class="sidebar-drawer"><p class="caption" role="heading"><span>Tutorial</span></p></aside>
<article role="main" id="furo-main-content"><noscript></noscript>
<table><tr><th class="head"><p></p></th></tr></table><pre>x</pre></article><aside class="toc-drawer no-toc"></aside>
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    yield from started()


def test_what_the_theme_leaves_out_is_added_once() -> None:
    text = accessible(FURO)
    for part in ('aria-level="2"', 'aria-label="All pages"', 'aria-label="On this page"', "<h1>Search</h1>", "<td>"):
        assert part in text
    assert '<pre tabindex="0">' in text
    assert accessible(text) == text


def test_axe_has_no_findings_on_pages(browser: Browser) -> None:
    """All pages at night; by day each third, and those that have all that the theme colours."""
    whole = sorted(SITE.rglob("*.html"))
    if not whole:
        pytest.skip("build/site is not there: the command in CONTRIBUTING.md builds it")
    found = {}
    in_dark = [path for path in whole if path.stem in DARK]
    pages = whole if draws_all_cases() else [path for path in whole if path in {*whole[::3], *in_dark}]
    for scheme, some in (("light", pages), ("dark", in_dark)):
        page = browser.new_context(color_scheme=scheme).new_page()  # type: ignore[arg-type]
        for path in some:
            page.goto(path.as_uri())
            found[f"{path.relative_to(SITE)}, {scheme}"] = findings(page)
    assert {name: rules for name, rules in found.items() if rules} == {}
