"""Designs in C++: shipped specifications under sanitizers, and what must not agree."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cpp_programs import is_right, needs_compiler, seen_of, write
from hardware import cheap, hardware_of
from hardware_designs import small, three_units
from small_shipped import quick_front, small_shipped

from arrayol.errors import ArrayolError
from hwmodel.emit.hls import rounds
from hwmodel.emit.hls.compiler import PLAIN, SANITIZED, RunSeen, run_build
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.hls.rounds import task_rounds
from hwmodel.emit.schedule.activity import replayed
from hwmodel.emit.schedule.design import HardwareDesign

DESIGNS = 2
FAR = 1 << 20  # rounds
SHIPPED = (
    *("attention", "conv3x3", "dct", "fir", "firbank", "lpsf", "pattern", "polyprod", "pyramid", "radar", "solve"),
    "wavelet",
)


@needs_compiler
@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_specifications(name: str, tmp_path: Path) -> None:
    """Two designs at the reduced size, one with several units of a task where there are such."""
    spec = small_shipped(name, tmp_path)
    bench = spec.verifier.testbench
    designs = cheap(bench, quick_front(name), DESIGNS)
    assert len(designs) == DESIGNS
    for design in designs:
        seen = seen_of(HlsFiles(bench.spec, hardware_of(bench, design, as_verilog=False)))
        assert is_right(seen), seen


# Controls: each of these must not agree.


def files_of(design: HardwareDesign) -> HlsFiles:
    return HlsFiles(small().testbench.spec, design)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The design, written once."""
    target = tmp_path_factory.mktemp("design")
    write(files_of(three_units()), target)
    return target


@pytest.fixture
def seen(folder: Path) -> Callable[[str, str, str], RunSeen]:
    """What the program prints after a change in one file, which is taken back."""

    def run(path: str, before: str, after: str) -> RunSeen:
        text = (folder / path).read_text(encoding="utf-8")
        found = re.search(before, text)
        assert found is not None
        (folder / path).write_text(text[: found.start()] + found.expand(after) + text[found.end() :], encoding="utf-8")
        try:
            return run_build(folder, PLAIN)
        finally:
            (folder / path).write_text(text, encoding="utf-8")

    return run


Seen = Callable[[str, str, str], RunSeen]


@needs_compiler
@pytest.mark.parametrize("build", [PLAIN, SANITIZED])
def test_unchanged_it_agrees(folder: Path, build: str) -> None:
    assert run_build(folder, build) == RunSeen(build, (0, 0), ())


@needs_compiler
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"- 420\)", r"- 428)"),
        (r"turned\((k\d+), (row\.\w+), 9\)", r"turned(\1, \2, 8)"),
        (r"turned\((k\d+), (row\.\w+), 12\)", r"turned(\1, \2, 11)"),
        (r"buffer_x\[(k\d+)\]\[(k\d+)\] = taken", r"buffer_x[(\1 + 1) % 9][\2] = taken"),
        (r"loaded, 1\)", r"loaded, 2)"),
        (r"instruction program_of_blurred\[(\d+)\] = \{\n  \{(\d+), (\d+)", r"\g<0>1"),
    ],
    ids=["a coefficient", "a modulus of banks", "a modulus of addresses", "a bank", "a byte of a word", "a program"],
)
def test_what_is_changed_differs(seen: Seen, before: str, after: str) -> None:
    assert min(seen("src/group0.cpp", before, after).wrong) > 0


@needs_compiler
def test_wrong_words_are_counted(seen: Seen, folder: Path) -> None:
    first, _ = three_units().frame.outputs["z"]
    text = (folder / "data" / "expected.hex").read_text(encoding="utf-8").splitlines()
    other = f"{int(text[first], 16) ^ 1:0{len(text[first])}x}"
    found = seen("data/expected.hex", rf"\A((?:.*\n){{{first}}}).*\n", rf"\g<1>{other}\n")
    assert found.wrong == (1, 1)


def test_the_same_bytes() -> None:
    assert files_of(three_units()).files() == files_of(three_units()).files()


# Rounds.


def test_a_round_that_finds_another_state_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As if the results of a round were there only at the end."""
    bench = small_shipped("lpsf", tmp_path).verifier.testbench
    design = hardware_of(bench, cheap(bench, quick_front("lpsf"), 1)[0], as_verilog=False)
    tasks = [task for group in design.groups for task in group.tasks if not task.units.kept]
    states = [
        task for task in tasks
        if {memory.name for memory in task.reading.memories.values()}
        & {memory.name for memory in task.writing.memories.values()}
    ]  # fmt: skip
    assert states
    for task in states:
        task_rounds(task)
    last = rounds.last_writes

    def later(writes: tuple[rounds.Ints, rounds.Ints], reads: tuple[rounds.Ints, rounds.Ints]) -> rounds.Ints:
        word, time = writes
        return last((word, time + FAR * bool((time % 2).all())), reads)  # of rounds, which are odd

    monkeypatch.setattr(rounds, "last_writes", later)
    with pytest.raises(ArrayolError, match="reads another state of '"):
        [task_rounds(task) for task in states]


def test_rounds_touch_all_that_cycles_touch() -> None:
    for task in three_units().groups[0].tasks:
        own = task_rounds(task).agent
        for agent in (task.reading, task.writing):
            cycles, words = replayed(agent), replayed(own)
            for name, table in cycles.words.items():
                assert np.array_equal(np.sort(table[table >= 0]), np.sort(words.words[name][words.words[name] >= 0]))


def test_lost_touches_are_refused() -> None:
    """Results that leave at another time than the latency says."""
    task = three_units().groups[0].tasks[0]
    late = replace(task, units=replace(task.units, latency=4 * task.units.latency))
    with pytest.raises(ArrayolError, match="do not touch all that its cycles touch"):
        task_rounds(late)
