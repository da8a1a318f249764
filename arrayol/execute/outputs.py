"""Arrays into files, all of them whole or none; and held against the arrays of files, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.execute.arrays import blocks, write_members
from arrayol.execute.images import (
    bits_for,
    check_writable,
    frame_axis,
    is_numbered,
    numbered,
    pixels_of,
    without_axis,
    write_png,
)
from arrayol.execute.inputs import FileSource, read_array, shape_text, shown_port, suffix_of
from arrayol.files import atomic_files, resolved, writing
from arrayol.ir.spec import ConstValue, Port
from arrayol.ir.types import ElementType
from arrayol.text import rounded


@dataclass(frozen=True, slots=True)
class Target:
    """A file to write, and the output port whose array goes there; `member` is its name in an .npz file.

    A numbered name, as out-%04d.png, stands for one image per frame.
    """

    path: Path
    port: Port
    member: str | None = None

    @property
    def key(self) -> tuple[Path, str | None]:
        """What no other target may have too."""
        name = self.member or self.port.name
        return resolved(self.path), name if self.path.suffix.lower() == ".npz" else None


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """What was written for a target: `files` of them, or one.

    `bits` of a pixel in an image; there, `clipped` values and `missing` (NaN, now 0) changed.
    """

    bits: int | None = None
    clipped: int = 0
    missing: int = 0
    files: int | None = None


@dataclass(slots=True)
class _File:
    """What goes into one file: parts of arrays with the position of their target."""

    target: Target
    parts: list[tuple[int, Target, NDArray[Any]]] = field(default_factory=list)


def check_targets(targets: Sequence[Target]) -> None:
    """Raises ArrayolError (`unknown-format`, `no-image`, `no-frames-here`, `same-file`) where targets cannot serve."""
    seen: dict[tuple[Path, str | None], Target] = {}
    for target in targets:
        if suffix_of(target.path) == ".png":
            port = _frame_of(target) if is_numbered(target.path) else target.port
            check_writable(target.path, port.type, port.shape)
        if target.key in seen:
            raise _same_file(seen[target.key], target)
        seen[target.key] = target


def write_arrays(
    targets: Sequence[Target], arrays: Mapping[str, NDArray[Any]], input_bits: int | None
) -> list[WrittenFiles]:
    """Write the arrays of ports: all files whole, or none where one cannot be written (ArrayolError, `cannot-write`).

    `input_bits`: those of a pixel of the grey images that were read, if any; they decide what floats are written as.
    """
    files: dict[Path, _File] = {}
    for position, target in enumerate(targets):
        for single, array in _parts(target, arrays[target.port.name]):
            place = resolved(single.path)
            file = files.setdefault(place, _File(single))
            if any(other.key == single.key for _, other, _ in file.parts):
                raise _same_file(file.target, single)
            file.parts.append((position, single, array))
    written = [WrittenFiles(files=0 if is_numbered(target.path) else None) for target in targets]
    with atomic_files([file.target.path for file in files.values()]) as temporaries:
        for temporary, file in zip(temporaries, files.values(), strict=True):
            with writing(file.target.path):
                for position, done in _write(temporary, file, input_bits):
                    written[position] = _sum(written[position], done)
    return written


def _parts(target: Target, array: NDArray[Any]) -> Iterator[tuple[Target, NDArray[Any]]]:
    """What goes into single files: the array, or each of its frames."""
    if not is_numbered(target.path):
        yield target, array
        return
    frame = _frame_of(target)
    frames = np.moveaxis(array, frame_axis(target.path, target.port, shown_port(target.port)), 0)
    for path, part in zip(numbered(target.path, len(frames)), frames, strict=True):
        yield replace(target, path=path, port=frame), part


def _frame_of(target: Target) -> Port:
    axis = frame_axis(target.path, target.port, shown_port(target.port))
    return replace(target.port, shape=without_axis(target.port.shape, axis))


def _write(path: Path, file: _File, input_bits: int | None) -> Iterator[tuple[int, WrittenFiles]]:
    suffix = suffix_of(path)
    if suffix == ".npz":
        write_members(path, {target.member or target.port.name: array for _, target, array in file.parts})
    for position, target, array in file.parts:
        done = WrittenFiles()
        if suffix == ".npy":
            with path.open("wb") as opened:
                np.save(opened, array, allow_pickle=False)
        elif suffix == ".png":
            bits = bits_for(target.port.type, array.ndim, input_bits)
            pixels, clipped, missing = pixels_of(array, bits)
            write_png(path, pixels)
            done = WrittenFiles(bits, clipped, missing)
        yield position, done


def _sum(before: WrittenFiles, done: WrittenFiles) -> WrittenFiles:
    files = before.files + 1 if before.files is not None else None
    return WrittenFiles(done.bits, before.clipped + done.clipped, before.missing + done.missing, files)


def _same_file(first: Target, second: Target) -> ArrayolError:
    message = f"outputs '{first.port.name}' and '{second.port.name}' would both be written to this file"
    return error("same-file", message, file=str(second.path), hint="give each its own file")


# Results held against expected arrays.


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two arrays differ first, in row-major order; how many values do, and by how much at most.

    `largest` is None where no difference is a number: of truth values, and where NaN stands against a number.
    """

    index: tuple[int, ...]
    got: Any
    expected: Any
    count: int
    largest: int | float | None


