"""The chosen design at a glance: units that people say, shares of the device, and what more hardware would gain."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chromium import findings
from explored import folded
from playwright.sync_api import Page
from report_pages import Open, cells

from arrayol import api
from dse.output.report.details import port_document, wider_ports
from dse.output.report.document import packed, report_document
from dse.output.report.sources import Origin, open_origin
from dse.output.report.write import page as page_of
from dse.results.designs import Design
from dse.results.schema import DeviceRecord, Result
from dse.results.totals import NAMES, percent, totals_of
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import load_platform

CAPACITIES: dict[str, int | float] = {"lut": 12_000, "ff": 30_000, "dsp": 28}
FACTORS = {
    "\N{MICRO SIGN}s": 1, "ms": 1e3, "s": 1e6, "nJ": 1, "\N{MICRO SIGN}J": 1e3, "mJ": 1e6, "mW": 1, "W": 1e3,
    "KiB": 1 << 10, "MiB": 1 << 20, "k": 1e3, "M": 1e6,
}  # fmt: skip


def with_device() -> Result:
    """A front whose datapaths are derived, on a small device."""
    device = DeviceRecord(name="small", capacities=CAPACITIES, exceeding=0, designs=0)
    return folded().result.model_copy(update={"device": device})


@pytest.fixture(scope="module")
def device_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of that front; its specification is gone."""
    path = tmp_path_factory.mktemp("device") / "report.html"
    document = report_document(with_device(), path.parent, Origin(None, {}, ()))
    path.write_text(page_of("device", packed(document)), encoding="utf-8")
    return path


def tiles(page: Page) -> dict[str, str]:
    """The main figures of the chosen design, by title."""
    titles = page.locator("#chosen dt").all_inner_texts()
    return dict(zip(titles, page.locator("#chosen dd").all_inner_texts(), strict=True))


def go_to(page: Page, design: Design) -> None:
    page.locator(f'tr[data-id="{design.id}"]').click()


def exact(text: str, unit: str) -> float:
    """The number behind a text such as 5.81 M cycles, in a figure's own unit."""
    number, *words = text.partition(" (")[0].split()
    factor = FACTORS.get(words[0], 1) if words else 1
    return float(number.replace(",", "")) * factor * (8 if unit == "bits" and words[0].endswith("iB") else 1)


def test_the_share_of_the_device_is_that_of_the_terminal(opened: Open, device_report: Path) -> None:
    page, result = opened(device_report), with_device()
    for design in (result.pareto[0], result.pareto[-1]):
        go_to(page, design)
        found = {title.removesuffix(" (estimate)"): text.strip() for title, text in tiles(page).items()}
        shared = [total for total in totals_of(design, result.device) if total.share is not None and total.name != "ff"]
        assert {total.name for total in shared} == {"lut", "dsp"} & set(design.objectives)
        for total in shared:
            assert total.share is not None
            assert found[NAMES[total.name]].endswith(f"({percent(total.share)})")
    assert "the share of the small" in page.locator("#chosen").inner_text()


def test_scaled_figures_of_the_table_are_the_exact_ones(opened: Open, device_report: Path) -> None:
    """To three digits, or as they are below 100,000; columns that do not differ are told in a line."""
    page, result = opened(device_report), with_device()
    names = page.locator("[data-sort]").evaluate_all("all => all.map((one) => one.dataset.sort)")[1:]
    differ = {name for name in result.pareto[0].objectives if len({one.objectives[name] for one in result.pareto}) > 1}
    assert set(names) == differ
    equal = page.locator("#equal").inner_text().removeprefix("The same in all designs: ")
    assert len(equal.split(", ")) == len(result.pareto[0].objectives) - len(differ) > 0
    units = {row["name"]: row["unit"] for row in page.evaluate("JSON.parse(data.textContent).figures")}
    for design in result.pareto:
        texts = page.locator(f'tr[data-id="{design.id}"] td').all_inner_texts()[1:-1]
        for name, text in zip(names, texts, strict=True):
            assert exact(text, units[name]) == pytest.approx(design.objectives[name], rel=0.005), (name, text)


