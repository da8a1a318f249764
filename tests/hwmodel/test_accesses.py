"""Element by element, what the array work of hwmodel.accesses finds is what the tiler's definition says."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from networks import NOWHERE, delay_else
from shipped import SMALL
from strategies import accesses

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import Flow, Network, NetworkArray, Process, flatten
from arrayol.ir.spec import Port
from arrayol.ir.types import ElementType
from arrayol.polyhedral.accesses import Access, find_outside
from hwmodel.accesses import Accesses, flat, points, subscripts


def network_of(access: Access) -> Network:
    port = Port("x", ElementType.F32, access.pattern, NOWHERE)
    process = Process("t", "t", "e", access.repetition, (Flow(port, "a", access.tiler),), (), (), (port,), ())
    array = NetworkArray("a", ElementType.F32, access.array, (), ("t",), False)
    return Network("n", {"t": process}, {"a": array}, ("a",), ())


@given(accesses())
def test_elements_are_those_of_the_definition(access: Access) -> None:
    assume(find_outside(access) is None)
    model = Accesses(network_of(access))
    (touch,) = model.reads["t"]
    shape, repetitions = model.shape("a"), model.repetitions("t")
    found = model.elements(touch, repetitions)
    assert found.shape == (len(repetitions), len(points(touch.pattern)))
    for row, repetition in enumerate(repetitions):
        for column, index in enumerate(product(*map(range, touch.pattern))):
            element = access.element(tuple(map(int, repetition)), index)
            assert found[row, column] == np.ravel_multi_index(element, shape)
    infinite = [axis for axis, extent in enumerate(access.array) if extent is None]
    reached = np.unravel_index(found.reshape(-1), shape)
    assert all(shape[axis] == reached[axis].max() + 1 for axis in infinite)


def test_repetitions_are_numbered_row_major() -> None:
    extents = (2, 3, 2)
    assert (flat(points(extents), extents) == np.arange(12)).all()
    assert points(()).shape == (1, 0)
    assert points((2, 2)).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_a_tiled_default_is_read_at_the_border_only() -> None:
    process = Process(
        "t", "t", "e", (3,), (), (), (delay_else("a"),), (Port("prev", ElementType.F32, (), NOWHERE),), ()
    )
    array = NetworkArray("a", ElementType.F32, (3,), (), ("t",), False)
    model = Accesses(Network("n", {"t": process}, {"a": array}, ("a",), ()))
    (touch,) = model.reads["t"]
    assert touch.default_of is process.delays[0]
    assert model.happens(touch, model.repetitions("t")).tolist() == [True, False, False]
    never = replace(touch, default_of=replace(process.delays[0], acts=False))
    assert model.happens(never, model.repetitions("t")).all()


@pytest.mark.parametrize("name", SMALL)
def test_every_shipped_array_is_written_once(name: str) -> None:
    spec = load_checked(shipped_folder() / f"{name}.aol", SMALL[name])
    network = flatten(spec, choose_top(spec, None))
    model = Accesses(network)
    for array in network.arrays.values():
        if not array.producers:
            continue
        counts = np.zeros(model.size(array.name), np.int64)
        for touch in (touch for producer in array.producers for touch in model.writes[producer]):
            if touch.array == array.name:
                repetitions = model.repetitions(touch.process)
                written = repetitions[model.happens(touch, repetitions)]
                np.add.at(counts, model.elements(touch, written).reshape(-1), 1)
        infinite = None in array.shape  # a later frame is another repetition's
        assert (counts == 1).all() or (infinite and (counts <= 1).all())


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (3, 1, 4)])
def test_subscripts_are_the_points_of_an_array(shape: tuple[int, ...]) -> None:
    """Of a number alone there are none."""
    numbers = np.arange(len(points(shape)))
    assert np.array_equal(subscripts(numbers, shape).T, points(shape))
    assert np.array_equal(flat(subscripts(numbers, shape).T, shape), numbers)
    assert subscripts(np.stack([numbers, numbers]), shape).shape == (len(shape), 2, len(numbers))
