"""From a path to a resolved specification: read, parse, import, define, resolve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arrayol.errors import Diagnostic, error
from arrayol.ir import syntax
from arrayol.ir.spec import ConstValue, Spec
from arrayol.language.diagnose import Mistake, Mistakes
from arrayol.language.evaluate import Constants
from arrayol.language.hints import did_you_mean
from arrayol.language.imports import Gathered, gather
from arrayol.language.namespace import Definitions, define
from arrayol.language.parser import parse
from arrayol.language.reader import read_source
from arrayol.language.resolve import Resolved, resolve_components
from arrayol.language.unused import unused
from arrayol.source import SourceFile

Settings = Mapping[str, ConstValue | str]  # values of consts by name; a text is an expression of numbers


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


def load_source(source: SourceFile, settings: Settings | None = None) -> Loaded:
    """Resolve a text that is already in memory, under the name it has; as `load` otherwise."""
    mistakes = Mistakes()
    return _resolved(source.name, gather(source, mistakes), settings, mistakes)


def load_again(spec: Spec, settings: Settings) -> Loaded:
    """A sound specification resolved anew with these settings in the place of its own, from what was parsed for it.

    Raises ArrayolError: `made-by-steps` for one that was never parsed, and for settings as `load` does.
    """
    if not spec.items:
        hint = "set them where the file is loaded, and take the steps then"
        raise error("made-by-steps", "steps made this specification: it has no consts", file=spec.name, hint=hint)
    return _resolved(spec.name, Gathered(list(spec.items)), settings, Mistakes())


def _resolved(name: str, gathered: Gathered, settings: Settings | None, mistakes: Mistakes) -> Loaded:
    """The specification of that name that the definitions make."""
    consts = {item.name.text for item in gathered.items if isinstance(item, syntax.Const)}
    known = consts | gathered.broken
    values = {const: _setting(const, value, known, name) for const, value in (settings or {}).items()}
    definitions = define(gathered.items, values, frozenset(gathered.broken), mistakes)
    resolved = resolve_components(definitions, mistakes)
    mistakes += unused(gathered.items, name, mistakes)
    spec = Spec(name, definitions.constants.values, resolved.components, values, tuple(gathered.items))
    return Loaded(spec, definitions, resolved, tuple(mistakes))


def _setting(name: str, value: ConstValue | str, consts: set[str], file: str) -> ConstValue:
    """The value of one setting; a text is read as the language reads an expression of numbers."""
    if name not in consts:
        hint = did_you_mean(name, consts) or f"its consts are {', '.join(sorted(consts)) or 'none'}"
        raise error("unknown-setting", f"there is no const '{name}' to set", hint=hint, file=file)
    if not isinstance(value, str):
        return value
    parsed = parse(SourceFile(f"--set {name}", f"const {name} = {value}"))
    items = parsed.tree.items
    hint = f"write a number, as in --set {name}=64"
    if parsed.diagnostics or len(items) != 1 or not isinstance(items[0], syntax.Const):
        raise error("bad-setting", f"'{value}' is not a value for const '{name}'", hint=hint, file=file)
    try:
        return Constants({}, frozenset(), {}).evaluate(items[0].value)
    except Mistake as failure:
        reason = failure.diagnostic.message if failure.diagnostic else "it has no value"
        message = f"'{value}' is not a value for const '{name}': {reason}"
        raise error("bad-setting", message, hint=hint, file=file) from None
