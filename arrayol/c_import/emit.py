"""The specification of a scop: a task for each stage, and one that calls them; a write makes a version of an array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayol.c_import.bodies import BodyText, LinkedPort, axes_text, indented, shape_text, zero_of
from arrayol.c_import.forms import form_text
from arrayol.c_import.model import Form, Scop, Variable
from arrayol.c_import.plans import Stage
from arrayol.ir.affine import Affine


@dataclass(frozen=True)
class _EmittedTask:
    """A task that stands in the text: its name, the arrays that it takes, those before the stage, and what it gives."""

    name: str
    reads: tuple[str, ...]
    before: tuple[str, ...]
    writes: tuple[str, ...]


@dataclass
class Writer:
    """The text of one scop."""

    scop: Scop
    file: str
    texts: list[str] = field(default_factory=list)
    indices: dict[str, str] = field(default_factory=dict)  # extent -> the const array that counts it
    tasks: list[tuple[Stage, str]] = field(default_factory=list)  # that a network has

    def __post_init__(self) -> None:
        self.taken = {*self.scop.variables, *self.scop.consts}
        for statement in self.scop.statements:
            self.taken |= {loop.name for loop in statement.loops}
        self.before = {array: self._free(f"{array}_in") for array in self.scop.variables}

    def text(self, stages: Sequence[Stage]) -> str:
        """The whole file."""
        name = self._fresh(self.scop.name)
        variables = self.scop.variables.values()
        known = frozenset(one.name for one in variables if not one.local or one.is_const)
        outputs = [one.name for one in variables if not one.local and not one.is_const and (one.dims or one.state)]
        self._block(name, stages, self.scop.variables, known, outputs)
        consts = [f"const {name} = {text}" for name, text in self.scop.consts.items()]
        consts += [f"const {one.name}: {_type(one)} = {_values(one)}" for one in variables if one.is_const]
        place = self._fresh("n")
        counts = [f"const {name}: i32[{end}] = [{place} for {place} in 0..{end}]" for end, name in self.indices.items()]
        return "\n\n".join(["\n".join([f"# From {self.file}.", *consts, *counts]), *self.texts]) + "\n"

    def _fresh(self, name: str) -> str:
        base, number = name, 2
        while name in self.taken:
            name, number = f"{base}_{number}", number + 1
        self.taken.add(name)
        return name

    def _free(self, name: str) -> str:
        """A name for a version of an array: no variable, const or loop of the C has it."""
        while name in self.taken:
            name += "_"
        return name

    # Tasks that call others.

    def _block(
        self,
        name: str,
        stages: Sequence[Stage],
        variables: Mapping[str, Variable],
        known: frozenset[str],
        outputs: Sequence[str],
    ) -> _EmittedTask:
        """A task of calls; `known` arrays have a value before it, `outputs` are what others see of it."""
        last = {array: place for place, stage in enumerate(stages) for array in stage.written}
        current: dict[str, str] = {}
        needed: dict[str, str] = {}
        versions: dict[str, int] = {}
        calls: list[str] = []
        for place, stage in enumerate(stages):
            made = self._stage(stage, variables, frozenset({*known, *current}))
            arguments = []
            for array in (*made.reads, *made.before):
                if variables[array].is_const:
                    continue
                if array not in current:
                    current[array] = needed[array] = self.before[array] if array in last else array
                arguments.append(current[array])
            for array in made.writes:
                versions[array] = versions.get(array, 0) + 1
                current[array] = array if last[array] == place else self._free(f"{array}_{versions[array]}")
            results = ", ".join(current[array] for array in made.writes)
            calls.append(
                f"{results if len(made.writes) == 1 else f'({results})'} = {made.name}({', '.join(arguments)})"
            )
        shown = tuple(array for array in outputs if array in last)
        needed = {array: needed[array] for array in variables if array in needed}  # in the order of the function
        inputs = [f"{new}: {_type(variables[array])}" for array, new in needed.items()]
        results = ", ".join(f"{array}: {_type(variables[array])}" for array in shown)
        self.texts.append("\n".join([f"task {name}({', '.join(inputs)}) -> ({results}) {{", *indented(calls), "}"]))
        reads = tuple(array for array in needed if array not in last)
        return _EmittedTask(name, reads, tuple(array for array in needed if array in last), shown)

    def _stage(self, stage: Stage, variables: Mapping[str, Variable], known: frozenset[str]) -> _EmittedTask:
        name = self._fresh(f"{self.scop.name}_{stage.statements[0].number}")
        if stage.steps:
            return self._steps(name, stage, variables, known)
        self.tasks.append((stage, name))
        body = BodyText(stage, variables, self.scop.consts, self.taken, known, self.before)
        inner = self._fresh(f"{name}_body") if stage.axes else name
        self.texts.append(self._elementary(inner, stage, body))
        if stage.axes:
            self.texts.append(self._repetition(name, inner, stage, body, variables))
        tables = {one.name for one in variables.values() if one.is_const}
        reads = dict.fromkeys(port.array for port in body.ports if port.source == "read" and port.array not in tables)
        before = dict.fromkeys(port.array for port in body.ports if port.source == "before")
        if not stage.axes:  # ports are the arguments, in their order
            assert len(reads) + len(before) == sum(port.source in {"read", "before"} for port in body.ports)
        return _EmittedTask(name, tuple(reads), tuple(before), tuple(stage.written))

    def _elementary(self, name: str, stage: Stage, body: BodyText) -> str:
        order = ("index", "delay", "read", "before")
        inputs = sorted(
            (port for port in body.ports if port.source not in {"write", "state"}),
            key=lambda one: order.index(one.source),
        )
        if not stage.axes:
            inputs = sorted(inputs, key=lambda one: one.source == "before")
        outputs = [port for port in body.ports if port.source in {"write", "state"}]
        head = f"elementary {name}({_signature(inputs)}) -> ({_signature(outputs)}) {{"
        return "\n".join([f"# {_lines(stage.lines)}", head, *indented(body.lines), "}"])

    # Repetitions.

    def _repetition(
        self, name: str, inner: str, stage: Stage, body: BodyText, variables: Mapping[str, Variable]
    ) -> str:
        links = []
        for port in body.ports:
            match port.source:
                case "delay":
                    links.append(
                        f"{port.name} <- {port.array} delay [{', '.join(map(str, port.delay))}] else {port.default}"
                    )
                case "state":
                    continue
                case "index":
                    axis = body.axes[port.array]
                    link = self._link(port, (axis.extent,), stage)
                    links.append(f"{port.name} <- {self._count(axis.extent)}{link}")
                case "write":
                    links.append(f"{port.name} -> {port.array}{self._link(port, variables[port.array].dims, stage)}")
                case _:
                    array = self.before[port.array] if port.source == "before" else port.array
                    links.append(f"{port.name} <- {array}{self._link(port, variables[port.array].dims, stage)}")
        reads = dict.fromkeys(port.array for port in body.ports if port.source == "read")
        before = dict.fromkeys(port.array for port in body.ports if port.source == "before")
        inputs = [f"{one}: {_type(variables[one])}" for one in reads if not variables[one].is_const]
        inputs += [f"{self.before[one]}: {_type(variables[one])}" for one in before]
        outputs = [f"{one}: {_type(variables[one])}" for one in stage.written]
        head = f"task {name}({', '.join(inputs)}) -> ({', '.join(outputs)}) {{"
        repeat = [f"repeat {axes_text(stage.axes)} of {inner} {{", *indented(links), "}"]
        return "\n".join([head, *indented(repeat), "}"])

    def _count(self, extent: Form) -> str:
        """The const array of the numbers below an extent."""
        text = form_text(extent)
        if text not in self.indices:
            self.indices[text] = self._fresh(f"count_{len(self.indices) + 1}")
        return self.indices[text]

    def _link(self, port: LinkedPort, dims: Sequence[Form], stage: Stage) -> str:
        """The tiler of a link; nothing where it is the obvious one."""
        if _is_plain(port, dims, [axis.extent for axis in stage.axes]):
            return ""
        return f" at {_tiler(port.origin, port.paving, port.fitting)}" + (f" {port.border}" if port.border else "")

    # Loops in time.

    def _steps(self, name: str, stage: Stage, variables: Mapping[str, Variable], known: frozenset[str]) -> _EmittedTask:
        """A step as a task, and its repetition: each takes the arrays of the one before."""
        assert stage.time is not None
        inside = {
            array: replace(one, dims=_without(one.dims, stage.sliced[array][0])) if array in stage.sliced else one
            for array, one in variables.items()
        }
        inner = frozenset({*known, *stage.written})
        if len(stage.steps) == 1:
            made = self._stage(stage.steps[0], inside, inner)
        else:
            made = self._block(self._fresh(f"{name}_step"), stage.steps, inside, inner, stage.written)
        links, inputs = [], []
        for array in made.reads:
            inputs.append(f"{array}: {_type(variables[array])}")
            links.append(f"{array} <- {array}{self._slice(stage, array, variables[array])}")
        for array in made.before:
            rank = len(variables[array].dims)
            default = zero_of(variables[array].type)
            if array in known:
                inputs.append(f"{self.before[array]}: {_type(variables[array])}")
                whole = tuple(tuple(int(row == column) for column in range(rank)) for row in range(rank))
                default = f"{self.before[array]} at {_tiler((Affine(),) * rank, ((0,),) * rank, whole)}"
            links.append(f"{self.before[array]} <- {array} delay [1] else {default}")
        links += [f"{array} delay [1] -> {array}" for array in made.writes]
        outputs = ", ".join(f"{array}: {_type(variables[array])}" for array in made.writes)
        extent = form_text(stage.time.high - stage.time.low)
        repeat = [f"repeat [{extent}] of {made.name} {{", *indented(links), "}"]
        self.texts.append("\n".join([f"task {name}({', '.join(inputs)}) -> ({outputs}) {{", *indented(repeat), "}"]))
        return _EmittedTask(name, made.reads, tuple(one for one in made.before if one in known), made.writes)

    def _slice(self, stage: Stage, array: str, variable: Variable) -> str:
        """The tiler of an array that is read slice by slice; nothing for one that is read whole."""
        assert stage.time is not None
        if array not in stage.sliced:
            return ""
        place, offset = stage.sliced[array]
        rank = len(variable.dims)
        origin = tuple(stage.time.low + offset if row == place else Affine() for row in range(rank))
        kept = [row for row in range(rank) if row != place]
        fitting = tuple(tuple(int(row == column) for column in kept) for row in range(rank))
        return f" at {_tiler(origin, tuple((int(row == place),) for row in range(rank)), fitting)}"


def _is_plain(port: LinkedPort, dims: Sequence[Form], extents: Sequence[Form]) -> bool:
    """Whether a link needs no tiler: the pattern lies along the last dimensions, of all or of one for each instance."""
    rank = len(dims) - len(port.shape)
    if port.border or any(form.terms or form.constant for form in port.origin) or tuple(dims[rank:]) != port.shape:
        return False
    if rank not in {0, len(extents)} or (rank and list(dims[:rank]) != list(extents)):
        return False
    paving = tuple(tuple(int(row == column < rank) for column in range(len(extents))) for row in range(len(dims)))
    fitting = tuple(tuple(int(row == rank + column) for column in range(len(port.shape))) for row in range(len(dims)))
    return port.paving == paving and port.fitting == fitting


def _tiler(origin: Sequence[Form], paving: Sequence[Sequence[int]], fitting: Sequence[Sequence[int]]) -> str:
    starts = ", ".join(map(form_text, origin))
    return f"origin [{starts}] paving {_matrix(paving)} fitting {_matrix(fitting)}"


def _matrix(rows: Sequence[Sequence[int]]) -> str:
    return f"[{'; '.join(', '.join(map(str, row)) for row in rows)}]" if any(rows) else "[]"


def _without(dims: tuple[Form, ...], place: int) -> tuple[Form, ...]:
    return dims[:place] + dims[place + 1 :]


def _values(variable: Variable) -> str:
    """The formula of a const array, or its values in rows."""
    if variable.formula:
        return variable.formula
    extent = variable.dims[-1].number if variable.dims else 1
    assert extent is not None
    rows = [variable.table[start : start + extent] for start in range(0, len(variable.table), extent)]
    return f"[{'; '.join(', '.join(row) for row in rows)}]"


def _type(variable: Variable) -> str:
    return f"{variable.type}{shape_text(variable.dims)}"


def _signature(ports: Sequence[LinkedPort]) -> str:
    return ", ".join(f"{port.name}: {port.type}{shape_text(port.shape)}" for port in ports)


def _lines(lines: Sequence[int]) -> str:
    if len(lines) == 1:
        return f"Line {lines[0]}."
    return (
        f"Lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}."
        if len(lines) < 4
        else f"Lines {lines[0]} to {lines[-1]}."
    )