def compare(
    port: Port, got: NDArray[Any], source: FileSource, constants: Mapping[str, ConstValue]
) -> Diagnostic | None:
    """How the array of an output differs from that of a file, if it does.

    Against an image it is held as it would be written as one of that many bits. Raises ArrayolError where the file
    cannot be read as an array for the port.
    """
    is_image = suffix_of(source.path) == ".png"
    loaded = read_array(source, port, constants, element=ElementType.U16 if is_image else port.type)
    if loaded.array.shape != got.shape:
        message = f"output '{port.name}' is {shape_text(got.shape)}, and this is {shape_text(loaded.array.shape)}"
        raise error("shape-mismatch", message, file=str(source.path))
    if is_image:
        got = pixels_of(got, max(loaded.bits or 8, 8))[0].astype(np.uint16)
    difference = find_difference(got, loaded.array)
    if difference is None:
        return None
    where = f" at [{', '.join(map(str, difference.index))}]" if difference.index else ""
    what = "pixels" if is_image else "values"
    message = f"output '{port.name}' differs{where}: got {difference.got!s}, expected {difference.expected!s}"
    message += f"; {rounded(difference.count)} of {rounded(got.size)} {what} differ"
    if (largest := difference.largest) is not None:
        message += f", by at most {largest if isinstance(largest, int) else f'{largest:.6g}'}"
    return Diagnostic("output-differs", message, file=str(source.path))


def find_difference(got: NDArray[Any], expected: NDArray[Any]) -> Difference | None:
    """The difference of two arrays of one shape and type, or None.

    Floats are equal if their bits are, so 0.0 is not -0.0; every NaN is equal to every other.
    """
    first: tuple[int, ...] | None = None
    count, largest = 0, None
    for box, index in blocks(got.shape):
        left, right = got[index], expected[index]
        differs = _differs(left, right)
        if not differs.any():
            continue
        if first is None:
            lane = np.unravel_index(int(np.argmax(differs)), differs.shape)
            first = box.repetition(tuple(map(int, lane)))
        count += int(np.count_nonzero(differs))
        here = _largest(left[differs], right[differs])
        largest = here if largest is None or (here is not None and here > largest) else largest
    return None if first is None else Difference(first, got[first], expected[first], count, largest)


def _differs(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    if left.dtype.kind == "c":
        return np.asarray(_differs(left.real, right.real) | _differs(left.imag, right.imag))
    if left.dtype.kind == "f":
        signs = np.signbit(left) != np.signbit(right)
        return np.asarray(((left != right) | signs) & ~(np.isnan(left) & np.isnan(right)))
    return np.asarray(left != right)


def _largest(left: NDArray[Any], right: NDArray[Any]) -> int | float | None:
    """The largest absolute difference of values that differ: exact for integers, of f64 precision for floats."""
    kind = left.dtype.kind
    if kind == "b":
        return None
    if kind in "ui":
        unsigned = np.dtype(f"u{left.dtype.itemsize}")  # a difference of two i8 may need 8 bits, and never 9
        low, high = np.minimum(left, right).astype(unsigned), np.maximum(left, right).astype(unsigned)
        return int((high - low).max())
    wide = np.complex128 if kind == "c" else np.float64
    with np.errstate(all="ignore"):
        apart = np.abs(left.astype(wide) - right.astype(wide))
    numbers = apart[~np.isnan(apart)]
    return float(numbers.max()) if numbers.size else None
