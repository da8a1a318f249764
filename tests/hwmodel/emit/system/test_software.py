"""The driver, the header and the layout of an emitted design, against the bytes of its external memory."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from system_designs import design_on, driver_of, narrow, separate, texts

from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.layout import FIRST_VALUE, layout_of

DESIGNS = [design_on, separate, narrow]


class FakeDesign:
    """Registers that finish a frame at once: the output is what `compute` makes of the inputs."""

    def __init__(self, status: int = 2) -> None:
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
    frame, layout = hardware.frame, layout_of(hardware)
    assert module.LAYOUT.size == len(frame.before) == layout.size
    for array in module.LAYOUT.arrays.values():
        image = frame.before if array.role == "input" else frame.after
        data = image[array.first : array.first + array.nbytes]
        if array.role != "between":
            assert array.pack(array.unpack(data)) == data


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
    design = driver.Accelerator(FakeDesign(), bytearray(driver.LAYOUT.size), 0)
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
    assert registers.values[0] == driver.START | driver.CLEAR_DONE
    y = driver.LAYOUT.arrays["y"]
    assert outputs["y"].tobytes() == bytes(memory[y.first : y.first + y.nbytes])


def test_mistakes_in_the_use_of_the_driver(driver: ModuleType) -> None:
    with pytest.raises(ValueError, match="the memory has 3 bytes, and the design needs"):
        driver.Accelerator(FakeDesign(), bytearray(3), 0)
    memory = bytearray(driver.LAYOUT.size)
    with pytest.raises(KeyError, match="'y' is no input of 'rows_ip'; these are: 'x', 'k', 'gain', 'enable'"):
        driver.Accelerator(FakeDesign(), memory, 0).put("y", 0)
    with pytest.raises(RuntimeError, match="a frame goes on"):
        driver.Accelerator(FakeDesign(status=driver.BUSY), memory, 0).put("gain", 0)
    with pytest.raises(RuntimeError, match="the memory answered with an error"):
        driver.Accelerator(FakeDesign(status=driver.DONE | driver.FAULT), memory, 0).wait()


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
    design = driver.Accelerator(registers, bytearray(driver.LAYOUT.size), 0x1_2345_6000)
    design.run(k=[1, -2, 3], gain=384, enable=True)
    (tmp_path / "rows.h").write_text(texts(design_on())["sw/rows.h"], encoding="utf-8")
    main = C_MAIN.replace("%d", str(driver.LAYOUT.size), 1).replace("%d", str(driver.LAYOUT.arrays["y"].first), 1)
    (tmp_path / "main.c").write_text(main, encoding="utf-8")
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wno-unused-function", "-Werror"]
    subprocess.run(["gcc", *warnings, "main.c", "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    written = dict(tuple(map(int, line.split())) for line in done.stdout.splitlines())
    assert written == {at: value for at, value in registers.values.items() if value}
