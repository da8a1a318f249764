"""A report without a mouse, without eyes, on paper, and with thousands of designs."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from explored import mapped
from playwright.sync_api import Page
from report_pages import Open, heading, ids

from dse.output.report.document import packed, report_document
from dse.output.report.sources import Origin
from dse.output.report.write import page as page_of
from dse.results.designs import Design


def front() -> tuple[Design, ...]:
    """The designs of the report."""
    return mapped().result.pareto


@pytest.fixture(scope="session")
def long_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5,000 designs along a front: those of lpsf, with other latencies and memories."""
    result = mapped().result
    many = []
    for number in range(5_000):
        design = result.pareto[number % len(result.pareto)]
        figures = design.objectives | {
            "latency_cycles": 1_000 + 3 * number,
            "latency_microseconds": 10 + 0.03 * number,
            "internal_memory_elements": 90_000 - 7 * number,
        }
        many.append(design.model_copy(update={"id": f"4:{number + 1}", "objectives": figures}))
    folder = tmp_path_factory.mktemp("long")
    document = report_document(result.model_copy(update={"pareto": tuple(many)}), folder, Origin(None, {}, ()))
    path = folder / "report.html"
    path.write_text(page_of("long", packed(document)), encoding="utf-8")
    return path


NAME = """() => {
    const one = document.activeElement;
    return one.id || one.getAttribute("aria-label") || one.dataset.name || one.dataset.sort || one.textContent;
}"""


def focused(page: Page) -> str:
    """What has the focus, in a word."""
    found: str = page.evaluate(NAME)
    return found


