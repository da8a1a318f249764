"""From a path to a resolved specification: read, parse, import, define, resolve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arrayol.errors import Diagnostic, error
from arrayol.ir import syntax
from arrayol.ir.model import ConstValue, Spec
from arrayol.language.definitions import define
from arrayol.language.hints import did_you_mean
from arrayol.language.imports import gather
from arrayol.language.mistake import Mistakes
from arrayol.language.resolve import resolve_components


@dataclass(frozen=True, slots=True)
class Loaded:
    """A specification as far as it could be understood: components with mistakes are left out."""

    spec: Spec
    diagnostics: tuple[Diagnostic, ...]


def load(path: Path, settings: Mapping[str, ConstValue] | None = None) -> Loaded:
    """Read and resolve a file and its imports.

    `settings` replaces the values of consts (`--set NAME=VALUE`). Raises ArrayolError where the file cannot be read or
    a setting names no const; every other mistake is in the result.
    """
    mistakes = Mistakes()
    gathered = gather(path, mistakes)
    consts = {item.name.text for item in gathered.items if isinstance(item, syntax.Const)}
    _check_settings(settings or {}, consts | gathered.broken, str(path))
    definitions = define(gathered.items, settings or {}, frozenset(gathered.broken), mistakes)
    components = resolve_components(definitions, mistakes)
    return Loaded(Spec(str(path), definitions.constants.values, components), tuple(mistakes))


def _check_settings(settings: Mapping[str, ConstValue], consts: set[str], name: str) -> None:
    for setting in settings:
        if setting not in consts:
            hint = did_you_mean(setting, consts) or f"its consts are {', '.join(sorted(consts)) or 'none'}"
            raise error("unknown-setting", f"there is no const '{setting}' to set", hint=hint, file=name)
