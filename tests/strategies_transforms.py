"""Specifications for transformations: one to four linked tasks with every feature that a step must carry through.

Each is valid by construction. The elements of a pattern have different weights in the bodies, so that a wrong element,
a lost instance or a dropped delay changes the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from linked_parts import Array, Builder, Call, Extents, Space, blocks, exit_of, link, tiler_text, window
from linked_slices import add_call, read_part
from strategies_parameters import with_parameters

from arrayol.language.syntax.diagnose import shown_shape


@dataclass(frozen=True)
class LinkedSpec:
    """The text of a specification with the top task `top`, and the features that it has."""

    text: str
    features: frozenset[str]


_FIXED = "i20.12"
_REAL = ("i64", "f32", "f64", "u8", "u12", _FIXED)


@st.composite
def linked_specs(draw: DrawFn, kinds: Sequence[str] = _REAL) -> LinkedSpec:
    """One to four tasks over arrays of one to three dimensions, of one type: chains, forks and joins."""
    build = Builder(draw, draw(st.sampled_from(kinds)), endless=False)
    build.features |= {{"u12": "odd widths", _FIXED: "fixed point"}.get(build.type, "a type of NumPy's")}
    build.endless = build.chance(4, "infinite dimension")
    tasks = build.pick(2, 2, 3, 1, 3, 4, 3, 4)
    build.features.add(f"{tasks} task{'s' if tasks > 1 else ''}")
    _first_input(build)
    for number in range(tasks):
        _task(build, number)
    text = _text(build)
    if build.chance(5, "parameters"):
        text = with_parameters(lambda options: draw(st.sampled_from(options)), text)
    return LinkedSpec(text, frozenset(build.features))


def _first_input(build: Builder) -> None:
    rank = build.pick(1, 2, 2, 2, 3)
    build.features.add(f"{rank} dimension{'s' if rank > 1 else ''}")
    extents: list[int | None] = [
        build.pick(*((4, 6, 8, 12) if rank == 1 else (2, 4, 6, 4, 3)[: 6 - rank])) for _ in range(rank)
    ]
    if build.endless:
        extents[0] = None
    build.inputs.append(Array("x", tuple(extents)))


def _task(build: Builder, number: int) -> None:
    """One task, its elementary and its call."""
    if number and build.chance(2) and _called_again(build):
        return
    main = read_part(build, _main_input(build))
    space = _space(build, main)
    name = f"t{number}"
    ports: list[tuple[str, Extents]] = []
    links: list[str] = []
    arrays = [main]
    for place in range(build.pick(1, 2, 2)):
        array = main if place == 0 else read_part(build, _second_input(build, main))
        if any(array.name == other.name and array != other for other in arrays):
            array = main  # another part of one array would have its name
        pattern, tiler = window(build, space, array)
        linked = array.name in build.tables and build.chance(2, "const array by a link")
        if array not in arrays and not linked:
            arrays.append(array)
        source = array.name if linked else f"{array.name}_{number}"
        links.append(link(build, f"a{place} <- {source}", space, pattern, array.shape, tiler))
        ports.append((f"a{place}", pattern))
    outputs: list[tuple[str, Extents]] = []
    written: list[Array] = []
    for place in range(2 if build.chance(7, "several outputs") else 1):
        leaves = exit_of(build, space)
        pattern, tiler, shape = blocks(build, space, plain=place > 0, leaves=leaves)
        array = Array(f"y{number}" if place == 0 else f"z{number}", shape)
        outputs.append((f"b{place}", pattern))
        written.append(array)
        exits = f" delay {leaves}" if leaves else ""
        links.append(link(build, f"b{place}{exits} -> {array.name}_{number}", space, pattern, shape, tiler))
    delayed = _delays(build, space, main, number, outputs, links) if build.chance(2) else []
    body = _body(build, ports, outputs, delayed)
    _define(build, name, space, arrays, written, [ports, outputs, delayed], [links, body])
    if len({(array.whole or array).name for array in arrays} & {array.name for array in build.made}) > 1:
        build.features.add("join")
    slices = tuple(array.slices for array in arrays)
    add_call(build, Call(tuple(written), name, tuple(array.whole or array for array in arrays), slices))


def _called_again(build: Builder) -> bool:
    """The last task once more, on its own result, where shapes allow that."""
    last = build.calls[-1]
    if len(last.arguments) != 1 or len(last.results) != 1 or last.arguments[0].shape != last.results[0].shape:
        return False
    if last.written or any(last.slices):
        return False
    result = Array(f"{last.results[0].name}_again", last.results[0].shape)
    build.calls.append(Call((result,), last.callee, last.results, ("",)))
    build.made.append(result)
    build.features.add("called twice")
    return True


def _main_input(build: Builder) -> Array:
    """The last array, or an earlier one that is then read twice."""
    read = {array.name for call in build.calls for array in call.arguments}
    if build.made and build.chance(3):
        array = build.draw(st.sampled_from([*build.made, *build.inputs[:1]]))
    else:
        array = build.made[-1] if build.made else build.inputs[0]
    if array.name in read:
        build.features.add("fork")
    return array


def _second_input(build: Builder, main: Array) -> Array:
    """Another array with as many dimensions, a new one, a small table, or a scalar."""
    known = [one for one in build.made if one != main and len(one.shape) == len(main.shape)]
    if known and not build.chance(4):
        return build.draw(st.sampled_from(known))
    if build.chance(3, "scalar port"):
        shape: Extents = ()
    elif build.chance(2):
        shape = (build.pick(2, 3),)
        build.features.add("table")
    else:
        shape = tuple(extent or 3 for extent in main.shape)
    if None not in shape and build.chance(2, "const array"):
        return build.table(tuple(extent or 1 for extent in shape))
    array = Array(f"x{len(build.inputs)}", shape)
    build.inputs.append(array)
    return array


def _space(build: Builder, main: Array) -> Space:
    rank = len(main.shape)
    counts: list[int | None] = []
    steps: list[int] = []
    for extent in main.shape:
        step = build.pick(1, 2, 1, 3) if extent is not None else build.pick(1, 1, 2)
        step = step if extent is None or extent % step == 0 else 1
        steps.append(step)
        count = None if extent is None else extent // step
        counts.append(count - 1 if count is not None and count > 2 and not build.chance(3) else count)
    column = tuple(build.draw(st.permutations(range(rank)))) if build.chance(3) else tuple(range(rank))
    return Space(tuple(counts), tuple(steps), column)


@dataclass(frozen=True)
class Delayed:
    """An input port that takes an output of an earlier instance."""

    port: str
    pattern: Extents
    output: str


def _delays(
    build: Builder, space: Space, main: Array, number: int, outputs: list[tuple[str, Extents]], links: list[str]
) -> list[Delayed]:
    """One delay or two, along a dimension or across; links are added, and a state output where one is needed."""
    long = [place for place, extent in enumerate(space.shape) if extent is None or extent > 1]
    if not long:
        return []
    build.features.add("delay")
    vectors = []
    for place in build.draw(st.permutations(long))[: build.pick(1, 1, 2)]:
        vector = [0] * len(space.shape)
        extent = space.shape[place]
        vector[place] = 1 if extent is None else build.pick(1, 1, -1, 2 if extent > 2 else 1)
        vectors.append(vector)
    across = [place for place in long if not vectors[0][place] and space.shape[place] is not None]
    if len(vectors) == 1 and across and build.chance(2, "delay across"):
        vectors[0][across[0]] = build.pick(1, -1)
    if min(map(min, vectors)) < 0:
        build.features.add("negative delay")
    pattern: Extents = ()
    if build.chance(3) and outputs[0][1]:
        source, pattern = outputs[0]
    else:
        source = "state"
        outputs.append((source, ()))
    delayed = []
    for place, vector in enumerate(vectors):
        default = str(build.pick(0, 1, 3))
        if not pattern and len(main.shape) == len(space.counts) and build.chance(3, "tiled default"):
            paving = [
                [step if space.column[axis] == other else 0 for other in range(len(space.counts))]
                for axis, step in enumerate(space.steps)
            ]
            default = f"{main.name}_{number} at {tiler_text([0] * len(main.shape), paving, [], wrap=False)}"
        links.append(f"p{place} <- {source} delay {vector} else {default}")
        delayed.append(Delayed(f"p{place}", pattern, source))
    return delayed


def _body(
    build: Builder, ports: list[tuple[str, Extents]], outputs: list[tuple[str, Extents]], delayed: list[Delayed]
) -> list[str]:
    """Weighted sums of all that is read, in an order that floats can tell."""
    lines = []
    table = build.table((build.pick(2, 3),)) if build.chance(3, "const array in a body") else None
    summed = ports[0][0] if ports[0][1] and not delayed and build.chance(2, "accumulation") else ""
    for place, (name, pattern) in enumerate(outputs):
        own = [f"j{axis}" for axis in range(len(pattern))]
        first = " + ".join([str(place + 1), *(f"{name_} * {axis + 2}" for axis, name_ in enumerate(own))])
        terms = []
        if table is not None:
            terms.append((f"{table.name}[({' + '.join([str(place), *own])}) % {table.shape[0]}]", []))
        for port, taken in ports:
            if port == summed:  # a sum that can be split: its ranges are its own, and stand in subscripts only
                terms.append(_weighted(build, port, [(f"s{place}{axis}", size) for axis, size in enumerate(taken)]))
                continue
            inner = [f"k{axis}" for axis in range(len(taken))]
            factor = " + ".join(
                [str(build.pick(1, 2, 3)), *(f"{name_} * {axis + 1}" for axis, name_ in enumerate([*inner, *own]))]
            )
            terms.append((_product(build, factor, _element(port, inner)), [*zip(inner, taken, strict=True)]))
        for item in delayed:
            at = own if item.pattern else []
            if not item.pattern or item.pattern == pattern:
                terms.append((_product(build, str(build.pick(2, 3)), _element(item.port, at)), []))
        lines += _sum(build, _element(name, own), [*zip(own, pattern, strict=True)], [(first, []), *terms])
    return lines


Ranges = list[tuple[str, int | None]]


def _weighted(build: Builder, port: str, ranges: Ranges) -> tuple[str, Ranges]:
    """A pattern times a table of its shape."""
    weights = build.table(tuple(size or 1 for _, size in ranges))
    indices = [name for name, _ in ranges]
    return _product(build, _element(weights.name, indices), _element(port, indices)), ranges


def _sum(build: Builder, target: str, own: Ranges, terms: list[tuple[str, Ranges]]) -> list[str]:
    """A sum into each element of an output: at once, or by a local of its loop or of the body."""
    local = build.chance(4, "local")
    if local and own and build.chance(2):
        first, *rest = [f"{value}{_ranges(inner)}" for value, inner in terms]
        lines = [f"v: {build.type} = {first}", *(f"v += {text}" for text in rest), f"{target} = v"]
        return [f"loop {_ranges(own).removeprefix('  for ')} {{", *(f"  {line}" for line in lines), "}"]
    if not local:
        return _sum_lines(target, own, terms)
    whole = f"v_{target}"
    shape = tuple(extent for _, extent in own)
    declared = f"{whole.partition('[')[0]}: {build.type}{shown_shape(shape)}"
    return [declared, *_sum_lines(whole, own, terms), f"{target} = {whole}{_ranges(own)}"]


def _sum_lines(target: str, own: Ranges, terms: list[tuple[str, Ranges]]) -> list[str]:
    return [
        f"{target} {'+=' if place else '='} {value}{_ranges([*own, *inner])}"
        for place, (value, inner) in enumerate(terms)
    ]


def _product(build: Builder, factor: str, element: str) -> str:
    """A weight times an element, in the type of both."""
    if build.type != _FIXED:
        return f"({factor}) * {element}"
    return f"{_FIXED}({_FIXED}({factor}) * {element})"


def _element(name: str, indices: Sequence[str]) -> str:
    return f"{name}[{', '.join(indices)}]" if indices else name


def _ranges(pairs: Iterable[tuple[str, int | None]]) -> str:
    texts = [f"{name} in 0..{extent}" for name, extent in pairs]
    return f"  for {', '.join(texts)}" if texts else ""


def _define(
    build: Builder,
    name: str,
    space: Space,
    arrays: list[Array],
    written: list[Array],
    ports: list[list],  # type: ignore[type-arg]
    lines: list[list[str]],
) -> None:
    reads, writes, delayed = ports
    reads = [*reads, *((item.port, item.pattern) for item in delayed)]
    heads = [
        ", ".join(f"{port}: {build.type}{shown_shape(pattern)}" for port, pattern in side) for side in (reads, writes)
    ]
    number = name[1:]
    sides = [
        ", ".join(f"{array.name}_{number}: {build.type}{shown_shape(array.shape)}" for array in side)
        for side in (arrays, written)
    ]
    body = "".join(f"  {line}\n" for line in lines[1])
    links = "".join(f"    {line}\n" for line in lines[0])
    repeat = f"  repeat {shown_shape(space.shape)} of e{number} {{\n{links}  }}\n"
    build.definitions += [
        f"elementary e{number}({heads[0]}) -> ({heads[1]}) {{\n{body}}}\n",
        f"task {name}({sides[0]}) -> ({sides[1]}) {{\n{repeat}}}\n",
    ]


def _text(build: Builder) -> str:
    """All definitions; two calls after each other are put into a compound task of their own at times."""
    read = {array.name for call in build.calls for array in call.arguments}
    outputs = [array for array in build.made if array.name not in read]
    outputs += [array for array in build.made if array.name in read and build.chance(4)]
    calls = list(build.calls)
    if len(calls) > 1 and build.chance(3, "hierarchy"):
        first = build.draw(st.integers(0, len(calls) - 2))
        last = first + 2
        while first and set(calls[first - 1].results) & set(calls[first].results):
            first -= 1
        while last < len(calls) and set(calls[last - 1].results) & set(calls[last].results):
            last += 1
        calls[first:last] = [_grouped(build, calls[first:last], outputs)]
    used = {array.name for call in calls for array in call.arguments}
    inputs = [array for array in build.inputs if array.name in used]
    return "\n".join([*build.tables.values(), *build.definitions, _compound(build, "top", inputs, outputs, calls)])


def _grouped(build: Builder, calls: list[Call], outputs: list[Array]) -> Call:
    made = list(dict.fromkeys(array for call in calls for array in call.results))
    read = dict.fromkeys(array for call in calls for array in call.arguments)
    inputs = [array for array in read if array not in made and array.name not in build.tables]
    later = {array.name for call in build.calls if call not in calls for array in call.arguments}
    kept = [array for array in made if array.name in later or array in outputs]
    build.definitions.append(_compound(build, "stage", inputs, kept, calls))
    return Call(tuple(kept), "stage", tuple(inputs), ("",) * len(inputs))


def _compound(build: Builder, name: str, inputs: list[Array], outputs: list[Array], calls: list[Call]) -> str:
    sides = [
        ", ".join(f"{array.name}: {build.type}{shown_shape(array.shape)}" for array in side)
        for side in (inputs, outputs)
    ]
    shared = dict.fromkeys(array for call in calls if call.written for array in call.results if array not in outputs)
    between = (f"  {array.name}: {build.type}{shown_shape(array.shape)}\n" for array in shared)
    lines = [*between, *(f"{call}\n" for call in calls)]
    return "".join([f"task {name}({sides[0]}) -> ({sides[1]}) {{\n", *lines, "}\n"])
