"""The driver, the header and the layout of an emitted design, against the bytes of its external memory."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from spec_data import loaded
from system_designs import (
    VIDEO,
    complex_elements,
    design_on,
    driver_of,
    narrow,
    on_channels,
    overlapping,
    overlapping_narrow,
    overlapping_on_channels,
    separate,
    several_frames,
    several_frames_on_channels,
    texts,
)

from arrayol.execute.run import execute
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.layout import FIRST_VALUE, layout_of

DESIGNS = [
    design_on, separate, narrow, complex_elements, on_channels, overlapping, overlapping_narrow,
    overlapping_on_channels, several_frames, several_frames_on_channels,
]  # fmt: skip


class FakeDesign:
    """Registers that finish a frame at once: the output is what `compute` makes of the inputs."""

    def __init__(self, status: int = 10) -> None:
        self.values: dict[int, int] = {}
        self.status = status

    def read(self, offset: int) -> int:
        return {4: self.status, 12: 77}.get(offset, self.values.get(offset, 0))

    def write(self, offset: int, value: int) -> None:
        assert offset % 4 == 0
        assert 0 <= value < 1 << 32
        self.values[offset] = value


@pytest.fixture(scope="module")
def driver() -> ModuleType:
    return driver_of(design_on())


@pytest.mark.parametrize("design", DESIGNS)
def test_arrays_lie_where_the_test_bench_has_them(design: Any) -> None:
    hardware: HardwareDesign = design()
    module = driver_of(hardware)
    layout, word = layout_of(hardware), hardware.addresses.word_bytes
    assert tuple(module.LAYOUT.sizes) == tuple(image.size for image in hardware.frame.before) == layout.sizes
    for number, frame in enumerate((hardware.frame, *hardware.later)):
        for name, (first, _) in {**frame.inputs, **frame.outputs}.items():
            array = module.LAYOUT.arrays[name]
            image = frame.after[array.channel]
            # Those that come with the first start lie one behind the other.
            begins = number + array.ahead if number or array.ahead < 0 else 0
            assert array.first_of(begins) == first * word
            data = image.between(first * word, first * word + array.nbytes)
            assert array.pack(array.unpack(data)) == data


@pytest.mark.parametrize("design", [narrow, overlapping, overlapping_narrow])
def test_no_register_belongs_to_two_copies(design: Any) -> None:
    """Software writes registers of 32 bits, also where a word of the port has fewer."""
    registers = [
        array.register_of(frame) + at
        for array in driver_of(design()).LAYOUT.arrays.values()
        if array.register is not None
        for frame in range(array.copies)
        for at in range(0, array.nbytes, 4)
    ]
    assert all(register % 4 == 0 for register in registers)
    assert len(set(registers)) == len(registers)


def test_small_inputs_are_in_registers_one_behind_the_other() -> None:
    layout = layout_of(design_on())
    assert {array.name: array.register for array in layout.arrays} == {
        "x": None, "k": FIRST_VALUE, "gain": FIRST_VALUE + 8, "enable": FIRST_VALUE + 16, "y": None,
    }  # fmt: skip
    assert layout.register_words * layout.word == 24


@given(arrays(np.int64, (7, 21), elements=st.integers(0, 4095)))
def test_what_is_packed_comes_back(values: Any) -> None:
    array = _driver().LAYOUT.arrays["x"]
    assert np.array_equal(array.unpack(array.pack(values)), values)


def _driver(found: list[ModuleType] = []) -> ModuleType:  # noqa: B006  one for all examples
    if not found:
        found.append(driver_of(design_on()))
    return found[0]


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("x", np.zeros((7, 20)), "'x' has shape (7, 21), not (7, 20)"),
        ("x", np.full((7, 21), 4096), "'x' has values that u12 does not have"),
        ("x", np.full((7, 21), -1), "'x' has values that u12 does not have"),
        ("k", [1, 2, 2.5], "'k' has values that i16 does not have"),
        ("gain", 1 << 15, "'gain' has values that i8.8 does not have"),
    ],
)
def test_other_values_are_refused(driver: ModuleType, name: str, values: Any, message: str) -> None:
    design = driver.Accelerator(FakeDesign(), bytearray(driver.LAYOUT.sizes[0]), 0)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        design.put(name, values)


def test_a_frame_of_the_driver(driver: ModuleType) -> None:
    registers, memory = FakeDesign(), bytearray(range(256)) * 8
    design = driver.Accelerator(registers, memory, 0x1_2345_6000)
    assert (registers.values[0x10], registers.values[0x14]) == (0x2345_6000, 1)
    outputs = design.run(k=[1, -2, 3], enable=True, gain=384)
    first = driver.LAYOUT.arrays["k"].register
    assert registers.values[first] == 0xFFFE_0001
    assert registers.values[first + 4] == 3
    assert registers.values[driver.LAYOUT.arrays["gain"].register] == 384
    assert registers.values[0] == driver.CLEAR_DONE
    y = driver.LAYOUT.arrays["y"]
    assert outputs["y"].tobytes() == bytes(memory[y.first : y.first + y.nbytes])


def test_complex_numbers_have_the_real_part_in_the_low_bytes() -> None:
    hardware = complex_elements()
    array = driver_of(hardware).LAYOUT.arrays["taps"]
    assert array.pack(np.array([1 + 2j, complex(0, -3.5), 0.25])) == np.array([1, 2, 0, -3.5, 0.25, 0], "<f4").tobytes()
    assert "/* input: float complex taps[3], the real part first */" in texts(hardware)["sw/mixed.h"]


def test_mistakes_in_the_use_of_the_driver(driver: ModuleType) -> None:
    with pytest.raises(ValueError, match="the memory has 3 bytes, and the design needs"):
        driver.Accelerator(FakeDesign(), bytearray(3), 0)
    with pytest.raises(ValueError, match="the design has 1 channels, and 2 are given"):
        driver.Accelerator(FakeDesign(), bytearray(driver.LAYOUT.sizes[0]), 0, [(bytearray(9), 0)])
    memory = bytearray(driver.LAYOUT.sizes[0])
    with pytest.raises(KeyError, match="'y' is no input of 'rows_ip'; these are: 'x', 'k', 'gain', 'enable'"):
        driver.Accelerator(FakeDesign(), memory, 0).put("y", 0)
    with pytest.raises(RuntimeError, match="a frame goes on"):
        driver.Accelerator(FakeDesign(status=driver.BUSY), memory, 0).put("gain", 0)
    with pytest.raises(RuntimeError, match="the memory answered with an error"):
        driver.Accelerator(FakeDesign(status=driver.DONE | driver.FAULT), memory, 0).wait()


class FramesAtOnce(FakeDesign):
    """Registers of a design of groups at the same time; a look at its status may end a period, at random.

    An output is an input of the same frame and an offset; what software does too early or too late has other frames.
    """

    def __init__(self, layout: Any, seed: int) -> None:
        super().__init__()
        self.memory, self.layout, self.drawn = bytearray(layout.sizes[0]), layout, Random(seed)
        self.taken = self.ended = 0
        self.waits = self.unread = False
        self.works: list[Any] = [None] * (layout.overlap - 1)  # the number of a new frame, and then its input

    def write(self, offset: int, value: int) -> None:
        super().write(offset, value)
        if offset == 0:
            self.unread = self.unread and not value & 2
            assert not (value & 1 and self.waits), "a start that is ignored"
            self.waits = self.waits or bool(value & 1)

    def read(self, offset: int) -> int:
        if offset == 4:
            if self.drawn.random() < 0.4:
                self.period()
            return (self.busy() or self.waits) + 2 * self.unread + 8 * (not self.waits)
        return self.taken % 6 if offset == 0x18 else super().read(offset)

    def busy(self) -> bool:
        """Whether some stage has a frame."""
        return any(frame is not None for frame in self.works)

    def period(self) -> None:
        """End a period if the outputs of the frame before are taken, and begin the next one."""
        if self.busy() and self.unread:
            return
        x, offset, z = (self.layout.arrays[name] for name in ("x", "offset", "z"))
        if self.works[0] is not None:
            self.works[0] = x.unpack(self.memory[x.first_of(self.works[0]) :])[:, : z.shape[1]]
        out = self.works.pop()
        if out is not None:
            first = z.first_of(self.ended)
            self.memory[first : first + z.nbytes] = z.pack(out + self.values[offset.register_of(self.ended)])
            self.ended, self.unread = self.ended + 1, True
        self.works.insert(0, self.taken if self.waits else None)
        self.taken, self.waits = self.taken + self.waits, False


@given(st.lists(st.tuples(st.integers(0, 4095), st.none() | st.integers(0, 999)), max_size=12), st.integers(0))
def test_frames_that_overlap(frames: list[tuple[int, int | None]], seed: int) -> None:
    """Inputs that are not given are those of the frame before, though another copy is read."""
    layout = _overlapping_driver().LAYOUT
    registers = FramesAtOnce(layout, seed)
    design = _overlapping_driver().Accelerator(registers, registers.memory, 0)
    design.put("offset", 7)
    inputs = [
        {"x": np.full(layout.arrays["x"].shape, x)} | ({} if offset is None else {"offset": offset})
        for x, offset in frames
    ]
    seen = [int(outputs["z"][1, 1]) for outputs in design.run_frames(inputs)]
    expected, last = list[int](), 7
    for x, offset in frames:
        last = last if offset is None else offset
        expected.append(x + last)
    assert seen == expected


@cache
def _overlapping_driver() -> ModuleType:
    return driver_of(overlapping())


class SeveralFrames(FakeDesign):
    """A design whose tasks read several frames; each start finds those of its video in their copies."""

    def __init__(self, layout: Any, video: Mapping[str, Any], made: Mapping[str, Any]) -> None:
        super().__init__()
        self.memories, self.layout = [bytearray(size) for size in layout.sizes], layout
        self.video, self.made = video, made
        self.starts = 0

    def write(self, offset: int, value: int) -> None:
        super().write(offset, value)
        if offset != 0 or not value & 1:
            return
        v, o = self.layout.arrays["v"], self.layout.arrays["o"]
        for frame in range(max(self.starts - 1, 0), self.starts + 3):  # the second group is a frame behind
            words = np.array([self.values[v.register_of(frame) + at] for at in range(0, v.nbytes, 4)], "<u4")
            assert np.array_equal(v.unpack(words.tobytes()), self.video["v"][frame])
        for name, frame in (("a", self.starts), ("o", self.starts + o.ahead)):
            own = self.layout.arrays[name]
            if frame >= 0:
                data = own.pack(self.made[name][frame])
                self.memories[own.channel][own.first_of(frame) : own.first_of(frame) + len(data)] = data
        self.starts += 1


@pytest.mark.parametrize("of_frames", [several_frames, several_frames_on_channels])
def test_several_frames_at_once(of_frames: Callable[[], HardwareDesign]) -> None:
    """The driver fills the copies first, and gives the outputs of a frame when all of them are there."""
    module, spec = driver_of(of_frames()), loaded(VIDEO)
    video = {"v": np.random.default_rng(3).integers(0, 256, (9, 4, 8)).astype("u1"), "k": np.array([2, 3], "u1")}
    made = execute(spec, "video", video)
    registers = SeveralFrames(module.LAYOUT, video, made)
    memory, *others = registers.memories
    design = module.Accelerator(registers, memory, 0, [(other, 0) for other in others])
    design.put("k", video["k"])
    assert [design.run(v=frame) for frame in video["v"][:3]] == [{}] * 3
    seen = list(design.run_frames({"v": frame} for frame in video["v"][3:]))
    assert len(seen) == 6 == len(made["o"])
    for number, outputs in enumerate(seen):
        assert all(np.array_equal(outputs[name], made[name][number]) for name in ("a", "o"))


def test_frames_of_another_program_are_refused() -> None:
    module = _overlapping_driver()
    with pytest.raises(RuntimeError, match="frames of another program go on"):
        module.Accelerator(FakeDesign(status=module.DONE | module.READY), bytearray(module.LAYOUT.sizes[0]), 0)


C_MAIN = """
#include <stdio.h>
#include <string.h>
#include "rows.h"

