"""Memories and Verilog in a report: formulas of addresses against the words they stand for, and what the page shows."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from report_pages import Open

from arrayol import api
from dse.output.folder import load_result
from dse.output.report.details import bank_formula, organised
from dse.output.report.document import report_document
from dse.output.report.sources import open_origin
from dse.output.report.verilog import Modules
from dse.output.report.write import write_report
from dse.verify.testbench import memories_of_groups
from hwmodel.local_memory.addresses import Addresses, BankAddresses, BankedWords, BufferWords, PieceWords
from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues


def value(formula: str, **names: object) -> object:
    """What a formula of the report is for some numbers."""
    text = re.sub(r"(?<=\d),(?=\d)", "", formula).replace("mod", "%").replace("floor(", "(").replace(" / ", " // ")
    text = re.sub(r"(\d) (?=[(a-z])", r"\1 * ", text)
    return eval(text, {"__builtins__": {}}, names)


@pytest.mark.parametrize(
    ("function", "formula"),
    [
        (Residues((4, 1)), "x0 mod 4"),
        (Residues((2, 3)), "3 (x0 mod 2) + x1 mod 3"),
        (Linear((1, 2), 5), "(x0 + 2 x1) mod 5"),
        (Linear((0, -1), 5, 2), "floor((-1 x1) / 2) mod 5"),
    ],
)
def test_the_formula_of_a_bank(function: BankFunction, formula: str) -> None:
    assert bank_formula(function) == formula
    places = np.array([(a, b) for a in range(7) for b in range(9)])
    assert np.array_equal(value(formula, x0=places[:, 0], x1=places[:, 1]), function.bank(places))


@pytest.fixture(scope="module")
def designs(emitted_folder: Path) -> list[api.StoredDesign]:
    result = load_result(emitted_folder / "out")
    return [api.open_design(emitted_folder / "lpsf.aol", emitted_folder / "out", one.id) for one in result.pareto]


def test_the_formulas_of_addresses_are_the_words_of_the_machine(designs: list[api.StoredDesign]) -> None:
    """Of each part of each buffer, for all pairs of indices of its lines; what has no formula is not asked."""
    compared = 0
    for opened in designs:
        rows = iter(organised(opened))
        local = memories_of_groups(opened.accesses, opened.platform, opened.design, opened.estimate)
        for group, memories in zip(opened.estimate.groups, local, strict=True):
            for use in group.memories:
                row, words = next(rows), memories.words.get(use.name)
                assert (row["kind"], row["name"]) == (use.kind, use.name)
                bits = (row["banks"] * row["copies"] * row["words"] + row["window"]) * row["width"]
                assert bits == use.bits
                inner = words.in_bank if isinstance(words, BankedWords) else words
                if use.kind == "buffer" and isinstance(inner, BufferWords):
                    compared += sum(_agree(piece, row["address"], place) for place, piece in _placed(inner))
    assert compared > 50


def _placed(words: BufferWords) -> list[tuple[int, PieceWords]]:
    bases = np.cumsum([0, *(piece.size for piece in words.pieces)])
    return [(int(base), piece) for base, piece in zip(bases, words.pieces, strict=False)]


def _agree(piece: PieceWords, texts: list[str], base: int) -> int:
    """How many words a formula was compared for."""
    several = piece.addresses
    one = max(several.banks.values(), key=lambda own: own.size) if isinstance(several, BankAddresses) else several
    assert isinstance(one, Addresses)
    if one.parts[0].classes is not None:
        return 0
    u, v, w = (part.ravel() for part in np.mgrid[: len(one.outer_number), : len(one.inner_number), : one.free])
    (text,) = (text for text in texts if text.startswith(f"words {base:,} to {base + one.size - 1:,}: "))
    formula = text.split(": ", 1)[1].rsplit(" (", 1)[0] if text.endswith(")") else text.split(": ", 1)[1]
    if "birth" in formula:
        return 0
    assert np.array_equal(np.broadcast_to(value(formula, u=u, v=v, w=w), u.shape), base + one.address(u, v, w))  # type: ignore[arg-type]
    return len(u)


def test_memories_and_verilog_on_the_page(opened: Open, emitted_folder: Path, designs: list[api.StoredDesign]) -> None:
    page = opened(emitted_folder / "out" / "report.html")
    data = json.loads(page.locator("#data").text_content() or "")
    best = data["best"][0]
    page.locator(f'tr[data-id="{best}"]').click()
    (design,) = (one for one in designs if one.record.id == best)
    rows = page.locator('[data-part="built"] table').first.locator("tbody tr").all_inner_texts()
    for row, one in zip(rows, organised(design), strict=True):
        numbers = [f"{one[name]:,}" for name in ("banks", "copies", "words", "width", "window")]
        assert row.split("\t")[:6] == [f"{one['group']}: {one['kind']} {one['name']}", *numbers]
        assert one["address"][0] in row
    files = {name: data["modules"][place] for name, place in data["verilog"][best]["files"]}
    folder = emitted_folder / "verilog"
    api.emit_verilog(design, folder)
    assert files == {f"rtl/{path.name}": path.read_text(encoding="utf-8") for path in (folder / "rtl").iterdir()}
    part = page.locator('[data-part="verilog"]')
    assert part.locator("summary").count() == len(files)
    (top,) = part.locator("pre").all()  # the others are made when they are opened
    assert top.text_content() == files["rtl/lpsf_top.v"]
    part.locator("summary").first.click()
    assert part.locator("details").first.locator("pre").text_content() == next(iter(files.values()))
    other = next(one.record.id for one in designs if one.record.id not in data["best"])
    page.locator(f'tr[data-id="{other}"]').click()
    for name in ("built", "verilog"):
        assert f"'arrayol report out --design {other}'" in page.locator(f'[data-part="{name}"]').inner_text()


def test_designs_that_are_asked_for(emitted_folder: Path, designs: list[api.StoredDesign], tmp_path: Path) -> None:
    result = load_result(emitted_folder / "out")
    origin = open_origin(result, emitted_folder / "out")
    plain = report_document(result, emitted_folder / "out", origin)
    other = next(one.record.id for one in designs if one.record.id not in plain["best"])
    asked = report_document(result, emitted_folder / "out", origin, asked=[other])
    assert asked["best"] == [other, *plain["best"]]
    assert list(asked["verilog"]) == list(asked["organised"]) == asked["best"]
    assert "files" in asked["verilog"][other]
    with pytest.raises(api.ArrayolError, match="there is no design '9:9'"):
        write_report(emitted_folder / "out", tmp_path / "a.html", designs=["9:9"])


def test_verilog_that_is_too_much_is_left_out_unless_asked_for(designs: list[api.StoredDesign]) -> None:
    small = designs[0]
    work = sum(math.prod(process.repetition) for process in small.network.processes.values())  # type: ignore[arg-type]
    reason = f"it takes a simulation of {work} repetitions, too many for a report"
    assert Modules(10**6, work=work - 1).of(small, asked=False) == {"refused": reason, "large": True}
    once = Modules(10**6, work=work)
    found = once.of(small, asked=False)
    assert len(found["files"]) == len({name for name, _ in found["files"]}) == len(once.texts)
    assert once.of(small, asked=False) == {"refused": reason, "large": True}
    assert once.of(small, asked=True) == found
    assert "left out for the size of this file" in Modules(1_000).of(small, asked=True)["refused"]


def test_what_has_no_hardware_says_why(opened: Open, report: Path) -> None:
    """Of a datapath whose figures are given nobody knows the circuit."""
    page = opened(report)
    text = page.locator('[data-part="verilog"]').inner_text()
    assert re.search(r"None here: .*no hardware is emitted for that\.$", text)
