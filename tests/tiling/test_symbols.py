"""Shipped components with symbols against the same with numbers; values that are missing or wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiles_at_values import at_values, nest_at

from arrayol.checks.check import load_sound
from arrayol.checks.nest import NestRequest, open_nest
from arrayol.tiling.enumerate import iterations, strips, tiles
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import TiledNest

SPECS = Path(__file__).parents[2] / "specs"

CASES = [  # file, component, schedules, statements, consts with values to try, strip dimensions
    ("fir", "filter", None, None, {"N": (64, 192, 640)}, 1),
    ("fir", "fir", None, None, {"TAPS": (1, 7, 16), "S": (4, 16, 64)}, 2),
    ("lpsf", "hfrl", None, None, {"H": (4, 8, 20), "W": (4, 24, 60)}, 1),
    ("lpsf", "vfbu", ("r1, r0",), None, {"H": (4, 20, 28), "W": (4, 8, 12)}, 2),
    ("conv3x3", "filter", None, None, {"H": (6, 9), "W": (5, 17)}, 1),
    ("matmul", "product", None, None, {"M": (32, 96), "N": (64, 96), "K": (1, 40)}, 1),
    ("matmul", "matmul", ("k, i, j",), None, {"S": (2, 4), "K": (1, 6)}, 2),
    ("solve", "solve", ("i, 0", "i, j + 1", "i, i + 1"), None, {"N": (1, 2, 9)}, 1),
    ("stencil2d", "stencil2d", ("i, i + j",), (2,), {"H": (3, 4, 11), "W": (3, 8)}, 1),
    ("stencil2d", "relax", None, None, {"BLOCKS": (1, 5)}, 1),
]


def nest_of(case: tuple[str, str, object, object, object, int], tile: tuple[str, ...], **more: object) -> TiledNest:
    file, component, schedules, statements, _, strip_dims = case
    settings = more.pop("settings", None)
    request = NestRequest(component, schedules, tile, statements, strip_dims=strip_dims, **more)  # type: ignore[arg-type]
    return open_nest(load_sound(SPECS / f"{file}.aol", settings), request)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", CASES, ids=[f"{case[1]}-{case[5]}" for case in CASES])
@pytest.mark.parametrize("sizes", [("3",), ("b",)])
def test_symbols_and_numbers_agree(
    case: tuple[str, str, object, object, dict[str, tuple[int, ...]], int], sizes: tuple[str, ...]
) -> None:
    choices = case[4]
    symbolic = traffic(nest_of(case, sizes, symbols=tuple(choices)))
    for place in range(max(len(values) for values in choices.values())):
        values = {name: choice[place % len(choice)] for name, choice in choices.items()}
        found = at_values(symbolic, {**values, "b": 3})
        expected = traffic(nest_of(case, ("3",), settings=values))
        assert not found.nest.symbols
        assert [(one.name, one.shape) for one in found.nest.arrays.values()] == [
            (one.name, one.shape) for one in expected.nest.arrays.values()
        ]
        assert tiles(found.nest).tolist() == tiles(expected.nest).tolist()
        assert [len(strip) for strip in strips(found.nest)] == [len(strip) for strip in strips(expected.nest)]
        assert iterations(found.nest).instance.tolist() == iterations(expected.nest).instance.tolist()
        for array in expected.load:
            assert found.load[array].is_equal(expected.load[array])
            assert found.store[array].is_equal(expected.store[array])
            assert found.read[array].is_equal(expected.read[array])


def test_values_that_are_missing_or_wrong() -> None:
    nest = nest_of(CASES[0], ("b",), symbols=("N",))
    with pytest.raises(ValueError, match="no value for b"):
        nest_at(nest, {"N": 64})
    with pytest.raises(ValueError, match="contradict"):
        nest_at(nest, {"N": 65, "b": 3})
    with pytest.raises(ValueError, match="contradict"):
        nest_at(nest, {"N": 64, "b": 0})