int main(void) {
  static volatile uint32_t registers[1024];
  const int16_t k[3] = {1, -2, 3};
  const int16_t gain = 384;
  const uint8_t enable = 1;
  unsigned at;
  rows_set_base(registers, 0x123456000u);
  rows_put_k(registers, k);
  rows_put_gain(registers, &gain);
  rows_put_enable(registers, &enable);
  rows_start(registers);
  for (at = 0; at < 1024; at++)
    if (registers[at]) printf("%u %u\\n", 4 * at, registers[at]);
  registers[ROWS_STATUS / 4] = ROWS_DONE;
  if (rows_wait(registers) != 0) return 1;
  registers[ROWS_STATUS / 4] = ROWS_DONE | ROWS_FAULT;
  if (rows_wait(registers) != -1) return 2;
  return ROWS_MEMORY_BYTES == %d && ROWS_ARRAY_y_FIRST == %d ? 0 : 3;
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc, which compiles the header")
def test_the_header_writes_what_the_driver_writes(driver: ModuleType, tmp_path: Path) -> None:
    registers = FakeDesign()
    design = driver.Accelerator(registers, bytearray(driver.LAYOUT.sizes[0]), 0x1_2345_6000)
    for name, values in (("k", [1, -2, 3]), ("gain", 384), ("enable", True)):
        design.put(name, values)
    design.start()
    (tmp_path / "rows.h").write_text(texts(design_on())["sw/rows.h"], encoding="utf-8")
    main = C_MAIN.replace("%d", str(driver.LAYOUT.sizes[0]), 1).replace("%d", str(driver.LAYOUT.arrays["y"].first), 1)
    assert _written(main, tmp_path) == {at: value for at, value in registers.values.items() if value}


CHANNELS_MAIN = """
#include <stdio.h>
#include "rows.h"

int main(void) {
  static volatile uint32_t registers[1024];
  unsigned at;
  rows_set_base(registers, 0, 0x123456000u);
  rows_set_base(registers, ROWS_ARRAY_x_CHANNEL, 0x200001000u);
  rows_set_base(registers, 2, 0x3000u);
  for (at = 0; at < 1024; at++)
    if (registers[at]) printf("%u %u\\n", 4 * at, registers[at]);
  registers[ROWS_BASE1_LOW / 4] = 7;
  if (registers[8] != 7) return 1;
  return ROWS_ARRAY_y_CHANNEL == 0 && ROWS_MEMORY1_BYTES == %d ? 0 : 2;
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc, which compiles the header")
def test_channels_have_memories_and_bases_of_their_own(tmp_path: Path) -> None:
    """The driver and the header write the same bases; arrays go to the memory of their channel."""
    module, registers = driver_of(on_channels()), FakeDesign()
    memories = [bytearray(size) for size in module.LAYOUT.sizes]
    others = [(memories[1], 0x2_0000_1000), (memories[2], 0x3000)]
    design = module.Accelerator(registers, memories[0], 0x1_2345_6000, others)
    (tmp_path / "rows.h").write_text(texts(on_channels())["sw/rows.h"], encoding="utf-8")
    written = _written(CHANNELS_MAIN.replace("%d", str(module.LAYOUT.sizes[1]), 1), tmp_path)
    assert written == {at: value for at, value in registers.values.items() if value}
    assert set(written) == {0x10, 0x14, 0x20, 0x24, 0x28}
    x = module.LAYOUT.arrays["x"]
    design.put("x", np.full(x.shape, 5))
    assert x.channel == 1
    assert memories[1][: x.nbytes] == x.pack(np.full(x.shape, 5))
    y = module.LAYOUT.arrays["y"]
    assert y.channel == 0
    memories[0][y.first : y.first + 4] = (77).to_bytes(4, "little")
    assert design.get("y")[0, 0] == 77


STAGES_MAIN = """
#include <stdio.h>
#include "stages.h"

int main(void) {
  static volatile uint32_t registers[1024];
  const int16_t offset = 384;
  unsigned at;
  registers[STAGES_FRAME / 4] = 5;
  if (stages_ready(registers)) return 1;
  registers[STAGES_STATUS / 4] = STAGES_READY;
  if (!stages_ready(registers)) return 2;
  stages_put_offset(registers, stages_frame(registers), &offset);
  stages_start(registers);
  for (at = 0; at < 1024; at++)
    if (registers[at]) printf("%u %u\\n", 4 * at, registers[at]);
  stages_release(registers);
  if (registers[0] != STAGES_CLEAR_DONE) return 3;
  return STAGES_ARRAY_z_FIRST == %d && STAGES_ARRAY_z_STRIDE == %d && STAGES_ARRAY_z_COPIES == %d ? 0 : 4;
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc, which compiles the header")
def test_the_header_of_frames_that_overlap(tmp_path: Path) -> None:
    module = _overlapping_driver()
    offset, z = (module.LAYOUT.arrays[name] for name in ("offset", "z"))
    (tmp_path / "stages.h").write_text(texts(overlapping())["sw/stages.h"], encoding="utf-8")
    main = STAGES_MAIN
    for number in (z.first, z.stride, z.copies):
        main = main.replace("%d", str(number), 1)
    written = _written(main, tmp_path)
    assert written == {0: module.START, 4: module.READY, 0x18: 5, offset.register_of(5): 384}


def _written(main: str, folder: Path) -> dict[int, int]:
    """The registers by address that a program prints, compiled without a warning."""
    (folder / "main.c").write_text(main, encoding="utf-8")
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wno-unused-function", "-Werror"]
    subprocess.run(["gcc", *warnings, "main.c", "-o", "main"], cwd=folder, check=True)
    done = subprocess.run([folder / "main"], capture_output=True, text=True, check=True)
    return dict(tuple(map(int, line.split())) for line in done.stdout.splitlines())
