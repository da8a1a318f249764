"""Repetitive tasks: their links, tilers and delays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from arrayol.errors import Diagnostic, Severity
from arrayol.ir import syntax
from arrayol.ir.borders import CONSTANT, Border
from arrayol.ir.exits import always_writes
from arrayol.ir.intervals import reached
from arrayol.ir.spec import (
    ConstValue,
    Delay,
    Link,
    Port,
    RepetitiveTask,
    Shape,
    TiledDefault,
    Tiler,
    whole_array_tiler,
)
from arrayol.language.constants import check_stored
from arrayol.language.namespace import Definitions
from arrayol.language.syntax.diagnose import Mistake, Mistakes, did_you_mean, mistake, shown_port, shown_shape
from arrayol.language.tasks import (
    DELAYS,
    INPUTS,
    OUTPUTS,
    PORTS,
    Fragment,
    TaskSignature,
    TilerContext,
    plain_tiler,
    resolve_shape,
    resolve_tiler,
)


def resolve_repetition(
    item: syntax.Task,
    repeat: syntax.Repeat,
    signatures: Mapping[str, TaskSignature],
    definitions: Definitions,
    mistakes: Mistakes,
) -> Fragment:
    """A repetitive task as far as its links are sound; mistakes are noted.

    Raises a silent Mistake where its own ports, its space or the repeated task's ports are not known; its links are
    then looked at as far as they can be.
    """
    own = signatures.get(item.name.text)
    callee = mistakes.attempt(lambda: definitions.component(repeat.callee))
    space = mistakes.attempt(lambda: resolve_shape(repeat.shape, definitions))
    ports = signatures.get(callee.name.text) if callee else None
    if own is None or ports is None:
        if own is not None:
            check_names(item.name.text, own, repeat, definitions, mistakes)
        raise Mistake
    # Of an unknown space the rank is known, and that is all that links need; as if infinite, every delay acts.
    rank = len(repeat.shape)
    links = _Links(item.name.text, own, repeat, ports, space or (None,) * rank, space is not None, definitions)
    damaged = {PORTS} if not links.check_ports(mistakes) else set()
    inputs, outputs, delays = links.inputs(mistakes), links.outputs(mistakes), links.delays(mistakes)
    if space is None:
        raise Mistake
    written = Counter(type(link) for link in repeat.links)
    for part, sound, kind in (
        (INPUTS, inputs, syntax.InputLink),
        (OUTPUTS, outputs, syntax.OutputLink),
        (DELAYS, delays, syntax.DelayLink),
    ):
        damaged |= {part} if len(sound) < written[kind] else set()
    linked = (*inputs, *links.hidden())
    task = RepetitiveTask(
        item.name.text, own.inputs, own.outputs, space, repeat.callee.text, linked, outputs, delays, item.name.span
    )
    return Fragment(task, frozenset(damaged))


def check_names(
    task: str, own: TaskSignature, repeat: syntax.Repeat, definitions: Definitions, mistakes: Mistakes
) -> None:
    """Note unknown arrays and tilers of links whose ports are not known."""
    for link in repeat.links:
        arrays: list[tuple[syntax.Name, tuple[Port, ...], str]] = []
        reference: syntax.TilerRef | None = None
        if isinstance(link, syntax.InputLink):
            arrays, reference = [(link.array, own.inputs, "input")], link.tiler
        elif isinstance(link, syntax.OutputLink):
            arrays, reference = [(link.array, own.outputs, "output")], link.tiler
        elif isinstance(link.default, syntax.TiledDefault):
            arrays, reference = [(link.default.array, own.inputs, "input")], link.default.tiler
        for name, ports, direction in arrays:
            mistakes.attempt(lambda name=name, ports=ports, way=direction: own_array(name, task, own, ports, way))  # type: ignore[misc]
        if isinstance(reference, syntax.Name):
            mistakes.attempt(lambda reference=reference: definitions.tiler(reference))  # type: ignore[misc]


def check_port(link: syntax.Link, callee: TaskSignature, name: str) -> None:
    """Raise where a link names a port that the repeated task, of that name, does not have."""
    hint = "inputs are linked with '<-', outputs with '->'"
    outputs = (link.port,) if isinstance(link, syntax.OutputLink) else ()
    inputs = () if outputs else (link.port,)
    if isinstance(link, syntax.DelayLink):
        outputs = (link.output,)
    for port in inputs:
        _port_named(port, callee.declared, callee, "input", name, hint)
    for port in outputs:
        _port_named(port, callee.outputs, callee, "output", name, hint)


def own_array(name: syntax.Name, task: str, own: TaskSignature, ports: tuple[Port, ...], direction: str) -> Port:
    """The task's array that a link names. Raises Mistake."""
    return _port_named(name, ports, own, direction, task, "a repetition reads the task's inputs and writes its outputs")