def test_tab_reaches_everything_and_the_focus_is_seen(opened: Open, report: Path) -> None:
    page = opened(report)
    page.locator("#to a").first.focus()
    reached, outlines = [focused(page)], set()
    while reached[-1] != "against" and len(reached) < 100:
        page.keyboard.press("Tab")
        reached.append(focused(page))
        outlines.add(page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle"))
    assert reached[:4] == ["Designs", "to-design", "Side by side", "How these were found"]
    wanted = {"x", "y", "bounded", "relation", "bound", "scatter", *(design.id for design in front())}
    wanted |= {"auto", "light", "dark", *mapped().result.objectives, *(f"compare {design.id}" for design in front())}
    assert wanted <= set(reached)
    assert "none" not in outlines


def test_rows_and_parts_by_keyboard_alone(opened: Open, report: Path) -> None:
    page = opened(report)
    last = page.locator(f'tr[data-id="{front()[-1].id}"]')
    last.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading(page) == f"Design {front()[-1].id}"
    assert focused(page) == front()[-1].id  # the row is still there
    box = last.locator("input")
    before = box.is_checked()
    box.focus()
    page.keyboard.press("Space")
    assert box.is_checked() is not before
    page.locator("#to-design").focus()
    page.keyboard.press("Enter")
    assert focused(page) == "design"
    page.locator("details.steps summary").first.focus()
    page.keyboard.press("Enter")
    page.locator("details.steps table").wait_for()  # browsers tell that a part was opened a moment later


def test_zoom_by_keys(opened: Open, report: Path) -> None:
    page = opened(report)
    page.locator("#scatter").focus()
    page.keyboard.press("+")
    assert 0 < page.locator("circle.dot").count() < len(front())
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert page.locator("circle.dot").count() == len(front())
    assert page.locator("#whole").is_hidden()


def test_what_screen_readers_tell(opened: Open, report: Path) -> None:
    page = opened(report)
    assert page.get_by_role("banner").count() == page.get_by_role("main").count() == 1
    assert page.get_by_role("navigation", name="Parts of the page").count() == 1
    for name in ("Designs", "Side by side", "How these were found", "Table"):
        assert page.get_by_role("region", name=name, exact=True).count() >= 1
    assert page.get_by_role("article").count() == 1
    levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map((one) => +one.tagName[1])")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for table in page.locator("table").all():
        assert table.locator("caption").count() == 1
        assert (
            table.locator("thead th:not([scope=col])").count()
            == table.locator("tbody th:not([scope=row])").count()
            == 0
        )
        assert table.locator("tbody tr").count() == table.locator("tbody th[scope=row]").count()
    labels = page.locator("svg:not([aria-hidden])").evaluate_all(
        "all => all.map((one) => [one.getAttribute('role'), one.getAttribute('aria-label')])"
    )
    assert all(role == "img" and name for role, name in labels)
    assert page.locator("input, select, button").evaluate_all(
        "all => all.filter((one) => !one.labels?.length && !one.getAttribute('aria-label') && !one.textContent).length"
    ) == 0  # fmt: skip
    figures = [design.objectives["latency_cycles"] for design in front()]
    told = page.locator("#plot-text").text_content() or ""
    assert f"latency from {min(figures):,} to {max(figures):,} cycles" in told
    page.keyboard.press("Home")
    assert page.locator("#said").inner_text().startswith(f"Design {front()[0].id}: {figures[0]:,} cycles, ")
    links = page.locator('[data-part="diagram"] svg').first.get_attribute("aria-label") or ""
    assert re.search(r"hflr, .*, from buffer p0;", links)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_contrast(opened: Open, report: Path, scheme: str) -> None:
    """4.5 to 1 or more of what is read, as WCAG 2 asks for."""
    page = opened(report, scheme=scheme)
    low = page.evaluate(
        """() => {
            const light = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
                .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
                .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
            const behind = (one) => {
                const found = getComputedStyle(one).backgroundColor;
                return one.parentElement && /, 0\\)$/.test(found) ? behind(one.parentElement) : found;
            };
            return [...document.querySelectorAll("body *:not(svg *, option, script, title)")]
                .filter((one) => [...one.childNodes].some((part) => part.nodeType === 3 && part.data.trim()))
                .map((one) => [one, ...[getComputedStyle(one).color, behind(one)].map(light).sort((a, b) => b - a)])
                .filter(([, high, low]) => (high + 0.05) / (low + 0.05) < 4.5)
                .map(([one]) => one.outerHTML.slice(0, 80));
        }"""
    )
    assert low == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper(opened: Open, report: Path, scheme: str) -> None:
    """Light, without controls, all of what scrolls, the steps as tables."""
    page = opened(report, scheme=scheme)
    page.emulate_media(media="print")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    for hidden in ("#theme", "#to", ".controls >> nth=0", ".hint", "#beside"):
        assert page.locator(hidden).is_hidden()
    assert page.evaluate("() => getComputedStyle(document.body).color") == "rgb(34, 38, 43)"
    cut = page.locator(".scroll, .wide, pre").evaluate_all(
        "all => all.filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)).length"
    )
    assert cut == 0
    assert page.locator("details.steps table").count() == page.locator("details.steps").count() > 0
    assert page.pdf().startswith(b"%PDF")


def test_thousands_of_designs_are_paged_and_thinned(opened: Open, long_report: Path) -> None:
    page = opened(long_report)
    assert page.locator("h1").inner_text() == "lpsf: 5,000 designs on the Pareto front"
    assert page.locator("#table tbody tr").count() == 100
    assert 100 < page.locator("circle.dot").count() < 1_500
    page.locator("#scatter").focus()
    page.keyboard.press("Home")
    assert heading(page) == "Design 4:1"
    assert page.locator("#rows").inner_text() == "rows 1 to 100 of 5,000"
    page.keyboard.press("ArrowRight")
    assert heading(page) == "Design 4:2"  # not every design is drawn, each is reached
    page.keyboard.press("End")
    assert heading(page) == "Design 4:5000"
    assert page.locator("#rows").inner_text() == "rows 4,901 to 5,000 of 5,000"
    assert page.locator("#after").is_disabled()
    page.locator("#before").press("Enter")
    assert ids(page) == [f"4:{number}" for number in range(4_801, 4_901)]
    page.locator('tr[data-id="4:4850"] input').check()
    assert page.locator("#against option").last.inner_text() == "4:4850"
