"""From a path to a resolved specification: read, parse, import, define, resolve."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from arrayol.errors import Diagnostic, error
from arrayol.ir import syntax
from arrayol.ir.spec import Component, ConstArray, Elementary, Spec
from arrayol.language.bodies import resolve_body
from arrayol.language.compounds import resolve_compound
from arrayol.language.const_arrays.arrays import with_const_arrays
from arrayol.language.kept import Kept, Same, attempts
from arrayol.language.namespace import Definitions, Gathered, define, gather, read_source, unused
from arrayol.language.parameters.copies import in_copies
from arrayol.language.parameters.expansion import Found, Presets, with_copies
from arrayol.language.repetitions import resolve_repetition
from arrayol.language.settings import Settings, values_set, with_arrays_set
from arrayol.language.syntax.diagnose import Mistake, Mistakes, mistake
from arrayol.language.syntax.tree import names_used, nodes_in
from arrayol.language.tasks import BODY, Fragment, TaskSignature, resolve_signature
from arrayol.source import SourceFile

# From definitions to the resolved components of a specification.

_EXTERN = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Every component as far as it could be resolved, and the signatures of all whose ports are sound."""

    fragments: tuple[Fragment, ...]
    signatures: Mapping[str, TaskSignature]

    @property
    def components(self) -> dict[str, Component]:
        """The components without mistakes, by name, in textual order."""
        return {fragment.component.name: fragment.component for fragment in self.fragments if fragment.whole}


def resolve_components(
    definitions: Definitions, circular: set[str], found: Found, kept: Kept | None = None
) -> Resolved:
    """Resolve every elementary and task, and every copy of those with parameters, but those that call themselves.

    Mistakes are noted by what has them, and what is sound beside them is kept.
    """
    items = list(_resolvable(definitions))
    tables = _tables_read(items, definitions)
    signatures: dict[str, TaskSignature] = {}
    attempt = attempts(kept, definitions, "signatures")
    for item in items:
        name = item.name.text
        own, read = found.setdefault(name, Mistakes()), tables[name]
        step = partial(resolve_signature, item, read, definitions, own)
        signature = attempt(own, item, tuple(map(Same, read)), step)
        if signature is not None:
            signatures[name] = signature
    fragments: list[Fragment] = []
    attempt = attempts(kept, definitions, "fragments")
    for item in items:
        own = found[item.name.text]
        ports = tuple(signatures.get(name) for name in (item.name.text, *_callees(item)))
        fragment = attempt(own, item, ports, partial(_fragment, item, signatures, definitions, own))
        if fragment is not None and item.name.text not in circular:
            fragments.append(fragment)
    return Resolved(tuple(fragments), signatures)


def _resolvable(definitions: Definitions) -> Iterator[syntax.Elementary | syntax.Task]:
    """The elementaries and tasks in textual order, copies in the place of a definition with parameters."""
    copies: dict[str, list[syntax.Elementary | syntax.Task]] = {}
    for copied in definitions.copies.values():
        copies.setdefault(copied.copy.definition, []).append(copied.item)
    for name, item in definitions.by_name.items():
        if isinstance(item, (syntax.Elementary, syntax.Task)):
            yield from copies.get(name, ()) if item.parameters else (item,)


def _callees(item: syntax.Elementary | syntax.Task) -> tuple[str, ...]:
    return syntax.callees(item) if isinstance(item, syntax.Task) else ()


def _fragment(
    item: syntax.Elementary | syntax.Task,
    signatures: Mapping[str, TaskSignature],
    definitions: Definitions,
    mistakes: Mistakes,
) -> Fragment:
    if isinstance(item, syntax.Elementary):
        return _elementary(item, signatures.get(item.name.text), definitions, mistakes)
    if isinstance(item.content, syntax.Repeat):
        return resolve_repetition(item, item.content, signatures, definitions, mistakes)
    return Fragment(resolve_compound(item, item.content, signatures, definitions, mistakes))


def _elementary(
    item: syntax.Elementary, signature: TaskSignature | None, definitions: Definitions, mistakes: Mistakes
) -> Fragment:
    if signature is None:
        raise Mistake
    if item.extern is not None and not _EXTERN.fullmatch(item.extern):
        message = f"'{item.extern}' does not name a Python callable"
        raise mistake("bad-extern", message, item.span, 'write it as extern "package.module:function"')
    body = None if item.body is None else resolve_body(item.body, signature, definitions, mistakes)
    component = Elementary(
        item.name.text,
        signature.inputs,
        signature.outputs,
        body.statements if body else None,
        item.extern,
        item.name.span,
        body.locals if body else (),
    )
    return Fragment(component, frozenset() if body is None or body.whole else frozenset({BODY}))


