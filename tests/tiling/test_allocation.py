"""Moduli as formulas against those of numbers."""

from __future__ import annotations

import pytest
from tiled_nests import DIAGONAL, POLYPROD, shipped_nest
from tiles_at_values import at_values

from arrayol.tiling.allocation import allocate, conflict_differences, moduli_formula
from arrayol.tiling.liveness import lifetimes
from arrayol.tiling.load_store import traffic

SIZES = [{"N": degree, "s": size} for degree in (0, 5, 9, 17, 18, 25) for size in (1, 3, 10)]


@pytest.mark.parametrize("schedule", [POLYPROD, DIAGONAL])
@pytest.mark.parametrize("tile", ["10", "s"])
def test_formulas_give_the_moduli_of_numbers(schedule: str, tile: str) -> None:
    found = traffic(shipped_nest("polyprod", schedule, [tile], 2, ["N"]))
    for array in found.load:
        moduli = moduli_formula(found, array)
        assert moduli is not None
        for sizes in SIZES:
            values = {name: size for name, size in sizes.items() if name in found.nest.symbols}
            alive = lifetimes(at_values(found, values), array)
            (modulus,) = moduli
            successive = 1 + abs(conflict_differences(alive)).max(initial=0)
            assert modulus.at(values) == successive if tile == "10" else modulus.at(values) >= successive
            assert modulus.at(values) >= allocate(alive).size


def test_formulas_of_an_image_and_of_symbolic_tiles_read_plainly() -> None:
    image = traffic(shipped_nest("stencil2d", "i, j", ["4", "5"], 2, ["H"]))
    rows, columns = moduli_formula(image, "v") or ()
    assert [rows.at({"H": height}) for height in (3, 4, 5, 8, 9, 100)] == [3, 4, 5, 5, 6, 6]
    assert [columns.at({"H": height}) for height in (3, 9)] == [7, 7]
    product = traffic(shipped_nest("polyprod", POLYPROD, ["s"], 2, ["N"]))
    (modulus,) = moduli_formula(product, "c") or ()
    assert set(str(modulus).split("\n")) == {"2 s - 1 where N + 1 >= s", "2 N + 1 where s >= N + 2"}
