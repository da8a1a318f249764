"""Networks with values of rank 0 among arrays: maxima, means and gains between tasks, and elementaries called directly.

Each is valid by construction. Elements have different weights in the bodies, so that a wrong or a lost one shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from strategies_transforms import LinkedSpec

from arrayol.language.syntax.diagnose import shown_shape

Extents = tuple[int, ...]
_SHAPES = ((2,), (3,), (2, 2), (4,), (6,), (2, 3), (3, 4))


@dataclass
class _Network:
    """What has been drawn so far: definitions, calls, and of each name of the top task its shape."""

    draw: DrawFn
    type: str
    shapes: dict[str, Extents]
    inputs: list[str]
    definitions: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    features: set[str] = field(default_factory=set)

    def scalar(self) -> str:
        """A scalar that is there already, made by a task if possible, or a new input."""
        known = [name for name, shape in self.shapes.items() if not shape]
        if not known or self.draw(st.integers(0, 5)) == 0:
            self.inputs.append(f"g{len(self.inputs)}")
            self.shapes[self.inputs[-1]] = ()
            known.append(self.inputs[-1])
            self.features.add("scalar input")
        name = known[-1]
        self.read.add(name)
        if name not in self.inputs:
            self.features.add("scalar between tasks")
        return name

    def array(self) -> str:
        """One of the arrays, often the last."""
        known = [name for name, shape in self.shapes.items() if shape]
        name = self.draw(st.sampled_from([*known, known[-1]]))
        self.read.add(name)
        return name

    def port(self, name: str, shape: Extents = ()) -> str:
        return f"{name}: {self.type}{shown_shape(shape)}"


@st.composite
def scalar_specs(draw: DrawFn, *, most: int = 4) -> LinkedSpec:
    """One to `most` calls on an array and scalars; at times the one call of a file that holds no task."""
    network = _Network(draw, draw(st.sampled_from(("u8", "i16", "f32"))), {"x": draw(st.sampled_from(_SHAPES))}, ["x"])
    count = draw(st.integers(1, most))
    for number in range(count):
        draw(st.sampled_from((_reduced, _reduced, _scalars, _whole, _each, _each, _folded, _spread)))(network, number)
    if count == 1 and len(network.definitions) == 1 and draw(st.booleans()):
        network.features.add("no task")
        return LinkedSpec(network.definitions[0], frozenset(network.features))
    made = [name for name in network.shapes if name not in network.inputs]
    outputs = [name for name in made if name not in network.read or draw(st.integers(0, 3)) == 0]
    network.features |= {"scalar output" for name in outputs if not network.shapes[name]}
    inputs = [name for name in network.inputs if name in network.read]
    sides = [", ".join(network.port(name, network.shapes[name]) for name in side) for side in (inputs, outputs)]
    calls = "".join(f"  {call}\n" for call in network.calls)
    top = f"task top({sides[0]}) -> ({sides[1]}) {{\n{calls}}}\n"
    return LinkedSpec("\n".join([*network.definitions, top]), frozenset(network.features))


def _element(name: str, rank: int) -> str:
    return f"{name}[{', '.join(f'k{axis}' for axis in range(rank))}]"


def _ranges(shape: Extents) -> str:
    return ", ".join(f"k{axis} in 0..{extent}" for axis, extent in enumerate(shape))


def _weight(shape: Extents) -> str:
    return " + ".join(["1", *(f"{axis + 2} * k{axis}" for axis in range(len(shape)))])


def _reduced(network: _Network, number: int) -> None:
    """A weighted sum of an array, by an elementary that is called directly."""
    source, result = network.array(), f"s{number}"
    shape = network.shapes[source]
    network.definitions.append(
        f"elementary e{number}({network.port('a', shape)}) -> ({network.port('b')}) {{\n  b = {number + 1}\n"
        f"  b += ({_weight(shape)}) * {_element('a', len(shape))} for {_ranges(shape)}\n}}\n"
    )
    network.calls.append(f"{result} = e{number}({source})")
    network.shapes[result] = ()
    network.features.add("called directly")


def _scalars(network: _Network, number: int) -> None:
    """A scalar to two others, such as a gain and an offset, of which one may be an output only."""
    source = network.scalar()
    network.definitions.append(
        f"elementary e{number}({network.port('a')}) -> ({network.port('b')}, {network.port('c')}) {{\n"
        f"  b = 3 * a + {number}\n  c = a + 7\n}}\n"
    )
    network.calls.append(f"(s{number}, r{number}) = e{number}({source})")
    network.shapes |= {f"r{number}": (), f"s{number}": ()}
    network.features |= {"called directly", "only scalars"}


def _whole(network: _Network, number: int) -> None:
    """An array with a scalar on each element, by an elementary that is called directly."""
    source, gain = network.array(), network.scalar()
    shape = network.shapes[source]
    element = _element("a", len(shape))
    network.definitions.append(
        f"elementary e{number}({network.port('a', shape)}, {network.port('g')}) -> ({network.port('b', shape)}) {{\n"
        f"  {_element('b', len(shape))} = {element} * g + {_weight(shape)} for {_ranges(shape)}\n}}\n"
    )
    network.calls.append(f"y{number} = e{number}({source}, {gain})")
    network.shapes[f"y{number}"] = shape
    network.features |= {"called directly", "scalar into a called elementary"}


def _each(network: _Network, number: int) -> None:
    """A repetition over an array; each repetition reads the same scalar beside its element."""
    source, gain = network.array(), network.scalar()
    shape = network.shapes[source]
    network.definitions += [
        (f"elementary e{number}({network.port('a')}, {network.port('g')}) -> ({network.port('b')}) {{\n"
        f"  b = 2 * a + g * {number + 1}\n}}\n"),
        _task(network, number, shape, f"{network.port('a', shape)}, {network.port('g')}", network.port("b", shape),
              "a <- a", "g <- g", "b -> b"),
    ]  # fmt: skip
    network.calls.append(f"y{number} = t{number}({source}, {gain})")
    network.shapes[f"y{number}"] = shape
    network.features.add("scalar to all repetitions")


def _folded(network: _Network, number: int) -> None:
    """A fold along an array of rank 1: a delay, whose last value leaves to a scalar."""
    sources = [name for name, shape in network.shapes.items() if len(shape) == 1]
    if not sources:
        _reduced(network, number)
        return
    source = network.draw(st.sampled_from(sources))
    network.read.add(source)
    shape = network.shapes[source]
    network.definitions += [
        (f"elementary e{number}({network.port('a')}, {network.port('p')}) -> ({network.port('b')}) {{\n"
        f"  b = 3 * p + a\n}}\n"),
        _task(network, number, shape, network.port("a", shape), network.port("b"),
              "a <- a", "p <- b delay [1] else 1", "b delay [1] -> b"),
    ]  # fmt: skip
    network.calls.append(f"s{number} = t{number}({source})")
    network.shapes[f"s{number}"] = ()
    network.features.add("fold to a scalar")


def _spread(network: _Network, number: int) -> None:
    """An array of copies of a scalar, which is all that the repetitions read."""
    source, shape = network.scalar(), network.draw(st.sampled_from(_SHAPES))
    network.definitions += [
        f"elementary e{number}({network.port('g')}) -> ({network.port('b')}) {{\n  b = g + {number + 1}\n}}\n",
        _task(network, number, shape, network.port("g"), network.port("b", shape), "g <- g", "b -> b"),
    ]
    network.calls.append(f"y{number} = t{number}({source})")
    network.shapes[f"y{number}"] = shape
    network.features.add("array of a scalar")


def _task(network: _Network, number: int, space: Extents, inputs: str, outputs: str, *links: str) -> str:
    lines = "".join(f"    {link}\n" for link in links)
    return (
        f"task t{number}({inputs}) -> ({outputs}) {{\n  repeat {shown_shape(space)} of e{number} {{\n{lines}  }}\n}}\n"
    )
