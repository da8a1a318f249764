"""Loops made of sets run through exactly the set, once each, in order: walked in Python against the points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hypothesis import HealthCheck, assume, given, settings
from many_cases import case_count
from strategies_tiles import NestCase, nest_cases
from tiled_execution import tiled

from arrayol.errors import ArrayolError
from arrayol.tiling.codegen import For, If, Node, element_loops, instance_loops, strip_loops, tile_loops
from arrayol.tiling.enumerate import iterations, rows, strips
from arrayol.tiling.load_store import traffic

FUNCTIONS = {"__builtins__": {}, "min": min, "max": max, "floord": lambda n, d: n // d}


def value(text: str, values: Mapping[str, int]) -> int:
    """An expression in C's syntax; divisions without remainder are as Python's `//`."""
    plain = text.replace("&&", " and ").replace("||", " or ").replace("/", "//")
    return int(eval(choices(plain), dict(FUNCTIONS), dict(values)))


def choices(text: str) -> str:
    """`a ? b : c` in Python's order, what stands in parentheses first."""
    groups: list[str] = []
    while found := re.search(r"\(([^()]*)\)", text):
        groups.append(f"({', '.join(map(_choice, found.group(1).split(', ')))})")
        text = f"{text[: found.start()]}@{len(groups) - 1}@{text[found.end() :]}"
    text = _choice(text)
    for place, group in reversed([*enumerate(groups)]):
        text = text.replace(f"@{place}@", group)
    return text


def _choice(text: str) -> str:
    condition, mark, rest = text.partition(" ? ")
    then, _, otherwise = rest.partition(" : ")
    return f"(({then}) if ({condition}) else {_choice(otherwise)})" if mark else text


def walk(nodes: Sequence[Node], values: dict[str, int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What the loops run, in their order."""
    for node in nodes:
        match node:
            case For():
                inner = {**values, node.name: value(node.first, values)}
                while value(node.condition, inner):
                    yield from walk(node.body, inner)
                    inner = {**inner, node.name: inner[node.name] + value(node.step, inner)}
            case If():
                yield from walk(node.then if value(node.condition, values) else node.otherwise, values)
            case _:
                yield node.label, tuple(value(one, values) for one in node.arguments)


@given(nest_cases())
@settings(
    max_examples=case_count(40),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    deadline=None,
)
def test_loops_of_generated_nests(case: NestCase) -> None:
    try:
        nest = tiled(case)
    except ArrayolError:
        assume(False)
    names = [f"t{axis}" for axis in range(nest.depth)]
    outer = nest.depth - nest.strip_dims
    found = [[tuple(tile) for tile in strip.tolist()] for strip in strips(nest)]
    assert [point for _, point in walk(strip_loops(nest, names[:outer]), {})] == [strip[0][:outer] for strip in found]
    inside = tile_loops(nest, names)
    for strip in found:
        assert [point for _, point in walk(inside, dict(zip(names, strip[0][:outer], strict=False)))] == strip
    check_instances(case, nest, names)
    moved = traffic(nest)
    for relation in (*moved.load.values(), *moved.store.values()):
        loops, pairs = element_loops(relation, nest, names), rows(relation)
        for tile in (tile for strip in found for tile in strip):
            ran = [point for _, point in walk(loops, dict(zip(names, tile, strict=True)))]
            assert len(ran) == len(set(ran))
            assert sorted(ran) == [tuple(row) for row in pairs.image[(pairs.domain == tile).all(axis=1)].tolist()]


def check_instances(case: NestCase, nest: object, names: Sequence[str]) -> None:
    """Every tile runs its instances in the order of the nest."""
    ran = iterations(nest)
    expected: dict[tuple[int, ...], list[tuple[str, tuple[int, ...]]]] = {}
    for tile, statement, point in zip(ran.tile.tolist(), ran.statement.tolist(), ran.instance.tolist(), strict=True):
        number = case.chosen[statement]
        expected.setdefault(tuple(tile), []).append((f"S{number}", tuple(point[: len(case.indices(number))])))
    loops = instance_loops(nest, names)
    for tile, instances in expected.items():
        assert list(walk(loops, dict(zip(names, tile, strict=True)))) == instances