def _port_named(
    name: syntax.Name, ports: tuple[Port, ...], signature: TaskSignature, direction: str, owner: str, hint: str
) -> Port:
    """The port of that name; `hint` is for a name of the other direction. Raises Mistake."""
    named = next((port for port in ports if port.name == name.text), None)
    if named:
        return named
    if any(port.name == name.text for port in signature.ports):
        raise mistake("wrong-direction", f"'{name.text}' is no {direction} of '{owner}'", name.span, hint)
    known = ", ".join(port.name for port in ports)
    others = f"the {direction}s of '{owner}' are {known}" if known else f"'{owner}' has no {direction}s"
    meant = did_you_mean(name.text, (port.name for port in ports))
    raise mistake("unknown-name", f"'{owner}' has no {direction} named '{name.text}'", name.span, meant or others)


@dataclass(frozen=True, slots=True)
class _Links:
    """The links of one repetition and what they refer to."""

    task: str
    own: TaskSignature
    repeat: syntax.Repeat
    callee: TaskSignature
    space: Shape
    space_known: bool
    definitions: Definitions

    def check_ports(self, mistakes: Mistakes) -> bool:
        """Every input port of the repeated task has exactly one link, every output array of the task one at least."""
        before = len(mistakes)
        name = self.repeat.callee.text
        linked = Counter(link.port.text for link in self.repeat.links if not isinstance(link, syntax.OutputLink))
        missing = [port.name for port in self.callee.declared if not linked[port.name]]
        for port in missing:
            hint = f"add a link: {port} <- ARRAY at TILER"
            mistakes.report("unlinked-input", f"input '{port}' of '{name}' has no link", self.repeat.callee.span, hint)
        seen: set[str] = set()
        for link in self.repeat.links:
            if isinstance(link, syntax.OutputLink):
                continue
            if link.port.text in seen:
                message = f"input '{link.port.text}' of '{name}' has a second link"
                mistakes.report("linked-twice", message, link.port.span, "an input has exactly one link; remove one")
            seen.add(link.port.text)
        written = {link.array.text for link in self.repeat.links if isinstance(link, syntax.OutputLink)}
        for array in self.own.outputs:
            if array.name not in written:
                hint = f"add a link: PORT -> {array.name} at TILER"
                mistakes.report("output-unwritten", f"output '{array.name}' is written by no link", array.span, hint)
        return len(mistakes) == before

    def inputs(self, mistakes: Mistakes) -> tuple[Link, ...]:
        """The links from arrays to input ports."""
        links = [link for link in self.repeat.links if isinstance(link, syntax.InputLink)]
        return mistakes.sound_of(links, lambda link: self._input(link, mistakes))

    def hidden(self) -> tuple[Link, ...]:
        """The links from const arrays to the inputs that are those arrays."""
        steps, span = len(self.space), self.repeat.callee.span
        return tuple(
            Link(port.name, port.name, whole_array_tiler(len(port.shape), span, steps), span)
            for port in self.callee.hidden
        )

    def outputs(self, mistakes: Mistakes) -> tuple[Link, ...]:
        """The links from output ports to arrays."""
        links = [link for link in self.repeat.links if isinstance(link, syntax.OutputLink)]
        return mistakes.sound_of(links, lambda link: self._output(link, mistakes))

    def delays(self, mistakes: Mistakes) -> tuple[Delay, ...]:
        """The delays; one that never acts gives a warning."""
        links = [link for link in self.repeat.links if isinstance(link, syntax.DelayLink)]
        return mistakes.sound_of(links, lambda link: self._delay(link, mistakes))

    def _input(self, link: syntax.InputLink, mistakes: Mistakes) -> Link:
        port = self._callee_port(link.port, self.callee.declared, "input")
        array = self._own_array(link.array, self.own.inputs, "input")
        resolved = self._link(link, port, array)
        if link.border is None:
            return resolved
        border = resolve_border(link.border, resolved.tiler, port, self.definitions)
        if not self.space_known or _leaves(resolved.tiler, (*self.space, *port.shape), array):
            return replace(resolved, tiler=replace(resolved.tiler, border=border))
        mistakes.append(_never_reached(link.border, array))
        return resolved

    def _output(self, link: syntax.OutputLink, mistakes: Mistakes) -> Link:
        self.definitions.check_written(link.array)
        port = self._callee_port(link.port, self.callee.outputs, "output")
        array = self._own_array(link.array, self.own.outputs, "output")
        if link.delay is None:
            return self._link(link, port, array)
        vector = self._vector(link.delay, "an exit of zero would never write", "name the distance past the end")
        if self.space_known:
            self._check_exit(vector, link.delay, mistakes)
        # There is no end along an infinite dimension: no instance leaves there.
        finite = tuple(0 if extent is None else step for step, extent in zip(vector, self.space, strict=True))
        exiting = None if self.space_known and always_writes(vector, self.space) else finite
        skipped = [axis for axis, step in enumerate(vector) if step]
        return replace(self._link(link, port, array, skipped), exit=exiting)

    def _check_exit(self, vector: tuple[int, ...], written: syntax.Vector, mistakes: Mistakes) -> None:
        """Note an exit of which every instance writes. Raises Mistake for one without a last instance."""
        if any(extent is None and step < 0 for step, extent in zip(vector, self.space, strict=True)):
            message = "the exit reaches before the first instance along '*'"
            raise mistake("exit-backwards", message, written.span, "an exit along '*' is forwards, or 0")
        if all(extent is None for step, extent in zip(vector, self.space, strict=True) if step):
            message = f"the exit never writes: the repetition space {shown_shape(self.space)} has no end along '*'"
            raise mistake("exit-never-writes", message, written.span, "name a distance along a finite dimension too")
        if always_writes(vector, self.space):
            mistakes.append(
                Diagnostic(
                    "exit-always-writes",
                    f"the exit is as long as the repetition space {shown_shape(self.space)}: every instance writes",
                    written.span,
                    "shorten it, or leave 'delay' out",
                    Severity.WARNING,
                )
            )

    def _link(
        self, link: syntax.InputLink | syntax.OutputLink, port: Port, array: Port, skipped: Sequence[int] = ()
    ) -> Link:
        _check_types(port, array, link.array)
        place = self._place(port, array)
        if not link.tiler and not self.space_known:
            raise Mistake
        if link.tiler:
            tiler = resolve_tiler(link.tiler, place, self.definitions)
        else:
            tiler = plain_tiler(place, link.span, skipped)
        return Link(port.name, array.name, tiler, link.span)

    def _place(self, port: Port, array: Port) -> TilerContext:
        return TilerContext(array.name, array.shape, self.space, port.name, port.shape)

    def _callee_port(self, name: syntax.Name, ports: tuple[Port, ...], direction: str) -> Port:
        hint = "inputs are linked with '<-', outputs with '->'"
        return _port_named(name, ports, self.callee, direction, self.repeat.callee.text, hint)

    def _own_array(self, name: syntax.Name, ports: tuple[Port, ...], direction: str) -> Port:
        if name.text in self.definitions.broken:
            raise Mistake
        return own_array(name, self.task, self.own, ports, direction)

    def _delay(self, link: syntax.DelayLink, mistakes: Mistakes) -> Delay:
        port = self._callee_port(link.port, self.callee.declared, "input")
        output = self._callee_port(link.output, self.callee.outputs, "output")
        if (port.type, port.shape) != (output.type, output.shape):
            message = f"'{shown_port(port)}' cannot take '{shown_port(output)}' of an earlier instance"
            raise mistake("delay-mismatch", message, link.span, "both ports need the same element type and shape")
        zero = "a delay of zero would make an instance wait for itself"
        vector = self._vector(link.vector, zero, "name the distance to an earlier instance")
        acts = all(extent is None or abs(step) < extent for step, extent in zip(vector, self.space, strict=True))
        if not acts:
            mistakes.append(_never_acts(link, self.space))
        return Delay(port.name, output.name, vector, self._default(link, port), acts, link.span)

    def _vector(self, written: syntax.Vector, zero: str, hint: str) -> tuple[int, ...]:
        """A distance between instances; `zero` says why it is not 0."""
        vector = tuple(self.definitions.constants.integer(item, "a delay") for item in written.items)
        if len(vector) != len(self.space):
            message = f"a delay of rank {len(vector)} in a repetition space of rank {len(self.space)}"
            raise mistake("rank-mismatch", message, written.span, "a delay has one entry per repetition dimension")
        if not any(vector):
            raise mistake("zero-delay", zero, written.span, f"{hint}, as in [0, 1]")
        return vector

    def _default(self, link: syntax.DelayLink, port: Port) -> ConstValue | TiledDefault:
        if isinstance(link.default, syntax.TiledDefault):
            array = self._own_array(link.default.array, self.own.inputs, "input")
            _check_types(port, array, link.default.array)
            tiler = resolve_tiler(link.default.tiler, self._place(port, array), self.definitions)
            return TiledDefault(array.name, tiler, link.default.span)
        value = self.definitions.constants.evaluate(link.default)
        check_stored(value, port.type, link.default.span)
        return value


