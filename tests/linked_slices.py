"""Parts of arrays in generated specifications: what a call reads of a wider array, and arrays that two calls write."""

from __future__ import annotations

from dataclasses import replace

from linked_parts import Array, Builder, Call


def read_part(build: Builder, array: Array) -> Array:
    """The array, or now and then a part of a wider one: of a new input, or of an array that a task makes."""
    if array.whole is not None or array.name in build.tables or not build.chance(5):
        return array
    if array in build.inputs:
        return _of_wider(build, array)
    return _of_made(build, array)


def _of_wider(build: Builder, array: Array) -> Array:
    """A part with the array's shape of a wider input, perhaps with a dimension more that is dropped."""
    extents, slices = [], []
    for extent in array.shape:
        if extent is None:
            extents.append(None)
            slices.append("..")
            continue
        first, step = build.pick(0, 1, 2), build.pick(1, 1, 2)
        extents.append(first + step * (extent - 1) + build.pick(1, 1, 2))
        slices.append(_slice(first, step, extent, extents[-1] or 0))
    if build.chance(3):
        place = build.draw_place(len(slices))
        extents.insert(place, 3)
        slices.insert(place, str(build.pick(0, 1, 2)))
    if all(piece == ".." for piece in slices):
        return array
    whole = Array(f"w{len(build.inputs)}", tuple(extents))
    build.inputs.append(whole)
    build.features.add("part")
    return Array(f"{array.name}p", array.shape, f"[{', '.join(slices)}]", whole)


def _of_made(build: Builder, array: Array) -> Array:
    """A part of the array with as many dimensions; every other index, or some in a row."""
    extents, slices = [], []
    for extent in array.shape:
        if extent is None or extent < 4 or not build.chance(2):
            extents.append(extent)
            slices.append("..")
            continue
        step = build.pick(1, 2)
        count = extent // 2
        extents.append(count)
        slices.append(_slice(build.pick(0, extent - 1 - step * (count - 1)), step, count, extent))
    if all(piece == ".." for piece in slices):
        return array
    build.features.add("part")
    return Array(f"{array.name}p", tuple(extents), f"[{', '.join(slices)}]", array)


def _slice(first: int, step: int, count: int, extent: int) -> str:
    if (first, step, count) == (0, 1, extent):
        return ".."
    high = first + step * (count - 1) + 1
    return f"{first}..{high}" + (f" : {step}" if step > 1 else "")


def add_call(build: Builder, call: Call) -> None:
    """Enter a call; now and then two, which write a part each of an array that is twice as long."""
    array = call.results[0]
    axes = [axis for axis, extent in enumerate(array.shape) if extent is not None]
    if len(call.results) > 1 or not axes or not build.chance(6, "several writers"):
        build.calls.append(call)
        build.made += call.results
        return
    axis = axes[build.draw_place(len(axes) - 1)]
    extent = array.shape[axis] or 0
    wide = Array(array.name, (*array.shape[:axis], 2 * extent, *array.shape[axis + 1 :]))
    halves = [f"0..{extent}", f"{extent}..{2 * extent}"]
    if build.chance(2):
        halves = [f"0..{2 * extent} : 2", f"1..{2 * extent} : 2"]
    build.features.add("part")
    for half in halves:
        slices = [".."] * len(array.shape)
        slices[axis] = half
        build.calls.append(replace(call, results=(wide,), written=f"[{', '.join(slices)}]"))
    build.made.append(wide)
