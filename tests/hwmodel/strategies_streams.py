"""Generated specifications that stream: every kind of task, border, state and result that streaming groups have.

Text is drawn, not networks: outputs are compared with the reference execution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from hypothesis import strategies as st

from arrayol.checks.check import check_source
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from arrayol.language.emitter import spec_text
from arrayol.source import SourceFile
from arrayol.transforms.steps import parse_step, run_steps
from hwmodel.streamed import Stream

BORDERS = ("nearest", "reflect", "mirror", "constant")
FEATURES = (
    *BORDERS,
    *("wrap", "window", "join", "halved", "larger", "state", "exit", "held", "scalar", "table", "two results"),
    *("two states", "several outputs", "two inputs", "units", "slow", "memory", "raster", "columns", "rotated"),
    *("serial", "again"),
)
_KINDS = (
    *("window",) * 6,
    *("join", "join", "halved", "halved", "larger", "larger", "state", "state", "sums", "held", "scalar", "table"),
)


@dataclass(frozen=True)
class Drawn:
    """A specification as text, its decisions, and which features it has."""

    text: str
    stream: Stream
    features: frozenset[str]


@dataclass
class _Array:
    """An array of a specification under construction: rows and columns, and places of the input for each."""

    name: str
    rows: int
    columns: int
    scale: Fraction = Fraction(1)
    is_read: bool = False

    @property
    def type(self) -> str:
        """Its type in the text."""
        return f"i32[{self.rows}, {self.columns}]"


@dataclass
class _Building:
    draw: st.DrawFn
    arrays: list[_Array]
    inputs: list[str]
    definitions: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    features: set[str] = field(default_factory=set)

    def one_of(self, *values: str) -> str:
        """One of some texts."""
        return self.draw(st.sampled_from(values))

    def array(self) -> _Array:
        """An array to read, a late one as a rule."""
        chosen = self.draw(st.sampled_from([*self.arrays, *self.arrays[-2:]]))
        chosen.is_read = True
        return chosen

    def result(self, number: int, like: _Array, *, by: Fraction = Fraction(1)) -> _Array:
        """A new array, with `by` places of another for each place of its own."""
        made = _Array(f"a{number}", int(like.rows / by), int(like.columns / by), like.scale * by)
        self.arrays.append(made)
        return made


def _window(building: _Building, number: int) -> None:
    """Sums over a window, with a border or a wrap; at times two results."""
    source, draw = building.array(), building.draw
    made = building.result(number, source)
    rows, columns = draw(st.integers(1, min(3, source.rows))), draw(st.integers(1, min(3, source.columns)))
    row, column = (draw(st.integers(1 - side, 0)) for side in (rows, columns))
    border = building.one_of(*BORDERS, "mirror", "wrap", "wrap", "wrap")
    if (row, column, rows, columns) != (0, 0, 1, 1):
        building.features |= {border, "window"}
    _sum_over(building, number, (source, made), (rows, columns), f"{row}, {column}", ("1, 0; 0, 1", border))


def _sum_over(
    building: _Building,
    number: int,
    arrays: tuple[_Array, _Array],
    sides: tuple[int, int],
    origin: str,
    move: tuple[str, str],
) -> None:
    (source, made), (rows, columns), (paving, border) = arrays, sides, move
    second = building.draw(st.integers(0, 4)) == 0
    more, outputs, link = "", f"{made.name}: {made.type}", f"    y -> {made.name}\n"
    port = ""
    if second:
        building.features.add("two results")
        other = _Array(f"{made.name}z", made.rows, made.columns, made.scale)
        building.arrays.append(other)
        more, port = "\n  z = y ^ 5", ", z: i32"
        outputs += f"; {other.name}: {other.type}"
        link += f"    z -> {other.name}\n"
    sums = f"y += x[j, k]  for j in 0..{rows}, k in 0..{columns}"
    body = f"(x: i32[{rows}, {columns}]) -> (y: i32{port}) {{\n  {sums}{more}\n}}"
    behind = border if border == "wrap" else f"else {7 if border == 'constant' else border}"
    links = f"    x <- {source.name} at origin [{origin}] paving [{paving}] fitting [1, 0; 0, 1] {behind}\n"
    _task(
        building,
        number,
        body,
        (f"{made.rows}, {made.columns}", links + link),
        (f"{source.name}: {source.type}", outputs),
    )


def _task(building: _Building, number: int, body: str, repeat: tuple[str, str], ports: tuple[str, str]) -> None:
    """Add an elementary and its task, which reads and makes arrays that are given as typed names, with `; ` between."""
    (space, links), (reads, made) = repeat, ports
    head = f"task t{number}({reads.replace('; ', ', ')}) -> ({made.replace('; ', ', ')})"
    building.definitions += [
        f"elementary e{number}{body}",
        f"{head} {{\n  repeat [{space}] of e{number} {{\n{links}  }}\n}}",
    ]
    read, results = (", ".join(one.split(":")[0] for one in text.split("; ")) for text in ports)
    building.calls.append(f"  {f'({results})' if ', ' in results else results} = t{number}({read})")


def _join(building: _Building, number: int) -> None:
    """Two arrays of one size, element by element."""
    first = building.array()
    others = [array for array in building.arrays if (array.scale, array.rows) == (first.scale, first.rows)]
    second = building.draw(st.sampled_from(others))
    second.is_read = True
    made = building.result(number, first)
    building.features.add("join")
    links = f"    x <- {first.name}\n    w <- {second.name}\n    y -> {made.name}\n"
    reads = f"{first.name}: {first.type}; {second.name}: {second.type}"
    reads = reads if first is not second else f"{first.name}: {first.type}"
    body = "(x: i32, w: i32) -> (y: i32) {\n  y = x - 3 * w\n}"
    _task(building, number, body, (f"{made.rows}, {made.columns}", links), (reads, f"{made.name}: {made.type}"))


def _halved(building: _Building, number: int) -> None:
    """Every second row and column of a window."""
    source = building.array()
    if source.rows < 4 or source.columns < 4 or source.rows % 2 or source.columns % 2:
        return _window(building, number)
    made = building.result(number, source, by=Fraction(2))
    building.features.add("halved")
    origin = building.one_of("0, 0", "-1, 0", "0, -1", "-1, -1")
    return _sum_over(building, number, (source, made), (2, 2), origin, ("2, 0; 0, 2", building.one_of(*BORDERS)))


def _larger(building: _Building, number: int) -> None:
    """Four elements for each."""
    source = building.array()
    made = building.result(number, source, by=Fraction(1, 2))
    building.features.add("larger")
    links = f"    x <- {source.name}\n    y -> {made.name} at origin [0, 0] paving [2, 0; 0, 2] fitting [1, 0; 0, 1]\n"
    body = "(x: i32) -> (y: i32[2, 2]) {\n  y[j, k] = x + j - k  for j in 0..2, k in 0..2\n}"
    space = f"{source.rows}, {source.columns}"
    _task(building, number, body, (space, links), (f"{source.name}: {source.type}", f"{made.name}: {made.type}"))


def _state(building: _Building, number: int) -> None:
    """A recursive filter along rows, columns or a diagonal; at times of two states, beside a result that takes long."""
    source = building.array()
    made = building.result(number, source)
    building.features.add("state")
    delay = building.one_of("0, 1", "1, 0", "0, 2", "1, 1")
    links = f"    x <- {source.name}\n    before <- y delay [{delay}] else 3\n    y -> {made.name}\n"
    reads = f"{source.name}: {source.type}"
    if building.draw(st.booleans()):
        building.features.add("two states")
        other = _Array(f"{made.name}z", made.rows, made.columns, made.scale)
        building.arrays.append(other)
        links += f"    former <- y delay [{building.one_of('0, 2', '1, 1')}] else 5\n    z -> {other.name}\n"
        body = "(x: i32, before: i32, former: i32) -> (y: i32, z: i32) {\n  y = x + (before >> 1) - former\n"
        body += "  z = x - (y - (x - (y - (x - (y - 3)))))\n}"
        outputs = f"{made.name}: {made.type}; {other.name}: {other.type}"
        _task(building, number, body, (f"{made.rows}, {made.columns}", links), (reads, outputs))
        return
    body = "(x: i32, before: i32) -> (y: i32) {\n  y = x + (before >> 1)\n}"
    _task(building, number, body, (f"{made.rows}, {made.columns}", links), (reads, f"{made.name}: {made.type}"))


def _sums(building: _Building, number: int) -> None:
    """The sum of each row, which leaves by an exit and comes back to the row's elements."""
    source = building.array()
    sums = f"s{number}: i32[{source.rows}]"
    space, reads = f"{source.rows}, {source.columns}", f"{source.name}: {source.type}"
    building.features |= {"exit", "held"}
    links = f"    x <- {source.name}\n    before <- y delay [0, 1] else 0\n"
    links += f"    y delay [0, 1] -> s{number} at origin [0] paving [1, 0] fitting []\n"
    _task(building, number, "(x: i32, before: i32) -> (y: i32) {\n  y = x + before\n}", (space, links), (reads, sums))
    made = building.result(number, source)
    links = f"    x <- {source.name}\n    s <- s{number} at origin [0] paving [1, 0] fitting []\n    y -> {made.name}\n"
    ports = f"{reads}; {sums}", f"{made.name}: {made.type}"
    _task(building, number + 100, "(x: i32, s: i32) -> (y: i32) {\n  y = s - x\n}", (space, links), ports)


