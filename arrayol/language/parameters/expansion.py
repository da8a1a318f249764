"""Elementaries and tasks with parameters: a copy for each distinct use, syntax to syntax, before names are resolved.

A use gives the values, or a call leaves them to be read off its arguments (`inference`). What a task uses is seen when
its own values are known, so copies are made as uses come up; calls form no circle, so this ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from typing import TypeVar

from arrayol.ir import syntax, trusted
from arrayol.ir.spec import Copy
from arrayol.language.namespace import Copied, Definitions
from arrayol.language.parameters.inference import Arrays, SizedArray, infer, tell_waiting
from arrayol.language.parameters.kinds import Definition, Kinds, Use, check_parameters, kinds_of, uses_in
from arrayol.language.parameters.names import check_unused
from arrayol.language.parameters.substitution import substituted
from arrayol.language.parameters.values import NOTHING, Binding, Parameter, ParameterValue, binding
from arrayol.language.syntax.diagnose import Mistake, Mistakes, mistake
from arrayol.language.syntax.printer import port_text
from arrayol.language.syntax.tree import nodes_in
from arrayol.source import Span
from arrayol.text import counted

MAXIMUM_COPIES = 10_000
UseT = TypeVar("UseT", syntax.Repeat, syntax.Call)
_LONGEST_NAME = 80  # characters of a copy's name, before it is numbered

UseOfConsts = tuple[syntax.Expr, ...] | None  # the values of a use by consts of the file
Presets = Mapping[tuple[str, tuple[syntax.Expr, ...]], str]  # names of copies by definition and values
Found = dict[str, Mistakes]  # by the name of the definition or copy that has them


def with_copies(definitions: Definitions, circular: set[str], presets: Presets, found: Found) -> Definitions:
    """The definitions with a copy for each distinct use of one with parameters; tasks name the copies that they use.

    `circular` are the tasks that call themselves, of which none is made. `presets` are names that copies of some values
    take. Mistakes go to `found`.
    """
    items = {name: item for name, item in definitions.by_name.items() if isinstance(item, Definition)}
    if not any(item.parameters or any(use.values for use in uses_in(item)) for item in items.values()):
        return definitions
    kinds = kinds_of(_callees_first(items, circular))
    sound: set[str] = set()
    for name in kinds:
        own = found.setdefault(name, Mistakes())
        check_parameters(items[name], kinds, definitions, own)
        if not own:
            sound.add(name)
    expanded = _Expansion(definitions, items, kinds, sound, presets, found).expanded()
    used = {copied.copy.definition for copied in expanded.copies.values()}
    for name in sound - used:
        if items[name].parameters:
            check_unused(items[name], definitions, found[name])
    return expanded


def _callees_first(items: Mapping[str, Definition], circular: set[str]) -> list[Definition]:
    """The items that no circle leads through, each after those that it uses."""
    used = {
        name: {use.callee.text for use in uses_in(item)} & (items.keys() - circular)
        for name, item in items.items()
        if name not in circular
    }
    return [items[name] for name in TopologicalSorter(used).static_order()]


@dataclass(slots=True)
class _ExpandedCopy:
    """A copy: what its parameters are, all its uses, and when its own uses have been seen the item."""

    definition: str
    values: tuple[str, ...]
    binding: Binding
    uses: dict[UseOfConsts, None]
    item: Definition | None = None


@dataclass
class _Expansion:
    """Copies while they are made. `sound` are the definitions of which copies can be made."""

    definitions: Definitions
    items: Mapping[str, Definition]
    kinds: Kinds
    sound: set[str]
    presets: Presets
    found: Found
    made: dict[str, _ExpandedCopy] = field(default_factory=dict)
    by_values: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    waiting: deque[str] = field(default_factory=deque)
    is_full: bool = False  # there are more copies than may be, and that is told

    def __post_init__(self) -> None:
        named = (node for item in self.definitions.by_name.values() for node in nodes_in(item))
        self.taken = {node.text for node in named if isinstance(node, syntax.Name)}

    def expanded(self) -> Definitions:
        """All definitions; those without parameters use copies, which may use others."""
        by_name = dict(self.definitions.by_name)
        for name, item in self.items.items():
            if not item.parameters:
                by_name[name] = self._linked(name, item, item, NOTHING)
        while self.waiting:
            name = self.waiting.popleft()
            copy = self.made[name]
            written = self.items[copy.definition]
            item = trusted.replace(substituted(written, copy.binding.exprs), parameters=())
            linked = self._linked(name, written, item, copy.binding)
            copy.item = trusted.replace(linked, name=trusted.Name(name, written.name.span))
        return replace(self.definitions, by_name=by_name, copies=dict(self._copies()))

    def _copies(self) -> Iterator[tuple[str, Copied]]:
        """The copies in the order of their definitions, then of their first uses."""
        places = {name: place for place, name in enumerate(self.items)}
        for name, made in sorted(self.made.items(), key=lambda entry: places[entry[1].definition]):
            assert made.item is not None
            yield name, Copied(made.item, Copy(made.definition, made.values, tuple(made.uses)))

    # What a task uses

    def _linked(self, name: str, written: Definition, item: Definition, own: Binding) -> Definition:
        """An item, its parameters replaced already, with what it uses by the names of copies; `written` has them."""
        mistakes = self.found.setdefault(name, Mistakes())
        if isinstance(written, syntax.Elementary) or isinstance(item, syntax.Elementary):
            return item
        if isinstance(written.content, syntax.Repeat):
            assert isinstance(item.content, syntax.Repeat)
            used = mistakes.attempt(lambda: self.used(written.content, own))  # type: ignore[arg-type]
            return _with_content(item, _naming(item.content, used[0] if used else None))
        assert not isinstance(item.content, syntax.Repeat)
        names = iter(_Calls(self, written, own, mistakes).names())
        content = tuple(_naming(part, next(names)) if isinstance(part, syntax.Call) else part for part in item.content)
        return _with_content(item, content)

    def used(self, use: Use, own: Binding, arguments: list[SizedArray] | None = None) -> tuple[str, Binding] | None:
        """What a repetition or call uses, by its name, and the values of its parameters.

        None where there is no such definition, or only one with mistakes. Raises Mistake.
        """
        name = use.callee.text
        item = self.items.get(name)
        if item is None:
            return None
        if not item.parameters:
            if use.values:
                message = f"'{name}' has no parameters, and here are values"
                raise mistake("wrong-arguments", message, use.callee.span, f"write '{name}' without brackets")
            return name, NOTHING
        if name not in self.sound:
            return None
        parameters = self.parameters(item)
        if arguments is not None and isinstance(use, syntax.Call):
            values = infer(use, item, parameters, arguments)
        else:
            values = self._written(use, parameters, own)
        return self._copy(item, values, use.callee.span)

    def parameters(self, item: Definition) -> tuple[Parameter, ...]:
        """The parameters of a definition with their kinds."""
        owner = item.name.text
        pairs = zip(item.parameters, self.kinds[owner], strict=True)
        return tuple(Parameter(name.text, is_type, owner) for name, is_type in pairs)

    def is_open(self, call: syntax.Call) -> bool:
        """Whether a call leaves values to be read off its arguments."""
        item = self.items.get(call.callee.text)
        return call.values is None and item is not None and bool(item.parameters) and item.name.text in self.sound

    def _written(self, use: Use, parameters: tuple[Parameter, ...], own: Binding) -> list[ParameterValue]:
        owner, names = parameters[0].owner, ", ".join(parameter.name for parameter in parameters)
        if use.values is None:
            message = f"'{owner}' has {counted(len(parameters), 'parameter')}, and no value is given"
            hint = f"write {owner}[{names}] with values; only calls may leave them out"
            raise mistake("wrong-arguments", message, use.callee.span, hint)
        if len(use.values) != len(parameters):
            message = f"'{owner}' has {counted(len(parameters), 'parameter')}, not {len(use.values)}"
            span = use.values[0].span.to(use.values[-1].span)
            raise mistake("wrong-arguments", message, span, f"its parameters are: {names}")
        pairs = zip(parameters, use.values, strict=True)
        return [parameter.read(value, own, self.definitions) for parameter, value in pairs]

    # Copies by their values

    def _copy(self, item: Definition, values: list[ParameterValue], span: Span) -> tuple[str, Binding]:
        """The copy of a definition for these values, made where there is none yet. Raises Mistake."""
        definition, texts = item.name.text, tuple(value.text for value in values)
        made_of = tuple(value.made_of for value in values if value.made_of is not None)
        use: UseOfConsts = made_of if len(made_of) == len(values) else None
        name = self.presets.get((definition, made_of)) if use else None
        if name is None or (name in self.made and self.made[name].values != texts):
            name = self.by_values.get((definition, texts)) or self._fresh(definition, texts)
        if name not in self.made:
            if len(self.made) == MAXIMUM_COPIES:
                if self.is_full:
                    raise Mistake
                self.is_full = True
                hint = "give fewer values, or write separate tasks"
                message = f"more than {MAXIMUM_COPIES:,} copies of definitions with parameters"
                raise mistake("too-many-copies", message, span, hint)
            self.made[name] = _ExpandedCopy(definition, texts, binding(item.parameters, values), {})
            self.by_values.setdefault((definition, texts), name)
            self.taken.add(name)
            self.waiting.append(name)
        self.made[name].uses[use] = None
        return name, self.made[name].binding

    def _fresh(self, definition: str, values: tuple[str, ...]) -> str:
        """A name that nothing has: `mac_3_16`, m for a minus, `_` for a point, numbered where it is taken."""
        words = "_".join(values).replace("-", "m").replace(".", "_").replace("+", "")
        name = plain = f"{definition}_{words}"[:_LONGEST_NAME]
        count = 1
        while name in self.taken or name in self.presets.values():
            count += 1
            name = f"{plain}_{count}"
        return name


def _naming(use: UseT, name: str | None) -> UseT:
    """The repetition or call with the name of what it uses in the place of values."""
    if name in (None, use.callee.text) and use.values is None:
        return use
    callee = use.callee if name is None else trusted.Name(name, use.callee.span)
    return trusted.replace(use, callee=callee, values=None)


def _with_content(task: syntax.Task, content: syntax.Repeat | tuple[syntax.Member, ...]) -> syntax.Task:
    """The task itself where it has that content already."""
    return task if content == task.content else trusted.replace(task, content=content)


@dataclass
class _Calls:
    """The calls of one compound task, while it comes out what they use."""

    expansion: _Expansion
    task: syntax.Task
    own: Binding
    mistakes: Mistakes

    def names(self) -> list[str | None]:
        """The name of what each call uses, None where that is as written, or cannot be said.

        Those with values come first, the others as soon as the shapes of all their arguments are known.
        """
        self.calls = [use for use in uses_in(self.task) if isinstance(use, syntax.Call)]
        self.arrays = Arrays(self.task, self.own, self.expansion.definitions)
        self.found: list[str | None] = [None] * len(self.calls)
        is_open = [self.expansion.is_open(call) for call in self.calls]
        for place in range(len(self.calls)):
            if not is_open[place]:
                self._use(place, None)
        self._infer([place for place in range(len(self.calls)) if is_open[place]])
        return self.found

    def _infer(self, places: list[int]) -> None:
        missing = {
            place: {part.name.text for part in self.calls[place].arguments if part.name.text not in self.arrays}
            for place in places
        }
        readers: dict[str, list[int]] = {}
        for place, names in missing.items():
            for name in names:
                readers.setdefault(name, []).append(place)
        ready = deque(place for place in places if not missing[place])
        while ready:
            place = ready.popleft()
            del missing[place]
            for name in self.mistakes.attempt(lambda place=place: self._inferred(place)) or ():  # type: ignore[misc]
                for reader in readers.get(name, ()):
                    missing[reader].discard(name)
                    if not missing[reader]:
                        ready.append(reader)
        tell_waiting(self.task, self.calls, missing.keys(), self.arrays, self.mistakes)

    def _inferred(self, place: int) -> list[str]:
        call = self.calls[place]
        ports = self.expansion.items[call.callee.text].signature.inputs
        if len(call.arguments) != len(ports):
            message = f"'{call.callee.text}' has {counted(len(ports), 'argument')}, not {len(call.arguments)}"
            hint = f"its arguments are: {', '.join(map(port_text, ports)) or 'none'}"
            raise mistake("wrong-arguments", message, call.span, hint)
        return self._use(place, [self.arrays.argument(part) for part in call.arguments])

    def _use(self, place: int, arguments: list[SizedArray] | None) -> list[str]:
        """Note what a call uses, and give the arrays whose shapes are known by it."""
        call = self.calls[place]
        used = self.mistakes.attempt(lambda: self.expansion.used(call, self.own, arguments))
        if used is None:
            return []
        self.found[place], values = used
        return list(self.arrays.enter(call, self.expansion.items[call.callee.text], values))
