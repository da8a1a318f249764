"""The report in a real browser: clicks, keys, filters, themes, widths, and nothing from outside."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from explored import folded, folded_in, mapped, published, write_undrawn
from playwright.sync_api import expect
from report_pages import Open, address, cells, heading, ids

from arrayol import api
from dse.output.folder import load_result
from dse.output.report.write import write_report
from dse.results.designs import Design
from dse.results.pick import parse_rule, pick


def front() -> tuple[Design, ...]:
    """The designs of the report."""
    return mapped().result.pareto


def knee() -> str:
    """The design that the report opens at."""
    return pick(mapped().result, parse_rule("knee")).design.id


def test_it_opens_at_the_knee_with_every_design(opened: Open, report: Path) -> None:
    page = opened(report)
    assert page.title() == "lpsf: report of arrayol"
    assert page.locator("h1").inner_text() == f"lpsf: {len(front())} designs on the Pareto front"
    assert heading(page) == f"Design {knee()}"
    assert page.locator("circle.dot").count() == len(front())
    assert ids(page) == [design.id for design in front()]
    assert page.locator("#remarks").is_hidden()


def test_a_click_on_a_point_or_a_row_shows_the_design(opened: Open, report: Path) -> None:
    page = opened(report)
    for number, design in enumerate(front()):
        place = (
            page.locator(f'circle.dot[data-id="{design.id}"]')
            if number % 2
            else page.locator(f'tr[data-id="{design.id}"]')
        )
        place.click()
        assert heading(page) == f"Design {design.id}"
        assert page.locator('tr[aria-current="true"]').get_attribute("data-id") == design.id
        figures = page.locator(".figures dd").all_inner_texts()
        assert figures[0] == f"{design.objectives['latency_cycles']:,} cycles"
        assert page.locator('[data-part="diagram"] svg').count() == len(design.groups)


def test_arrow_keys_walk_along_the_plot(opened: Open, report: Path) -> None:
    page = opened(report)
    order = [design.id for design in front()]  # ascending in latency, the figure across
    page.keyboard.press("Home")
    assert heading(page) == f"Design {order[0]}"
    page.keyboard.press("ArrowLeft")
    assert heading(page) == f"Design {order[0]}"
    for key, expected in (("ArrowRight", 1), ("ArrowDown", 2), ("ArrowRight", 3), ("ArrowUp", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        assert heading(page) == f"Design {order[expected]}"
    page.keyboard.press("End")
    assert heading(page) == f"Design {order[-1]}"
    page.locator("#bound").focus()
    page.keyboard.press("ArrowLeft")
    assert heading(page) == f"Design {order[-1]}"  # inside a field, keys belong to the field


def test_a_design_has_an_address(opened: Open, report: Path) -> None:
    page = opened(report, fragment="#" + front()[-1].id.replace(":", "%3A").replace("+", "%2B"))
    assert heading(page) == f"Design {front()[-1].id}"
    page.keyboard.press("Home")
    assert page.url.endswith("#" + front()[0].id.replace(":", "%3A").replace("+", "%2B"))


def test_an_address_in_an_open_tab_is_followed(opened: Open, report: Path) -> None:
    page = opened(report)
    for design in (front()[-1], front()[0]):
        page.evaluate("to => { location.hash = to; }", address(design.id))
        expect(page.locator("#design-heading")).to_have_text(f"Design {design.id}")
    assert page.locator("#missing").is_hidden()


def test_an_address_that_this_report_lacks_is_told(opened: Open, report: Path) -> None:
    page = opened(report, fragment="#9%2B9%3A9")
    message = page.locator("#missing")
    assert message.inner_text() == f"Design 9+9:9, which the address asks for, is not in this report; this is {knee()}."
    page.keyboard.press("Home")
    assert message.is_hidden()
    page.evaluate("() => { location.hash = '#nobody'; }")
    expect(message).to_have_text(
        f"Design nobody, which the address asks for, is not in this report; this is {front()[0].id}."
    )


def test_a_frame_zooms_in_and_escape_shows_all(opened: Open, report: Path) -> None:
    page = opened(report)
    box = page.locator("#scatter svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 62, box["y"] + 28)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] - 48, steps=3)
    page.mouse.up()
    left = page.locator("circle.dot").count()
    assert 0 < left < len(front())
    assert page.locator("#whole").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("circle.dot").count() == len(front())
    assert page.locator("#whole").is_hidden()


def test_axes_are_chosen_by_their_titles(opened: Open, report: Path) -> None:
    page = opened(report)
    chosen = [page.locator(f"#{name} option:checked").inner_text() for name in ("x", "y")]
    assert chosen == ["latency (cycles)", "internal memory (elements)"]
    assert [page.get_by_label(f"{name} axis").count() for name in ("x", "y")] == [1, 1]


def test_filters_by_constraint(opened: Open, report: Path) -> None:
    page = opened(report)
    bound = front()[len(front()) // 2].objectives["internal_memory_bits"]
    page.locator("#bounded").select_option("internal_memory_bits")
    page.locator("#bound").fill(f"{bound:,}")
    page.keyboard.press("Enter")
    small = [design.id for design in front() if design.objectives["internal_memory_bits"] <= bound]
    assert 0 < len(small) < len(front())
    assert ids(page) == small
    assert page.locator("#count").inner_text().startswith(f"{len(small)} of {len(front())} designs")
    assert page.locator("circle.dot:not(.out)").count() == len(small)
    fast = front()[len(front()) // 2 + 1].objectives["latency_cycles"]
    page.locator("#bounded").select_option("latency_cycles")
    page.locator("#relation").select_option(">=")
    page.locator("#bound").fill(f"{fast / 1000}e3")
    page.locator("#filter button").click()
    both = [one for one in small if next(d for d in front() if d.id == one).objectives["latency_cycles"] >= fast]
    assert 0 < len(both) < len(small)
    assert ids(page) == both
    assert heading(page).removeprefix("Design ") in both
    page.locator("#filters button").first.click()
    page.locator("#filters button").first.click()
    assert ids(page) == [design.id for design in front()]


def test_filters_that_nothing_keeps_and_bounds_that_are_none(opened: Open, report: Path) -> None:
    page = opened(report)
    page.locator("#bound").fill("a lot")
    page.locator("#filter button").click()
    assert page.locator("#filters button").count() == 0
    assert page.locator("#bound").evaluate("field => field.validationMessage") == "a number, such as 1e6"
    page.locator("#bound").fill("0")
    page.locator("#filter button").click()
    assert heading(page) == "No design passes the filters"
    assert ids(page) == []
    page.locator("#scatter").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#filters button").click()
    assert ids(page) == [design.id for design in front()]
    assert heading(page).startswith("Design ")


def test_the_table_sorts_both_ways_by_every_column(opened: Open, report: Path) -> None:
    page = opened(report)
    for name in ("internal_memory_elements", "units", "frames_per_second"):
        page.locator(f'[data-sort="{name}"]').click()
        found = [next(one for one in front() if one.id == found).objectives[name] for found in ids(page)]
        assert found == sorted(found)
        page.locator(f'[data-sort="{name}"]').press("Enter")
        found = [next(one for one in front() if one.id == found).objectives[name] for found in ids(page)]
        assert found == sorted(found, reverse=True)
        assert page.locator('th[aria-sort="descending"]').count() == 1


def test_objectives_to_choose(opened: Open, report: Path) -> None:
    page = opened(report)

    def places() -> list[float]:
        return page.locator("circle.dot").evaluate_all(
            "dots => dots.map((dot) => [dot.dataset.id, +dot.getAttribute('cx')]).sort().map((pair) => pair[1])"
        )

    before = places()
    page.locator("#x").select_option("units")
    assert places() != before
    units = [design.objectives["units"] for design in sorted(front(), key=lambda one: one.id)]
    ranked = sorted(zip(units, places(), strict=True))
    assert [place for _, place in ranked] == sorted(places())
    page.locator("#scatter").focus()
    page.keyboard.press("[")
    assert page.locator("#x").input_value() == "port_bytes"
    page.keyboard.press("]")
    assert page.locator("#x").input_value() == "units"
    page.locator("#y").select_option("lut")
    assert "LUT" in (page.locator("#scatter svg").text_content() or "")


def test_the_parts_of_a_design(opened: Open, report: Path) -> None:
    page = opened(report)
    design = next(one for one in front() if one.steps and len(one.groups) == 1)
    page.locator(f'tr[data-id="{design.id}"]').click()
    ((group,), (mapping,)) = design.groups, design.mappings
    diagram = page.locator('[data-part="diagram"]')
    texts = diagram.locator("text").all_text_contents()
    for memory in mapping.memories:
        if memory.kind == "buffer":
            assert f"buffer {memory.name}" in texts
            assert f"{memory.data:,} elements, {memory.banks} banks" in texts
    for processor in group.processors:
        assert processor.task in texts
        assert f"{processor.units} unit{'' if processor.units == 1 else 's'}" in texts
    assert diagram.locator('[data-kind="task"]').count() == len(group.processors)
    assert diagram.locator("path.arrow").count() == 10  # memory, p0, hflr, p1, vftd, p2, hfrl, p3, vfbu, p4, memory
    steps = page.locator('[data-part="timeline"] rect.loads').count()
    assert 0 < steps <= mapping.steps
    assert (
        f"{mapping.steps} steps, {mapping.latency_cycles} cycles" in page.locator('[data-part="timeline"]').inner_text()
    )
    ends = cells(page, "breakdown")
    assert {name: int(row[0].split()[0].replace(",", "")) for name, row in ends.items()} == {
        **mapping.ends,
        "in all": mapping.latency_cycles,
    }
    assert "p0" in page.locator('[data-part="layout"]').inner_text()
    moved = page.locator('[data-part="transfers"]').inner_text()
    assert f"{mapping.traffic_bytes} bytes loaded and stored" in moved
    assert re.search(r"p0\t32\t0\t100%", moved)
    assert "; ".join(design.steps or ()) in page.locator('[data-part="aol"]').inner_text()
    written = (report.parent / "specs" / f"{design.id.replace(':', '-')}.aol").read_text(encoding="utf-8")
    assert page.locator('[data-part="aol"] pre').text_content() == written


def test_datapaths_costs_and_energy_of_a_design(opened: Open, folded_report: Path) -> None:
    page = opened(folded_report)
    design = folded().result.pareto[-1]
    page.locator(f'tr[data-id="{design.id}"]').click()
    paths = {(path.task, path.interval): path for path in folded().result.datapaths}
    rows = page.locator('[data-part="datapaths"] tbody tr').all_inner_texts()
    for row, (task, processor) in zip(rows, design.processors.items(), strict=True):
        path = paths[task, processor.occupancy or 0]
        assert row.split()[:2] == [task, str(processor.units)]
        assert f"every {path.interval} cycles\nderived" in row
        assert f"{path.latency} cycles\nderived" in row
        assert f"last -> prev: {path.recurrence['last -> prev']}" in row
        assert f"{round(path.cost['lut']):,} lut" in row
    assert "energy of a repetition (estimate, ecp5-6)" in page.locator('[data-part="datapaths"] thead').inner_text()
    texts = page.locator('[data-part="diagram"] text').all_text_contents()
    slow = [one for one in design.processors.values() if one.occupancy != 1]
    assert slow
    for one in slow:
        assert f"{one.units} unit @ {one.occupancy}" in texts
    assert page.locator('[data-part="costs"] svg[role="img"]').count() == len(design.costs)
    energy = page.locator('[data-part="energy"]')
    assert "pJ of one frame (estimate, ecp5-6)" in energy.inner_text()
    for part in design.energy_pj or {}:
        assert part in (energy.locator("svg").text_content() or "")
    figures = page.locator(".figures dt").all_inner_texts()
    assert "energy of a frame (estimate, ecp5-6)" in figures
    assert "LUT" in figures


def test_what_memories_are_built_of(opened: Open, tmp_path: Path) -> None:
    """A row for each memory of the best designs; of others a sentence says where it is told."""
    write_undrawn(folded_in(tmp_path), tmp_path / "out")
    result = load_result(tmp_path / "out")
    page = opened(write_report(tmp_path / "out").path)
    best = min(result.pareto, key=lambda one: one.objectives["lut"]).id
    page.locator(f'tr[data-id="{best}"]').click()
    built = api.memories(api.open_design(tmp_path / "lpsf.aol", tmp_path / "out", best))
    assert built is not None
    rows = page.locator('[data-part="built"] table').last.locator("tbody tr").all_inner_texts()
    for row, one in zip(rows, built.memories, strict=True):
        assert row.startswith(f"{one.title}\t{one.organisation}")
        assert " ".join(one.sentences) in row
    assert f"In all {built.summary}." in page.locator('[data-part="built"]').inner_text()
    told = json.loads(page.locator("#data").text_content() or "")["built"]
    other = next(one.id for one in result.pareto if one.id not in told)
    page.locator(f'tr[data-id="{other}"]').click()
    assert "'arrayol simulate' shows them for any design" in page.locator('[data-part="built"]').inner_text()


def test_a_given_datapath_says_so(opened: Open, report: Path) -> None:
    page = opened(report)
    row = page.locator('[data-part="datapaths"] tbody tr').first.inner_text()
    assert "every 4 cycles\ngiven" in row
    assert "96 lut, 2 dsp\ngiven" in row
    assert row.endswith("not given")  # the energy
    assert page.locator('[data-part="energy"]').count() == 0


def test_the_timeline_draws_every_cycle_of_its_steps(opened: Open, report: Path) -> None:
    page = opened(report)
    design = next(one for one in front() if len(one.groups) == 1)
    page.locator(f'tr[data-id="{design.id}"]').click()
    titles = page.locator('[data-part="timeline"] rect.work title').all_text_contents()
    ((group,), (mapping,)) = design.groups, design.mappings
    assert mapping.steps <= 24  # all of them are drawn
    for processor in group.processors:
        cycles = [int(text.split()[-2]) for text in titles if f": {processor.task}, " in text]
        assert processor.cycles is not None
        assert sum(cycles) == processor.cycles.computing


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(opened: Open, report: Path, scheme: str) -> None:
    page = opened(report, scheme=scheme)

    def brightness(name: str) -> float:
        found = page.evaluate(f"getComputedStyle(document.body).{name}")
        return sum(map(int, re.findall(r"\d+", found)[:3])) / 3

    def is_dark() -> bool:
        assert abs(brightness("backgroundColor") - brightness("color")) > 150  # readable
        return brightness("backgroundColor") < brightness("color")

    assert is_dark() is (scheme == "dark")
    for choice in ("dark", "light", "auto"):
        page.locator(f'[data-name="{choice}"]').click()
        assert is_dark() is ((scheme if choice == "auto" else choice) == "dark")
        assert page.locator('#theme [aria-pressed="true"]').inner_text() == choice


@pytest.mark.parametrize("width", [1280, 400])
def test_it_is_readable_at_every_width(opened: Open, report: Path, width: int) -> None:
    page = opened(report, width=width)
    for design in (front()[0], front()[-1]):
        page.locator(f'tr[data-id="{design.id}"]').click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.evaluate(
            """() => [...document.querySelectorAll("main *")]
                .filter((one) => !one.closest(".wide, .scroll, svg, pre"))
                .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
                .map((one) => one.outerHTML.slice(0, 80))"""
        )
        assert outside == []
        small = page.evaluate(
            """() => [...document.querySelectorAll("main *")]
                .filter((one) => [...one.childNodes].some((part) => part.nodeType === 3 && part.data.trim()))
                .filter((one) => one.tagName !== "title" && parseFloat(getComputedStyle(one).fontSize) < 11)
                .map((one) => one.outerHTML.slice(0, 80))"""
        )
        assert small == []
    drawn = page.locator("#scatter svg").get_attribute("width")
    assert drawn is not None
    page.set_viewport_size({"width": 1680 - width, "height": 900})
    expect(page.locator("#scatter svg")).not_to_have_attribute("width", drawn)  # drawn anew
    assert page.evaluate("document.documentElement.scrollWidth") <= 1680 - width


def test_texts_in_pictures_do_not_cover_each_other(opened: Open, report: Path) -> None:
    page = opened(report)
    for design in front():
        page.locator(f'tr[data-id="{design.id}"]').click()
        covered = page.evaluate(
            """() => [...document.querySelectorAll("#design svg, #scatter svg")].flatMap((svg) => {
                const texts = [...svg.querySelectorAll("text")]
                    .map((text) => [text.textContent, text.getBoundingClientRect()]);
                const aside = (a, b) => a.right - 1 <= b.left || b.right - 1 <= a.left;
                const above = (a, b) => a.bottom - 4 <= b.top || b.bottom - 4 <= a.top;
                return texts.flatMap(([name, box], place) => texts.slice(place + 1)
                    .filter(([, other]) => !aside(box, other) && !above(box, other))
                    .map(([other]) => `${name} / ${other}`));
            })"""
        )
        assert covered == []


def test_the_published_model(opened: Open, published_report: Path) -> None:
    page = opened(published_report)
    result = published().result
    assert page.locator("circle.dot").count() == 8
    assert page.locator("circle.dot.on-front").count() == 2
    page.locator('circle.dot[data-id="2+2"]').click()
    assert heading(page) == "Design 2+2"
    texts = page.locator('[data-part="diagram"] text').all_text_contents()
    assert texts.count("4 units") == texts.count("X_out 480 elements") == 4
    page.locator('tr[data-id="4"]').click()
    assert "kept whole: p2, 2,073,600 elements" in page.locator('[data-part="diagram"]').inner_text()
    parts = page.locator("#design [data-part]").evaluate_all("all => all.map((one) => one.dataset.part)")
    assert parts == ["diagram", "more", "figures", "aol"]
    assert len(result.designs or ()) == 8


EVIL = "</title></script><img src=x onerror=alert(1)>\"'&<b>"


def test_names_are_only_ever_text(opened: Open, report: Path, tmp_path: Path) -> None:
    text = (report.parent / "result.json").read_text(encoding="utf-8")
    for name in ("hflr", "p0"):
        text = text.replace(f'"{name}"', json.dumps(EVIL + name))
    document = json.loads(text)
    document |= {"spec": EVIL, "top": EVIL, "platform": EVIL, "remarks": [EVIL]}
    for design in document["pareto"]:
        design |= {
            "steps": None,
            "steps_remark": EVIL,
            "verification": EVIL,
        }
    (tmp_path / "result.json").write_text(json.dumps(document), encoding="utf-8")
    page = opened(write_report(tmp_path).path)
    page.keyboard.press("Home")
    assert heading(page) == f"Design {front()[0].id}"
    assert page.title() == f"{EVIL}: report of arrayol"
    assert page.locator("h1").inner_text().startswith(EVIL)
    assert page.locator("img, b").count() == 0
    assert EVIL in page.locator("#remarks").inner_text()
    assert page.locator('[data-kind="task"]').count() == 4  # without the specification, too


def test_what_designs_with_options_choose(opened: Open, report: Path, tmp_path: Path) -> None:
    document = json.loads((report.parent / "result.json").read_text(encoding="utf-8"))
    (group,) = document["pareto"][0]["groups"]
    mapping = group["mapping"]
    next(one for one in mapping["memories"] if one["name"] == "p1")["kind"] = "fifo"
    mapping |= {"fifos": ["p1"], "policy": "strip", "recompute": True}
    mapping["layouts"] = [{"array": "p0", "banks": 3, "vector": [1, 2], "block": 1}]
    mapping["layouts"] += [{"array": "p4", "banks": 5, "vector": [0, -1], "block": 2}]
    group["processors"][0]["cut"] = {"shape": [2, 1], "scan": "1,-0"}
    (tmp_path / "result.json").write_text(json.dumps(document), encoding="utf-8")
    page = opened(write_report(tmp_path).path)
    page.keyboard.press("Home")
    diagram = page.locator('[data-part="diagram"]')
    texts = diagram.locator("text").all_text_contents()
    assert diagram.locator('[data-kind="fifo"]').count() == 1
    assert {"FIFO p1", "buffer p0", "cut 2 x 1"} <= set(texts)
    assert "overlaps computed again" in diagram.inner_text()
    layout = page.locator('[data-part="layout"]').inner_text()
    assert "bank = (x0 + 2 x1) mod 3" in layout
    assert "bank = floor((-1 x1) / 2) mod 5" in layout
    assert "Policy strip: once for each strip that reads it" in page.locator('[data-part="transfers"]').inner_text()
    assert "their lengths are not in this report" in page.locator('[data-part="timeline"]').inner_text()