def resolve_border(written: syntax.Border, tiler: Tiler, port: Port, definitions: Definitions) -> Border:
    """What is read beyond the ends of an array. Raises Mistake (`two-borders`, or what the constant has)."""
    if tiler.wrap:
        message = "a tiler that wraps never leaves its array, so nothing is read from this border"
        raise mistake("two-borders", message, written.span, "remove 'wrap' from the tiler, or the border")
    border = border_of(written, definitions)
    if border.is_constant:
        check_stored(border.value, port.type, written.span)
    return border


def border_of(written: syntax.Border, definitions: Definitions) -> Border:
    """The mode or the constant's value. Raises Mistake where the constant is none."""
    if isinstance(written, syntax.BorderMode):
        return Border(written.mode)
    return Border(CONSTANT, definitions.constants.evaluate(written))


def _leaves(tiler: Tiler, extents: Shape, array: Port) -> bool:
    """Whether any repetition, of any place in its pattern, lies beyond a finite axis; `extents` are those of both."""
    for origin, paving, fitting, size in zip(tiler.origin, tiler.paving, tiler.fitting, array.shape, strict=True):
        factors = [(factor, extent) for factor, extent in zip((*paving, *fitting), extents, strict=True) if factor]
        if size is not None and any(extent is None for _, extent in factors):
            return True
        least, most = reached(origin, (factor * (extent - 1) for factor, extent in factors if extent is not None))
        if size is not None and not 0 <= least <= most < size:
            return True
    return False


def _never_reached(border: syntax.Border, array: Port) -> Diagnostic:
    inside = f"{'the finite dimensions of ' if None in array.shape else ''}'{array.name}'"
    shape = shown_shape(array.shape) or "one element"
    return Diagnostic(
        "border-never-acts",
        f"every instance stays inside {inside} of {shape}: the border is never read",
        border.span,
        "remove the border, or move the origin so that windows reach past the edges",
        Severity.WARNING,
    )


def _check_types(port: Port, array: Port, written: syntax.Name) -> None:
    if port.type is not array.type:
        message = f"'{array.name}' holds {array.type}, port '{port.name}' takes {port.type}"
        raise mistake("type-mismatch", message, written.span, "declare both with the same element type")


def _never_acts(link: syntax.DelayLink, space: Shape) -> Diagnostic:
    return Diagnostic(
        "delay-never-acts",
        f"the delay is as long as the repetition space {shown_shape(space)}: every instance takes the default",
        link.vector.span,
        "shorten the delay, or feed the port with the default alone",
        Severity.WARNING,
    )
