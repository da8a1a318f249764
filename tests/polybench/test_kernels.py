"""PolyBench's 30 kernels: their meaning, and the sets and the C of their tiles, against plain loops and enumeration."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_programs import GCC, run_c, same
from numpy.typing import NDArray
from oracle import Body
from reference import KERNELS

from arrayol import api
from arrayol.execute.run import execute
from arrayol.ir import expressions
from arrayol.ir.spec import Elementary, Port
from arrayol.tiling.enumerate import rows
from hwmodel.transfers.study import Transfers

HERE = Path(__file__).parent
SANITIZED = [
    *(word for word in GCC if word != "-O2"),
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-DGARBAGE=165",
]


@dataclass(frozen=True)
class Case:
    """How a kernel is tiled: as it is written, if there are no schedules."""

    tile: tuple[int, ...] = (4,)
    schedules: tuple[str, ...] | None = None
    statements: tuple[int, ...] | None = None
    strip_dims: int = 1


def by(tile: str, *schedules: str, statements: str = "", strip_dims: int = 1) -> Case:
    chosen = tuple(int(number) for number in statements.split()) or None
    return Case(tuple(map(int, tile.split())), schedules or None, chosen, strip_dims)


CASES = {
    "2mm": by("3"),
    "3mm": by("3"),
    "adi": by("1 1 1 3 1 3 1"),
    "atax": by("4"),
    "bicg": by("4"),
    "cholesky": by("3", "k, i, j", "j, i, j", "k, i, i", "i, i, i", statements="2 3 4 5"),
    "correlation": by("3"),
    "covariance": by("3"),
    "deriche": by("3"),
    "doitgen": by("1 1 1 1 3 1 3"),
    "durbin": by("1 1 1 3"),
    "fdtd-2d": by("2 3 3", "t, t, t + j", "t, t + i, t + j", "t, t + i, t + j", "t, t + i + 1, t + j + 1",
                  statements="4 5 6 7"),
    "floyd-warshall": by("1 3 3", "k, i, j", statements="2"),
    "gemm": by("3 3 4", "i, j, k", statements="2"),
    "gemver": by("4"),
    "gesummv": by("4"),
    "gramschmidt": by("1 1 1 3 1 3"),
    "heat-3d": by("2 3 3 3", "t, 2 * t + i, 2 * t + j, 2 * t + k", "t, 2 * t + i + 1, 2 * t + j + 1, 2 * t + k + 1",
                  statements="3 4"),
    "jacobi-1d": by("2 4", "t, 2 * t + i", "t, 2 * t + i + 1", statements="3 4"),
    "jacobi-2d": by("2 3 4", "t, 2 * t + i, 2 * t + j", "t, 2 * t + i + 1, 2 * t + j + 1", statements="3 4",
                    strip_dims=2),
    "lu": by("3", "k, i, j", "j, i, j", "k, i, j", statements="2 3 4"),
    "ludcmp": by("1 1 1 1 1 3"),
    "mvt": by("4"),
    "nussinov": by("3 3 16", "r, j, 0", "r, j, 0", "r, j, 0", "r, j, 0", "r, j, k", statements="2 3 4 5 6"),
    "seidel-2d": by("2 3 4", "t, t + i, 2 * t + i + j", statements="2"),
    "symm": by("1 1 4 1 3 1"),
    "syr2k": by("3 3 4", "i, j, k", statements="3"),
    "syrk": by("3 3 4", "i, j, k", statements="3", strip_dims=2),
    "trisolv": by("4", "i, 0", "i, j", "i, i"),
    "trmm": by("3 4 3", "i, j, k", "i, j, M", statements="2 3"),
}  # fmt: skip


@dataclass(frozen=True)
class Kernel:
    """A kernel with data for it, its transfers, and what the plain loops make of the data."""

    case: Case
    transfers: Transfers
    elementary: Elementary
    inputs: Mapping[str, NDArray[Any]]
    expected: Mapping[str, NDArray[Any]]


@pytest.fixture(scope="module", params=sorted(CASES))
def kernel(request: pytest.FixtureRequest) -> Kernel:
    case = CASES[request.param]
    file = HERE / f"{request.param}.aol"
    spec = api.load(file)
    (name,) = spec.components
    transfers = api.transfers(
        spec, name, schedules=case.schedules, statements=case.statements, tile=case.tile, strip_dims=case.strip_dims
    )
    elementary = spec.components[name]
    assert isinstance(elementary, Elementary)
    inputs = data(elementary.inputs)
    return Kernel(case, transfers, elementary, inputs, KERNELS[name](**inputs))


def data(ports: tuple[Port, ...]) -> dict[str, NDArray[Any]]:
    """Numbers of a size at which nothing overflows; square matrices have large diagonals, so that they have factors."""
    rng = np.random.default_rng(7)
    found: dict[str, NDArray[Any]] = {}
    for port in ports:
        shape = tuple(extent or 1 for extent in port.shape)
        if port.type == "i32":
            found[port.name] = rng.integers(0, 4 if len(shape) == 1 else 100, shape, np.int32)
            continue
        values = rng.uniform(0.1, 0.9, shape)
        if len(shape) == 2 and shape[0] == shape[1]:
            values = (values + values.T) / 2 + shape[0] * np.eye(shape[0])
        found[port.name] = np.asarray(values)
    return found


def test_there_are_30() -> None:
    assert len(CASES) == len(KERNELS) == len(list(HERE.glob("*.aol"))) == 30


def test_the_reference_execution_agrees_to_the_bit(kernel: Kernel) -> None:
    found = execute(kernel.transfers.spec, kernel.elementary.name, kernel.inputs)
    assert found.keys() == kernel.expected.keys()
    for name, array in kernel.expected.items():
        assert same(found[name], array), name


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_tiled_c_under_sanitizers_agrees_to_the_bit(kernel: Kernel) -> None:
    found = run_c(kernel.transfers.c(), kernel.elementary, kernel.inputs, SANITIZED)
    for name, array in kernel.expected.items():
        assert same(found[name], array), name


# Load and store by enumeration, from the definitions of paper C: every access in the order of execution.

Cell = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class Access:
    statement: int
    indices: dict[str, int]
    reads: frozenset[Cell]
    write: Cell


class Traced(Body):
    """The plain interpreter, with a list of what each instance touches."""

    def __init__(self, elementary: Elementary, inputs: Mapping[str, NDArray[Any]]) -> None:
        super().__init__(elementary, inputs)
        self.accesses: list[Access] = []
        self.reading: list[Cell] = []
        self.numbers = {id(one): number for number, one in enumerate(_assigns(elementary.body or ()), 1)}

    def _assign(self, statement: expressions.Assign) -> None:
        super()._assign(statement)
        cell = (statement.port, self._place(statement.port, statement.subscripts))
        reads = frozenset([*self.reading, *([cell] if statement.accumulate else [])])
        self.accesses.append(Access(self.numbers[id(statement)], dict(self.indices), reads, cell))
        self.reading = []

    def value(self, node: expressions.Expr) -> Any:
        if isinstance(node, expressions.Read):
            self.reading.append((node.port, self._place(node.port, node.subscripts)))
        return super().value(node)


def _assigns(body: tuple[expressions.Statement, ...]) -> list[expressions.Assign]:
    return [assign for one in body for assign in (_assigns(one.body) if isinstance(one, expressions.Loop) else [one])]


def test_loads_and_stores_are_those_of_an_enumeration(kernel: Kernel) -> None:
    traced = Traced(kernel.elementary, kernel.inputs)
    traced.run()
    nest = kernel.transfers.traffic.nest
    consts = {name: int(value) for name, value in kernel.transfers.spec.constants.items()}
    texts = {one.number: text for one, text in zip(nest.statements, nest.text, strict=True)}
    strips: dict[tuple[int, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for access in traced.accesses:
        if access.statement in texts:
            known = {"__builtins__": {}, **consts, **access.indices}
            time = tuple(eval(text, known) for text in texts[access.statement])
            tile = tuple(value // size for value, size in zip(time, nest.sizes, strict=True))
            strips[tile[: nest.depth - nest.strip_dims]].append((tile, time, access.statement, access))
    load: set[tuple[Any, ...]] = set()
    store: set[tuple[Any, ...]] = set()
    for found in strips.values():
        touched, last = set(), {}
        for tile, _, _, access in sorted(found, key=lambda one: one[:3]):
            load |= {(tile, cell) for cell in access.reads - touched}
            touched |= {*access.reads, access.write}
            last[access.write] = tile
        store |= {(tile, cell) for cell, tile in last.items()}
    assert _cells(kernel.transfers.traffic.load) == load
    assert _cells(kernel.transfers.traffic.store) == store


def _cells(relations: Mapping[str, Any]) -> set[tuple[Any, ...]]:
    return {
        (tuple(tile), (name, tuple(element)))
        for name, relation in relations.items()
        for tile, element in zip(*(part.tolist() for part in rows(relation)), strict=True)
    }
