"""Shipped specifications on the simulated machine at their reduced sizes; benchmarks/accuracy.py runs whole fronts."""

from __future__ import annotations

from pathlib import Path

import pytest
from accuracy import HEAD, PAGE, Compared, Shipped, evenly, groups_of, line, shipped, write_table
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from small_shipped import plain_front
from strategies_designs import group_designs

from arrayol.errors import ArrayolError
from dse.space.fusions import subspaces
from dse.space.task_graph import task_graph
from dse.verify.testbench import mismatches
from hwmodel.design import Design

DESIGNS, OF_A_LARGE_ONE = 3, 2  # off the front, of each specification: 71 in all
LARGE = {"downscaler", "flow", "harris", "thumbnail"}
DRAWN = 8  # at most for each of these: not all are legal at the reduced size
ON_A_FRONT = 3
SLOW = {"camera", "downscaler", "harris", "mobilenet", "stereo"}  # whose exploration takes some seconds


@st.composite
def designs(draw: st.DrawFn, one: Shipped) -> Design:
    """Any design at the reduced size: random fusions, blocks and scans, most of them far from any front."""
    fusions = [fusion for subspace in subspaces(task_graph(one.verifier.testbench.network)) for fusion in subspace]
    fusion = draw(st.sampled_from(fusions))
    return Design(tuple(draw(group_designs(one.verifier.testbench.model, tasks)) for tasks in fusion.groups))


@pytest.mark.parametrize("name", shipped())
def test_designs_off_the_front(name: str) -> None:
    """In whole blocks, at least five along an axis that they do not span, and with partial ones."""
    one, seen = Shipped(name), set[Design]()
    wanted = OF_A_LARGE_ONE if name in LARGE else DESIGNS

    @settings(
        max_examples=DRAWN * wanted, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(designs(one))
    def judge(design: Design) -> None:
        if len(seen) == wanted or design in seen:
            return
        try:
            variants = list(one.reduced(design))
        except ArrayolError:  # what is legal with its blocks need not be with smaller ones
            return
        for group in groups_of(one, variants):
            require_agreement(one, one.compare(group))
        for variant in variants[:1]:  # the whole design is its groups, one after another
            simulation, estimate = one.verifier.testbench.compare(variant)
            assert list(mismatches(simulation, estimate)) == []
            assert simulation.identical is (None if one.verifier.testbench.inputs is None else True)
        seen.add(design)

    judge()
    assert len(seen) == wanted


def require_agreement(one: Shipped, found: Compared) -> None:
    """Fail where output, cycles or memories differ."""
    assert found.disagreements == ()
    assert (found.difference, found.memory_difference) == (0, 0)
    assert found.identical is (None if one.verifier.testbench.inputs is None else True)


@pytest.mark.parametrize("name", [name for name in shipped() if name not in SLOW])
def test_designs_on_the_plain_front(name: str) -> None:
    """Some of the front at the reduced size, each access through its address, bank and port."""
    one = Shipped(name)
    front = plain_front(name)
    found = [one.compare(group) for group in groups_of(one, evenly(front, ON_A_FRONT))]
    for each in found:
        require_agreement(one, each)
    assert " | 0.0% | 0.0% | identical | 1.0 |\n" in line(one, len(front), found, 1)


def test_the_page_has_a_line_for_each_shipped_specification() -> None:
    """All as the script writes them: no difference, no output that differs."""
    lines = PAGE.read_text(encoding="utf-8").partition(HEAD)[2].partition("\n\n")[0].splitlines()
    names = shipped()
    assert [text.split(":")[0].removeprefix("| ") for text in lines] == names
    for text, name in zip(lines, names, strict=True):
        consts = Shipped(name).verifier.platform.verify
        assert text.startswith(f"| {name}: {', '.join(f'{const} = {value}' for const, value in consts.items())} | ")
        assert " | 0.0% | 0.0% | identical | " in text


def test_the_table_is_put_in_place_of_the_former_one(tmp_path: Path) -> None:
    page = tmp_path / "accuracy.md"
    page.write_text(f"before\n\n{HEAD}| a: N = 1 | old |\n| b: M | older |\n\nafter\n", encoding="utf-8")
    write_table(["| b: M | new |\n"], page)
    assert page.read_text(encoding="utf-8") == f"before\n\n{HEAD}| a: N = 1 | old |\n| b: M | new |\n\nafter\n"
