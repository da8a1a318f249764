"""PolyBench's 30 kernels: execution, and the sets and the C of their tiles, against an interpreter of elements."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_programs import GCC, run_c, same
from numpy.typing import NDArray
from oracle import Body

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.execute.run import execute
from arrayol.ir import expressions
from arrayol.ir.spec import Elementary, Port
from arrayol.tiling.enumerate import rows
from arrayol.tiling.liveness import lifetimes_by_tile
from arrayol.tiling.nest import Traffic
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
    # With locals in place of the temporary arrays.
    "locals/doitgen": by("2 3 2 3", "r, q, p, s", "r, q, NP + p, 0", statements="2 3"),
    "locals/gramschmidt": by("3 1 1 4", "k, k, 0, 0", "k, k, 1, i", "k, k, 2, 0", "k, k, 3, i", "j, k, 4, 0",
                             "j, k, 5, i", "j, k, 6, i", statements="3 4 5 6 7 8 9"),
    "locals/ludcmp": by("3", "i, j, 0", "i, j, k", "i, j, j", "i, j, 0", "i, j, k", "i, j, i",
                        statements="2 3 4 5 6 7"),
    "locals/symm": by("3 3 2", "i, j, 0", "i, j, k", "i, j, k", "i, j, i", statements="2 3 4 5"),
}  # fmt: skip


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
        cell = (statement.port, self._cell(statement))
        reads = frozenset([*self.reading, *([cell] if statement.accumulate else [])])
        self.accesses.append(Access(self.numbers[id(statement)], dict(self.indices), reads, cell))
        self.reading = []

    def value(self, node: expressions.Expr) -> Any:
        if isinstance(node, expressions.Read):
            self.reading.append((node.port, self._cell(node)))
        return super().value(node)

    def _cell(self, access: expressions.Read | expressions.Assign) -> tuple[int, ...]:
        """The subscripts of an element, those of the loops around a local first."""
        return tuple(int(super(Traced, self).value(one)) for one in access.subscripts)


def _assigns(body: tuple[expressions.Statement, ...]) -> list[expressions.Assign]:
    return [assign for one in body for assign in (_assigns(one.body) if isinstance(one, expressions.Loop) else [one])]


@dataclass(frozen=True)
class Kernel:
    """A kernel with data for it, its transfers, what the interpreter makes of the data, and each access on the way."""

    case: Case
    transfers: Transfers
    elementary: Elementary
    inputs: Mapping[str, NDArray[Any]]
    expected: Mapping[str, NDArray[Any]]
    accesses: list[Access]


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
    traced = Traced(elementary, inputs)
    return Kernel(case, transfers, elementary, inputs, traced.run(), traced.accesses)


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
    assert len([name for name in CASES if "/" not in name]) == len(list(HERE.glob("*.aol"))) == 30


@pytest.mark.parametrize("name", ["doitgen", "ludcmp", "symm"])
def test_a_temporary_that_is_a_port_ties_the_tiles_in_a_circle(name: str, tmp_path: Path) -> None:
    """Of one element for all iterations around, instead of a new one for each: only that makes the circle."""
    case, text = CASES[f"locals/{name}"], (HERE / "locals" / f"{name}.aol").read_text()
    found = re.search(r"^ +((\w+): f64(\[NP\])?)", text, re.MULTILINE)
    assert found
    as_port = re.sub(r"(\w+): f64( = |(\[NP\])\n)", lambda one: one[1] + one[2] if one[2] == " = " else "", text)
    as_port = as_port.replace(") {", f", {found[1]}) {{", 1)
    if name == "doitgen":
        as_port = as_port.replace("sum[p] +=", "sum[p] = 0 for p in 0..NP\n    sum[p] +=")
        case = replace(case, schedules=("r, q, p - NP, 0", *(case.schedules or ())), statements=(2, 3, 4))
    (tmp_path / "port.aol").write_text(as_port)
    with pytest.raises(ArrayolError, match=f"since both touch {found[2]}") as refused:
        api.transfers(tmp_path / "port.aol", name, schedules=case.schedules, statements=case.statements, tile=case.tile)
    assert refused.value.diagnostics[0].code == "tiles-in-circle"


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


def test_loads_and_stores_are_those_of_an_enumeration(kernel: Kernel) -> None:
    nest = kernel.transfers.traffic.nest
    consts = {name: int(value) for name, value in kernel.transfers.spec.constants.items()}
    texts = {one.number: text for one, text in zip(nest.statements, nest.text, strict=True)}
    strips: dict[tuple[int, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for access in kernel.accesses:
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
    found_ = kernel.transfers.traffic
    assert _cells(found_.load) == {cell for cell in load if cell[1][0] not in found_.locals}
    assert _cells(found_.store) == {cell for cell in store if cell[1][0] not in found_.locals}
    for name in found_.locals:
        check_kept(name, found_, [one for found in strips.values() for one in found])


def check_kept(name: str, found: Traffic, accesses: list[tuple[Any, ...]]) -> None:
    """What local memory holds of a local in each tile: the elements used in it, or before it and after it."""
    tiles = sorted({tile for tile, *_ in accesses})
    used: dict[Any, set[int]] = defaultdict(set)
    for tile, _, _, access in accesses:
        for array, element in (*access.reads, access.write):
            if array == name:
                used[element].add(tiles.index(tile))
    alive = lifetimes_by_tile(found, name)
    spans = zip(alive.first.tolist(), alive.last.tolist(), strict=True)
    assert dict(zip(map(tuple, alive.element.tolist()), spans, strict=True)) == {
        element: (min(places), max(places)) for element, places in used.items()
    }
    assert name not in found.variables


def _cells(relations: Mapping[str, Any]) -> set[tuple[Any, ...]]:
    return {
        (tuple(tile), (name, tuple(element)))
        for name, relation in relations.items()
        for tile, element in zip(*(part.tolist() for part in rows(relation)), strict=True)
    }