def test_rows_are_as_high_as_their_text(opened: Open, device_report: Path) -> None:
    page = opened(device_report)
    heights = page.locator("#table tbody tr").evaluate_all("rows => rows.map((row) => row.offsetHeight)")
    assert max(heights) < 40  # one line


def best_within(result: Result, design: Design, name: str, most: float) -> Design:
    """The fastest design of the front within a limit."""
    within = [one for one in result.pareto if one.objectives[name] <= most]
    return min(within, key=lambda one: one.objectives["latency_cycles"])


def test_what_more_hardware_gains_is_on_the_front(opened: Open, device_report: Path) -> None:
    page, result = opened(device_report), with_device()
    gains = 0
    for design in result.pareto:
        go_to(page, design)
        rows = list(cells(page, "more").values())
        figures = design.objectives
        limits = {"units": figures["units"] + 1, "internal_memory_bits": 2 * figures["internal_memory_bits"]}
        for row, (name, most) in zip(rows, limits.items(), strict=False):
            best = best_within(result, design, name, most).objectives["latency_cycles"]
            if best == figures["latency_cycles"]:
                assert row == ["no design is better in latency", "", ""]
                continue
            gains += 1
            (chosen,) = [one for one in result.pareto if one.id == row[2]]
            assert chosen.objectives["latency_cycles"] == best
            saved = round(100 * (1 - best / figures["latency_cycles"]), 1)
            assert f"(\N{MINUS SIGN}{saved:g}%)" in row[0]
    assert gains > 2
    page.locator('[data-part="more"] button').first.click()
    assert page.locator("#design-heading").inner_text() != f"Design {result.pareto[-1].id}"


def test_a_wider_port_is_the_same_design_with_wider_words(emitted_folder: Path, tmp_path: Path) -> None:
    out = emitted_folder / "out"
    result = api.load_result(out)
    assert port_document(open_origin(result, out)) == {"word": "4 elements", "shared": True}
    text = (emitted_folder / "lpsf.toml").read_text(encoding="utf-8")
    assert "data_per_word = 4" in text
    (tmp_path / "wide.toml").write_text(text.replace("data_per_word = 4", "data_per_word = 8"), encoding="utf-8")
    fastest = result.pareto[0]
    opened = api.open_design(emitted_folder / "lpsf.aol", out, fastest.id)
    model = MachineModel(opened.network, load_platform(tmp_path / "wide.toml"))
    cycles = model.evaluate(fastest.decisions).latency_cycles
    assert wider_ports([opened]) == {fastest.id: cycles}
    assert cycles < fastest.objectives["latency_cycles"]


def test_no_colour_comes_twice_in_a_bar(opened: Open, report: Path) -> None:
    page = opened(report)
    page.locator("#table input:not(:checked)").first.check()
    bars = page.locator('[data-part="beside-parts"] svg[role="img"]').evaluate_all(
        """all => all.map((svg) => [...svg.querySelectorAll("g.part")].map((part) => [
            part.querySelector("rect").getAttribute("y"),
            ...[...part.querySelectorAll("rect")].map((rect) => getComputedStyle(rect).fill),
        ].join(" ")))"""
    )
    assert max(map(len, bars)) > 12  # more parts than colours in a bar
    for looks in bars:
        assert len(set(looks)) == len(looks)


def test_what_is_the_same_side_by_side_is_told_in_a_line(opened: Open, device_report: Path) -> None:
    page = opened(device_report)
    section = page.locator('[data-part="beside-figures"]')
    rows = cells(page, "beside-figures")
    assert all(len({re.split(r"\n| best", text)[0] for text in row}) > 1 for row in rows.values())
    assert "The same in all: " in section.inner_text()


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_findings(
    opened: Open, device_report: Path, published_report: Path, width: int, scheme: str
) -> None:
    for path in (device_report, published_report):
        assert findings(opened(path, width=width, scheme=scheme)) == []


def test_axe_has_no_findings_where_all_parts_are_there(opened: Open, emitted_folder: Path) -> None:
    page = opened(emitted_folder / "out" / "report.html")
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    page.locator("details pre").first.wait_for()
    assert findings(page) == []
