"""From a path to a checked specification: load, then every check on what could be resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arrayol.checks.bodies import check_body
from arrayol.checks.check import check_tilers
from arrayol.checks.delays import check_delays
from arrayol.errors import ArrayolError, Diagnostic, Severity, error
from arrayol.ir.spec import Elementary, RepetitiveTask, Spec
from arrayol.language.fragment import DELAYS, OUTPUTS, PORTS
from arrayol.language.hints import did_you_mean
from arrayol.language.loader import Loaded, Settings, load, load_again, load_source
from arrayol.language.resolve import Resolved
from arrayol.source import SourceFile


@dataclass(frozen=True, slots=True)
class Checked:
    """A specification as it was loaded and everything found in it, sorted by place."""

    loaded: Loaded
    diagnostics: tuple[Diagnostic, ...]

    @property
    def spec(self) -> Spec:
        return self.loaded.spec

    @property
    def ok(self) -> bool:
        """Whether there is no error; warnings do not count."""
        return all(found.severity is Severity.WARNING for found in self.diagnostics)


def check(path: Path, settings: Settings | None = None) -> Checked:
    """Load and check a file and its imports. Raises ArrayolError only where the file or a setting cannot be used."""
    return check_loaded(load(path, settings))


def check_source(source: SourceFile, settings: Settings | None = None) -> Checked:
    """Check a text that is already in memory, as what `spec_text` gives; as `check` otherwise."""
    return check_loaded(load_source(source, settings))


def check_loaded(loaded: Loaded) -> Checked:
    """Every check on what was loaded."""
    found = [*loaded.diagnostics, *_semantic(loaded.resolved)]
    return Checked(loaded, tuple(sorted(found, key=lambda diagnostic: diagnostic.sort_key)))


def load_checked(path: Path, settings: Settings | None = None) -> Spec:
    """A specification without errors. Raises ArrayolError with all of them."""
    return load_sound(path, settings).spec


def load_sound(path: Path, settings: Settings | None = None) -> Loaded:
    """What was loaded, without errors. Raises ArrayolError with all of them."""
    return sound(load(path, settings))


def check_again(spec: Spec, settings: Settings) -> Spec:
    """A sound specification with other settings, evaluated and checked anew: its file is not read again.

    Raises ArrayolError as `load_again` does, and with all errors.
    """
    return sound(load_again(spec, settings)).spec


def sound(loaded: Loaded) -> Loaded:
    """What was loaded, if there is no error in it. Raises ArrayolError with all of them."""
    checked = check_loaded(loaded)
    if not checked.ok:
        raise ArrayolError(found for found in checked.diagnostics if found.severity is Severity.ERROR)
    return loaded


def _semantic(resolved: Resolved) -> Iterator[Diagnostic]:
    """The exact checks on everything that could be resolved, beside what could not."""
    for fragment in resolved.fragments:
        component = fragment.component
        if isinstance(component, Elementary):
            yield from check_body(component, whole=fragment.whole)
        elif isinstance(component, RepetitiveTask):
            callee = resolved.signatures[component.callee]
            yield from check_tilers(component, callee, all_outputs=not fragment.damaged & {OUTPUTS, PORTS})
            if DELAYS not in fragment.damaged:
                yield from check_delays(component)


def choose_top(spec: Spec, name: str | None) -> str:
    """The task to work on: the named one, or the one task that nothing calls.

    Raises ArrayolError where the name is unknown, or where none is given and there is not exactly one top task.
    """
    if name is not None:
        if name in spec.components:
            return name
        hint = did_you_mean(name, spec.components) or f"its tasks are {', '.join(spec.tasks)}"
        raise error("unknown-task", f"there is no task '{name}'", hint=hint, file=spec.name)
    if len(spec.tops) == 1:
        return spec.tops[0]
    if not spec.tops:
        raise error(
            "no-top-task",
            "the specification holds no task",
            hint="add one, or name an elementary with --top",
            file=spec.name,
        )
    names = ", ".join(spec.tops)
    raise error("several-top-tasks", f"nothing calls {names}", hint="name the one you mean with --top", file=spec.name)