def _held(building: _Building, number: int) -> None:
    """A factor for each row, from outside."""
    source = building.array()
    made = building.result(number, source)
    building.features.add("held")
    building.inputs.append(f"f{number}: i32[{source.rows}]")
    links = f"    x <- {source.name}\n    f <- f{number} at origin [0] paving [1, 0] fitting []\n    y -> {made.name}\n"
    ports = f"{source.name}: {source.type}; {building.inputs[-1]}", f"{made.name}: {made.type}"
    body = "(x: i32, f: i32) -> (y: i32) {\n  y = x + f\n}"
    _task(building, number, body, (f"{made.rows}, {made.columns}", links), ports)


def _scalar(building: _Building, number: int) -> None:
    """A number of rank 0, from outside."""
    source = building.array()
    made = building.result(number, source)
    building.features.add("scalar")
    building.inputs.append(f"g{number}: i32")
    links = f"    x <- {source.name}\n    g <- g{number}\n    y -> {made.name}\n"
    ports = f"{source.name}: {source.type}; {building.inputs[-1]}", f"{made.name}: {made.type}"
    body = "(x: i32, g: i32) -> (y: i32) {\n  y = x - g\n}"
    _task(building, number, body, (f"{made.rows}, {made.columns}", links), ports)


def _table(building: _Building, number: int) -> None:
    """A table of constants in a body."""
    source = building.array()
    made = building.result(number, source)
    building.features.add("table")
    building.definitions.append(f"const T{number}: i32[4] = [3, 1, 4, 1]")
    links = f"    x <- {source.name}\n    y -> {made.name}\n"
    ports = f"{source.name}: {source.type}", f"{made.name}: {made.type}"
    body = f"(x: i32) -> (y: i32) {{\n  y = x + T{number}[x & 3]\n}}"
    _task(building, number, body, (f"{made.rows}, {made.columns}", links), ports)