def _check_circles(definitions: Definitions, mistakes: Mistakes) -> set[str]:
    """Names of the tasks that call each other in a circle, each circle told once."""
    tasks = {name: item for name, item in definitions.by_name.items() if isinstance(item, syntax.Task)}
    calls = {name: sorted({*syntax.callees(item)} & tasks.keys()) for name, item in tasks.items()}
    circular: set[str] = set()
    while True:
        try:
            TopologicalSorter(calls).prepare()
        except CycleError as failure:
            circle: list[str] = failure.args[1][::-1]
            first = tasks[circle[0]]
            message = f"tasks call each other in a circle: {' -> '.join(circle)}"
            hint = "a task is made of simpler ones; a value of an earlier instance comes through a delay"
            mistakes.report("task-cycle", message, first.name.span, hint)
            circular.update(circle)
            calls = {name: [used for used in uses if used not in circular] for name, uses in calls.items()}
            calls = {name: uses for name, uses in calls.items() if name not in circular}
        else:
            return circular


def _tables_read(
    items: list[syntax.Elementary | syntax.Task], definitions: Definitions
) -> dict[str, tuple[ConstArray, ...]]:
    """The const arrays that each component reads, itself or in what it calls, in textual order."""
    if not definitions.tables:
        return {item.name.text: () for item in items}
    read: dict[str, set[str]] = {}
    for item in items:
        names = {node.text for node in nodes_in(item) if isinstance(node, syntax.Name)} & definitions.tables.keys()
        if isinstance(item, syntax.Elementary):
            names = {name for name in names if definitions.tables[name].number is None}
        read[item.name.text] = names
    calls = {item.name.text: {*_callees(item)} & read.keys() for item in items}
    changed = True
    while changed:
        more = {
            name: set().union(*(read[callee] for callee in callees)) - read[name] for name, callees in calls.items()
        }
        for name, names in more.items():
            read[name] |= names
        changed = any(more.values())
    return {
        name: tuple(table for table in definitions.tables.values() if table.name in names)
        for name, names in read.items()
    }


@dataclass(frozen=True, slots=True)
class Loaded:
    """A specification as far as it could be understood: components with mistakes are left out."""

    spec: Spec
    definitions: Definitions
    resolved: Resolved
    diagnostics: tuple[Diagnostic, ...]


def load(path: Path, settings: Settings | None = None) -> Loaded:
    """Read and resolve a file and its imports.

    `settings` replaces the values of consts (`--set NAME=VALUE`). Raises ArrayolError where the file cannot be read or
    a setting names no const; every other mistake is in the result.
    """
    return load_source(read_source(path), settings)


def load_source(source: SourceFile, settings: Settings | None = None, kept: Kept | None = None) -> Loaded:
    """Resolve a text that is already in memory, under the name it has; as `load` otherwise.

    `kept` has what the last text of an editor gave, and then what this one gives. Spans of both are those of this one.
    """
    mistakes = Mistakes()
    if kept is not None:
        kept.turn()
    gathered = gather(source, mistakes, None if kept is None else kept.readings)
    return _resolved(source.name, gathered, settings, mistakes, kept=kept)


def load_again(spec: Spec, settings: Settings, *, same_names: bool = False) -> Loaded:
    """A sound specification resolved anew with these settings in the place of its own, from what was parsed for it.

    With `same_names` copies that are used alike keep the names that they have, whatever their values are now.
    Raises ArrayolError: `made-by-steps` for one that was never parsed, and for settings as `load` does.
    """
    if not spec.items:
        hint = "set them where the file is loaded, and take the steps then"
        raise error("made-by-steps", "steps made this specification: it has no consts", file=spec.name, hint=hint)
    uses = ((name, copy.definition, use) for name, copy in spec.copies.items() for use in copy.uses)
    presets = {(definition, use): name for name, definition, use in uses if use is not None} if same_names else None
    return _resolved(spec.name, Gathered(list(spec.items)), settings, Mistakes(), presets, spec.files_set)


def _resolved(
    name: str,
    gathered: Gathered,
    settings: Settings | None,
    mistakes: Mistakes,
    presets: Presets | None = None,
    former: Settings | None = None,
    kept: Kept | None = None,
) -> Loaded:
    """The specification of that name that the definitions make.

    `presets` are names of copies, `former` the settings that replaced const arrays in the definitions before.
    """
    values = values_set(settings or {}, gathered.items, gathered.broken, name)
    items, arrays = with_arrays_set(settings or {}, gathered.items, name, former or {})
    definitions = with_const_arrays(define(items, values, frozenset(gathered.broken), mistakes), mistakes, kept)
    circular = _check_circles(definitions, mistakes)
    found: Found = {}
    definitions = with_copies(definitions, circular, presets or {}, found)
    resolved = resolve_components(definitions, circular, found, kept)
    copies = {name: copied.copy for name, copied in definitions.copies.items()}
    mistakes += in_copies(found, copies)
    mistakes += unused(items, name, mistakes, names_used if kept is None else kept.names_in)
    constants, tables = definitions.constants.values, definitions.tables
    spec = Spec(name, constants, resolved.components, {**values, **arrays}, tuple(items), tables, copies)
    return Loaded(spec, definitions, resolved, tuple(mistakes))
