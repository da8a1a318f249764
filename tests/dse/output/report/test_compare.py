"""Designs side by side in a browser: chosen by ticks, keys and clicks; figures, parts, mappings, memories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from explored import folded, mapped
from playwright.sync_api import Page
from report_pages import Open, cells

from dse.results.designs import Design


def front() -> tuple[Design, ...]:
    """The designs of the report."""
    return mapped().result.pareto


def compared(page: Page) -> list[str]:
    return page.locator("#against option").all_inner_texts()


def tick(page: Page, *designs: str) -> None:
    """Have exactly these side by side."""
    for name in compared(page) or page.locator("#table input:checked").evaluate_all(
        "boxes => boxes.map((box) => box.closest('tr').dataset.id)"
    ):
        page.locator(f'tr[data-id="{name}"] input').uncheck()
    for name in designs:
        page.locator(f'tr[data-id="{name}"] input').check()


def test_the_best_designs_are_side_by_side_at_first(opened: Open, folded_report: Path) -> None:
    page = opened(folded_report)
    best = json.loads(page.locator("#data").text_content() or "")["best"]
    assert len(best) >= 2
    assert compared(page) == best
    ticked = page.locator("#table input:checked").evaluate_all("all => all.map((one) => one.closest('tr').dataset.id)")
    assert sorted(ticked) == sorted(best)
    assert page.locator("circle.beside").count() == len(best)


def test_ticks_keys_clicks_and_the_button_choose_them(opened: Open, report: Path) -> None:
    page = opened(report)
    tick(page, front()[1].id)
    assert "Tick two or more designs" in page.locator("#comparison").inner_text()
    page.locator(f'circle.dot[data-id="{front()[2].id}"]').click(modifiers=["Shift"])
    assert compared(page) == [front()[1].id, front()[2].id]
    assert page.locator("#said").inner_text() == f"{front()[2].id} added: 2 designs side by side"
    page.locator("#scatter").focus()
    page.keyboard.press("End")
    page.keyboard.press("c")
    assert compared(page) == [front()[1].id, front()[2].id, front()[-1].id]
    assert page.locator("#beside").get_attribute("aria-pressed") == "true"
    page.locator("#beside").click()
    assert compared(page) == [front()[1].id, front()[2].id]
    page.get_by_label(f"remove {front()[1].id} from the comparison").click()
    assert page.locator("#against").count() == 0
    assert page.locator("#table input:checked").count() == 1


def test_figures_and_their_differences(opened: Open, report: Path) -> None:
    page = opened(report)
    first, last = front()[0], front()[-1]
    tick(page, first.id, last.id)
    rows = cells(page, "beside-figures")
    fast, slow = first.objectives["latency_cycles"], last.objectives["latency_cycles"]
    assert rows["latency in cycles"][0].split() == [f"{fast:,}", "cycles", "best"]
    assert rows["latency in cycles"][1].split() == [
        f"{slow:,}",
        "cycles",
        f"+{round(100 * (slow - fast) / fast, 1):,g}%",
    ]
    page.locator("#against").select_option(last.id)
    rows = cells(page, "beside-figures")
    assert rows["latency in cycles"][0].split()[-1] == f"\N{MINUS SIGN}{round(100 * (slow - fast) / slow, 1):g}%"
    assert rows["latency in cycles"][1] == f"{slow:,} cycles"
    assert len(rows) == sum(first.objectives[name] != last.objectives[name] for name in first.objectives)


def test_area_and_energy_by_part(opened: Open, folded_report: Path) -> None:
    page = opened(folded_report)
    designs = [folded().result.pareto[0], folded().result.pareto[-1]]
    tick(page, *(design.id for design in designs))
    sections = page.locator('[data-part="beside-parts"]')
    titles = sections.locator("h3").all_inner_texts()
    assert titles[-2:] == ["Cycles by what ends the steps", "Bits of memory"]
    wanted = {f"Area: {name.upper()}": [design.costs.get(name, {}) for design in designs] for name in ("lut", "ff")}
    wanted["Energy of a frame (estimate, ecp5-6)"] = [design.energy_pj or {} for design in designs]
    for title, columns in wanted.items():
        section = sections.nth(titles.index(title))
        rows = {row.split("\t")[0]: row.split("\t")[1:] for row in section.locator("tbody tr").all_inner_texts()}
        names = list(dict.fromkeys(name for parts in columns for name in parts))
        alike = [name for name in names if len({parts.get(name, 0) for parts in columns}) == 1]
        alike = alike if len(names) > 2 and len(alike) > 1 else []
        assert (f"{len(alike)} parts alike in all" in rows) is bool(alike)
        for place, parts in enumerate(columns):
            there = {name: amount for name, amount in parts.items() if amount and name not in alike}
            for name, amount in there.items():
                assert float(rows[name][place].split()[0].replace(",", "")) == pytest.approx(amount, abs=0.051)
            whole = float(rows["in all"][place].replace(",", ""))
            assert whole == pytest.approx(sum(parts.values()), abs=0.051)
        drawn = sum(bool(amount) for parts in columns for name, amount in parts.items() if name not in alike)
        joined = len(columns) * any(columns[0].get(name) for name in alike)
        assert section.locator('svg[role="img"] rect').count() == drawn + joined
    assert any(design.costs["lut"].get("local memories") for design in designs)


def test_mappings_and_memories(opened: Open, report: Path) -> None:
    page = opened(report)
    first, last = front()[0], front()[-1]
    tick(page, first.id, last.id)
    groups = page.locator('[data-part="beside-mappings"] tbody tr')
    assert groups.count() == max(len(first.groups), len(last.groups))
    for place, design in enumerate((first, last)):
        for group, mapping, row in zip(design.groups, design.mappings, groups.all(), strict=False):
            text = row.locator("td").nth(place).inner_text()
            assert all(f"{one.task} x {one.units}" in text for one in group.processors)
            assert f"{mapping.latency_cycles:,} cycle" in text
            assert f"{mapping.steps:,} step" in text
    assert "no such group" in groups.last.inner_text()
    rows = cells(page, "beside-memories")
    for mapping in first.mappings:
        for memory in mapping.memories:
            assert f"{memory.data:,} elements, {memory.banks:,} bank" in rows[f"{memory.kind} {memory.name}"][0]


def test_eight_are_the_most(opened: Open, report: Path) -> None:
    page = opened(report)
    page.locator("#scatter").focus()
    tick(page, *(design.id for design in front()[:8]))
    page.locator(f'tr[data-id="{front()[8].id}"] input').click()
    assert len(compared(page)) == 8
    assert not page.locator(f'tr[data-id="{front()[8].id}"] input').is_checked()
    assert page.locator("#said").inner_text() == "8 designs are the most side by side"
