"""Of a buffer that is told from its data the few cells near the ends of loops say what all of them do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from arrayol.checks.check import load_checked
from arrayol.ir.network import flatten
from hwmodel.cost_model.counted.axes.cells import Cells
from hwmodel.cost_model.counted.buffer_size.coupled_contents import CoupledBuffer
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Scan
from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues
from hwmodel.platform import find_platform

SCANS = [Scan(order, downwards) for order in ((0, 1), (1, 0)) for downwards in ((False, False), (False, True))]
FUNCTIONS: tuple[BankFunction, ...] = (
    Residues((1, 2)),
    Residues((2, 3)),
    Linear((1, 1), 3),
    Linear((2, 1), 5),
    Linear((1, 3), 4, 2),
)


@dataclass(frozen=True)
class Window:
    """What a task reads around each place: where from, and how much."""

    origin: tuple[int, int]
    extents: tuple[int, int]


@dataclass(frozen=True)
class Taps:
    """A task whose array is stored and read by others, each through a window, in steps of `paving`.

    The first window holds all others, so that all of the array is read.
    """

    repetitions: tuple[int, int]
    paving: tuple[int, int]
    windows: tuple[Window, ...]

    @property
    def text(self) -> str:
        """The specification."""
        (rows, columns), extents = self.repetitions, self.windows[0].extents
        high, wide = (
            (count - 1) * step + most for count, step, most in zip(self.repetitions, self.paving, extents, strict=True)
        )
        number, step = len(self.windows), self.paving
        parts = ["elementary copy(x: u8) -> (y: u8) { y = x }"]
        parts.append(f"task head(x: u8[{high}, {wide}]) -> (a: u8[{high}, {wide}]) {{")
        parts.append(f"  repeat [{high}, {wide}] of copy {{ x <- x at origin [0, 0] paving [1, 0; 0, 1] fitting []")
        parts.append("    y -> a }\n}")
        for place, window in enumerate(self.windows):
            tall, broad = window.extents
            parts.append(
                f"elementary sum{place}(x: u8[{tall}, {broad}]) -> (y: u16) {{\n"
                f"  y = 0\n  y += u16(x[i, j])  for i in 0..{tall}, j in 0..{broad}\n}}"
            )
            parts.append(f"task tap{place}(a: u8[{high}, {wide}]) -> (o: u16[{rows}, {columns}]) {{")
            parts.append(f"  repeat [{rows}, {columns}] of sum{place} {{")
            at = f"at origin [{window.origin[0]}, {window.origin[1]}]"
            parts.append(f"    x <- a {at} paving [{step[0]}, 0; 0, {step[1]}] fitting [1, 0; 0, 1]")
            parts.append("    y -> o\n  }\n}")
        inputs = ", ".join(f"x{place}: u16" for place in range(number))
        arrays = ", ".join(f"o{place}: u16[{rows}, {columns}]" for place in range(number))
        total = " + ".join(f"x{place}" for place in range(number))
        parts.append(f"elementary add({inputs}) -> (y: u16) {{ y = u16({total}) }}")
        parts.append(f"task join({arrays}) -> (y: u16[{rows}, {columns}]) {{\n  repeat [{rows}, {columns}] of add {{")
        parts += [
            f"    x{place} <- o{place} at origin [0, 0] paving [1, 0; 0, 1] fitting []" for place in range(number)
        ]
        parts.append("    y -> y\n  }\n}")
        parts.append(f"task top(x: u8[{high}, {wide}]) -> (a: u8[{high}, {wide}], y: u16[{rows}, {columns}]) {{")
        parts.append("  a = head(x)")
        parts += [f"  o{place} = tap{place}(a)" for place in range(number)]
        parts.append(f"  y = join({', '.join(f'o{place}' for place in range(number))})\n}}")
        return "\n".join(parts) + "\n"

    def model(self) -> MachineModel:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "taps.aol"
            path.write_text(self.text, encoding="utf-8")
            return MachineModel(flatten(load_checked(path, {}), "top"), find_platform(path, None)[0])


@st.composite
def taps(draw: st.DrawFn) -> Taps:
    """One to three windows in steps of 1 or 2."""
    paving = draw(st.sampled_from(((1, 1), (1, 1), (2, 1), (1, 2), (2, 2))))
    most = draw(st.integers(paving[0], 4)), draw(st.integers(paving[1], 4))
    windows = [Window((0, 0), most)]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, most[0] - 1)), draw(st.integers(0, most[1] - 1))
        extents = draw(st.integers(1, most[0] - at[0])), draw(st.integers(1, most[1] - at[1]))
        windows.append(Window(at, extents))
    sizes = st.integers(20, 65)
    return Taps((draw(sizes), draw(sizes)), paving, tuple(windows))


def figures(buffer: CoupledBuffer, functions: Sequence[BankFunction]) -> list[object]:
    """All that is told from a buffer's data; of its pieces whether they are products."""
    products = [source.piece() is not None for source in buffer._sources]  # noqa: SLF001  what sizes go by
    return [buffer.live, buffer.size, products, *(buffer.depth(function) for function in functions)]


def compared(case: Taps, scan: Scan, shape: tuple[int, int]) -> list[tuple[str, bool]]:
    """Of each buffer that is told from its data, by name, whether some of them were left out; all figures are equal."""
    model, tasks = case.model(), ("head", *(f"tap{place}" for place in range(len(case.windows))), "join")
    batch, told = model.batch(tasks), list[tuple[str, bool]]()
    if batch is None:
        return told
    structures = batch.structures(scan, np.array([shape]))
    for memory in np.flatnonzero(structures.listed[0]).tolist():
        buffer, near = CoupledBuffer(batch.counts, structures, 0, memory), Cells.near_ends
        fewer = list[bool]()

        def noted(cells: Cells, *of: object, near=near, fewer=fewer, **how: object) -> Cells:  # type: ignore[no-untyped-def]
            found: Cells = near(cells, *of, **how)
            fewer.append(len(found.place) < len(cells.place))
            return found

        with patch.object(Cells, "near_ends", noted):
            few = figures(buffer, FUNCTIONS)
        batch.counts.lines.clear()  # what is known of equal buffers
        with patch.object(Cells, "near_ends", lambda cells, *_, **__: cells):
            assert few == figures(CoupledBuffer(batch.counts, structures, 0, memory), FUNCTIONS)
        told.append((batch.counts.memories[memory].memory.name, any(fewer)))
    return told


@given(taps(), st.sampled_from(SCANS), st.tuples(st.integers(1, 3), st.integers(1, 3)))
def test_what_is_near_the_ends_says_what_all_data_say(case: Taps, scan: Scan, shape: tuple[int, int]) -> None:
    for _, is_fewer in compared(case, scan, shape):
        event("data are left out" if is_fewer else "no data are left out")


def test_data_are_left_out() -> None:
    case = Taps((60, 70), (1, 1), (Window((0, 0), (3, 3)), Window((2, 1), (1, 2))))
    assert compared(case, SCANS[0], (1, 2)) == [("a", True)]
