"""C as people of the field write it: gcc's values, and the repetitions that are in it. Each file names its data."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from beside_gcc import Arrays, compiled, first_difference
from numpy.typing import NDArray

from arrayol.c_import.import_c import Choices, Imported, import_source
from arrayol.source import SourceFile

FOLDER = Path(__file__).parent / "styles"
# By file: the extents of each repetition; a delay stands behind its own.
REPETITIONS = {
    "adaptive": ["[100] delay 1", "[100]"],
    "bands": ["[96]", "[96]", "[96]", "[96]", "[8, 12, 2]", "[8, 12, 2]", "[100]"],
    "block_transform": ["[3, 4, 8, 8]", "[3, 4, 8]", "[3, 4, 8]", "[3, 4, 64]"],
    "called_by_choice": ["[100] delay 1", "[100]"],
    "called_twice": [],
    "cascade": ["[128] delay 1"],
    "chamfer": [
        "[70, 40]",
        "[70, 40] delay 0, 1 delay 1, 0 delay 1, 1 delay 1, -1",
        "[70, 40] delay 0, -1 delay -1, 0 delay -1, -1 delay -1, 1",
    ],
    "channel": ["[64]"],
    "cic": ["[512] delay 1", "[64]"],
    "class_means": ["[300] delay 1"],
    "column_sums": ["[26]", "[26]", "[26]", "[H, 26, R] delay 0, 0, 1", "[H, 26]"],
    "comb": ["[4, 200] delay 0, 12 delay 0, 7"],
    "copied_lines": ["[24, 32]"],
    "counted_calls": ["[50] delay 1", "[50]"],
    "counted_rows": ["[24]", "[12, 40]"],
    "counts": ["[256]"],
    "counts_unsigned": ["[10, 5]", "[100]", "[201]", "[128]"],
    "crc_bits": ["[256] delay 1"],
    "crc_each": ["[256] delay 1"],
    "delay_line": ["[8]", "[200]", "[8]"],
    "dezigzag": ["[6, 8, 8]", "[6]"],
    "diffusion": ["[H, W] delay 0, 1 delay 1, -1 delay 1, 0 delay 1, -2", "[H, W]"],
    "diffusion_added": ["[9, 8] delay 0, 2 delay 1, 1 delay 1, -1", "[9, 8]", "[9, 8]", "[9, 8]"],
    "diffusion_counted": ["[20, 30] delay 1, -1 delay 1, 0 delay 0, 1"],
    "diffusion_rows": ["[H, 32] delay 1, -1 delay 0, 1 delay 1, -2 delay 1, 0"],
    "diffusion_swapped": ["[80, 640] delay 1, -1 delay 0, 1 delay 1, -2 delay 1, 0"],
    "dilated": ["[H, W]"],
    "echo": ["[300] delay 32"],
    "effects": ["[100]", "[100]"],
    "equalize": ["[32]", "[32, 256] delay 1, 0", "[256]", "[256] delay 1", "[32, W]"],
    "every_fourth": ["[50]", "[50]", "[50]", "[50]", "[101]"],
    "every_second": ["[100]", "[200] delay 1", "[25]"],
    "flat_picture": ["[20, 36]", "[20, 36]"],
    "flat_rest": ["[12, 10]"],
    "flat_unsigned": ["[20, 30]", "[10, 15]"],
    "function_pointers": ["[4, 64]", "[4]", "[4, 64]", "[4, 64]", "[64]", "[12, 20]"],
    "fft": ["[8]", "[4, 2]", "[2, 4]", "[8]"],
    "flat_histogram": ["[30]", "[1920] delay 1", "[30, 64] delay 1, 0", "[64]"],
    "histogram": ["[H]", "[H, 256] delay 1, 0", "[256]"],
    "lines_in_turn": ["[H, 18]"],
    "ladder": ["[200] delay 1"],
    "last_seen": ["[150] delay 1"],
    "lattice": ["[9]", "[100, 9] delay 1, 0 delay 0, 1", "[100]", "[9]"],
    "image_structs": ["[24, 40]"],
    "kept_lines": ["[90, 3] delay 1, -1 delay 1, 0", "[90]", "[4]"],
    "kept_noise": ["[90] delay 1", "[90]", "[90]", "[3]", "[90]"],
    "lifting": ["[32]", "[32]"],
    "lifting_columns": ["[16, 80]", "[16, 40]", "[80, 8]"],
    "line_buffer": ["[H, W]"],
    "line_buffer_flushed": ["[H, W]", "[H, W]", "[H, W]", "[H, W] delay 0, 1", "[H, W]"],
    "line_buffer_kept": ["[W]", "[H, W]"],
    "lines_rotated": ["[99, 40]"],
    "means": ["[H, W]", "[H]"],
    "median": ["[32, 48]"],
    "mixer": ["[40]"],
    "moved": ["[100]"],
    "offsets": ["[12, 20]", "[12, 20] delay 0, 1 delay 1, -1 delay 1, -2", "[12, 20]", "[12, 20]", "[10, 8]"],
    "opening": ["[H, W]", "[H, W]"],
    "pooling": ["[4, 6, 8]"],
    "quantised_block": ["[4, 4]"],
    "ring": ["[N]"],
    "ring_choice": ["[N]"],
    "ring_mask": ["[N]"],
    "ring_steps": ["[256]"],
    "ring_unsigned": ["[200]"],
    "row_buffer": ["[18, 70]", "[18, 68]"],
    "row_pointers": ["[16, 80]", "[16, 80]", "[80]"],
    "row_tables": ["[16, 80]", "[16, 80]"],
    "rows_chosen": ["[10, 16]"],
    "rows_allocated": ["[100, 40]", "[100, 40]"],
    "rows_moved": ["[10, 12]", "[12]", "[10, 12]"],
    "rows_returned": ["[14, 20]"],
    "rows_rotated": ["[H, 40]", "[H, 40]"],
    "scrambler": ["[200] delay 1"],
    "serpentine": ["[17, 22]", "[16, 20]", "[16, 20]"],
    "signs_changed": ["[80]"],
    "sorted": ["[118]"],
    "structs": ["[32]"],
    "structs_copied": ["[16]", "[16]", "[16]", "[60] delay 4 delay 1", "[20]"],
    "subsampled": ["[24, 80]", "[12, 40]", "[12, 40]", "[80, 12]"],
    "tiles": ["[2, 4]", "[32, 48]"],
    "trellis": ["[LENGTH] delay 1", "[LENGTH]", "[LENGTH] delay -1"],
    "views": ["[20, 30]"],
    "volume": ["[6, 8, 10]"],
    "weights": ["[4]", "[4, 16] delay 1, 0", "[16]"],
    "wrapped": ["[20, 24]", "[200]", "[200]"],
}
# By file: the type of the port that takes a window or a block.
WINDOWS = {
    "channel": "x: c64[5]",
    "copied_lines": "in_: u8[3, 3]",
    "delay_line": "x: i16[8]",
    "dilated": "x: i32[3]",
    "flat_picture": "in_: u8[3]",
    "flat_unsigned": "in_: u8[2, 2]",
    "fft": "re_in2: i16[2]",
    "line_buffer": "in_: u8[3, 3]",
    "line_buffer_kept": "in_: u8[3, 3]",
    "lines_in_turn": "in_: u8[3, 3]",
    "lines_rotated": "in_: u8[3, 3]",
    "means": "in_: u8[5, 5]",
    "moved": "x: i16[5]",
    "offsets": "img: u8[3, 3]",
    "opening": "tmp: u8[3, 3]",
    "pooling": "in_: i8[2, 2]",
    "ring": "x: i16[10]",
    "ring_mask": "x: i16[16]",
    "ring_unsigned": "x: i16[16]",
    "rows_chosen": "a: u8[3]",
    "rows_returned": "in_: u8[3]",
    "tiles": "src: u8[16, 12]",
    "views": "src: u8[3]",
    "rows_rotated": "in_: u8[3]",
}


def test_each_file_has_its_repetitions_here() -> None:
    assert {path.stem for path in FOLDER.glob("*.c")} == set(REPETITIONS)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", sorted(REPETITIONS))
def test_values_and_repetitions(name: str, tmp_path: Path) -> None:
    text = (FOLDER / f"{name}.c").read_text(encoding="utf-8")
    head = re.search(r"/\* Data: (\w+) (.*?)(; .*)? \*/", text)
    assert head is not None
    function, data, starts = head.groups()
    imported = import_source(SourceFile(f"{name}.c", text), Choices(function=function))
    assert _repetitions(imported) == REPETITIONS[name]
    assert WINDOWS.get(name, "") in imported.text
    states: Arrays = {
        name: _first(numbers) for name, numbers in re.findall(r"; (\w+) starts with ([^;]*)", starts or "")
    }
    library = compiled(text, tmp_path)
    assert first_difference(library, function, imported, drawn(data.split()), states) is None


def _repetitions(imported: Imported) -> list[str]:
    found = []
    for stage in imported.stages:
        if stage.axes:
            extents = ", ".join(
                next((name for name, _ in axis.extent.terms), str(axis.extent.constant))  # type: ignore[misc]
                for axis in stage.axes
            )
            delays = dict.fromkeys(", ".join(map(str, delay)) for delay in stage.delays.values())
            found.append(f"[{extents}]" + "".join(f" delay {one}" for one in delays))
    return found


def _first(numbers: str) -> NDArray[Any]:
    """What a variable starts with: `64 u1 zeros`, or floats."""
    if numbers.endswith("zeros"):
        count, kind, _ = numbers.split()
        return np.zeros(int(count), kind)
    return np.array([float(one) for one in numbers.split()], "f4")


def drawn(fields: list[str]) -> Arrays:
    """An array for each `name:type:extents`."""
    rng, found = np.random.default_rng(3), Arrays()
    for one in fields:
        name, kind, extents = one.split(":")
        shape = tuple(map(int, extents.split(",")))
        if kind[0] == "c":
            found[name] = (rng.uniform(-3, 3, shape) + 1j * rng.uniform(-3, 3, shape)).astype(kind)
        elif kind[0] == "f":
            found[name] = rng.uniform(-3, 3, shape).astype(kind)
        else:
            ends = np.iinfo(kind)
            low, high = (ends.min, ends.max) if ends.bits < 32 else (-5000, 5000)
            found[name] = rng.integers(low, high, shape, endpoint=True).astype(kind)
    return found