_MAKERS: dict[str, Callable[[_Building, int], None]] = {
    "window": _window,
    "join": _join,
    "halved": _halved,
    "larger": _larger,
    "state": _state,
    "sums": _sums,
    "held": _held,
    "scalar": _scalar,
    "table": _table,
}


@st.composite
def streams(draw: st.DrawFn, kind: str = "i32") -> Drawn:
    """One to five tasks on one or two images of a few pixels, of i32 or a complex type, and decisions."""
    rows, columns = draw(st.sampled_from((4, 6, 8))), draw(st.sampled_from((4, 6, 8, 5)))
    images = [_Array(f"i{number}", rows, columns) for number in range(draw(st.sampled_from((1, 1, 2))))]
    building = _Building(draw, images, [f"{image.name}: {image.type}" for image in images])
    for number in range(draw(st.integers(1, 5))):
        _MAKERS[draw(st.sampled_from(_KINDS))](building, number)
    results = [a for a in building.arrays if a.name[0] == "a" and (not a.is_read or draw(st.integers(0, 5)) == 0)]
    read = " ".join(building.calls)
    inputs = [one for one in building.inputs if f"({one.split(':')[0]}" in read or f" {one.split(':')[0]}" in read]
    outputs = ", ".join(f"{array.name}: {array.type}" for array in results)
    top = f"task top({', '.join(inputs)}) -> ({outputs}) {{\n" + "\n".join(building.calls) + "\n}"
    pace = draw(st.sampled_from(("1", "1", "1", "1/2", "1/4", "1/3", "2", "3")))
    stream = Stream(
        draw(st.sampled_from(((), (), (1, 0)))),
        Fraction(pace),
        draw(st.sampled_from(("latency", "memory"))),
        raster=draw(st.booleans()),
    )
    features = building.features | {name for name, has in _of(stream, len(results), inputs).items() if has}
    text, step = (
        _of_complex("\n".join([*building.definitions, top, ""]), kind),
        draw(st.sampled_from((*[""] * 4, "serial", "again", "again"))),
    )
    if step and (changed := _rewritten(draw, text, step)):
        text, features = changed, features | {step}
    return Drawn(text, stream, frozenset(features))


def _of_complex(text: str, kind: str) -> str:
    """A specification of i32 with another type, and for what complex numbers lack something that has both parts."""
    if kind == "i32":
        return text
    text = text.replace("y ^ 5", "conj(y) * i32(3, 5)").replace("before >> 1", "before * i32(0.5, 0.25)")
    return text.replace("i32", kind).replace("[x & 3]", "[i32(abs(x)) & 3]")


def _rewritten(draw: st.DrawFn, text: str, step: str) -> str | None:
    """A specification after a step that changes how an array is passed on, if one can be taken; of blocks first."""
    spec = check_source(SourceFile("drawn.aol", text)).spec
    network = flatten(spec, "top")
    if step == "again":
        pairs = [(one, network.arrays[array].readers) for one, own in network.processes.items() for array in own.writes]
        options = [f"again {one} {reader}" for one, readers in pairs for reader in readers]
    else:
        flows = [(own.outputs[0], name) for name, own in network.processes.items()]
        blocks = [(flow, name) for flow, name in flows if prod(extent or 1 for extent in flow.port.shape) > 1]
        options = [f"serial {name} {flow.array}" for flow, name in blocks or flows]
    for option in draw(st.permutations(sorted(options))):
        try:
            return spec_text(run_steps(spec, [parse_step(option)]).spec)
        except ArrayolError:
            continue
    return None


def _of(stream: Stream, outputs: int, inputs: list[str]) -> dict[str, bool]:
    return {
        "several outputs": outputs > 1,
        "two inputs": any(one.startswith("i1") for one in inputs),
        "units": stream.pace < 1,
        "slow": stream.pace > 1,
        "memory": stream.starts == "memory",
        "raster": stream.raster,
        "columns": stream.scan != (),
    }
