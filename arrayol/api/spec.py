"""Specifications: loaded from files, and written as text."""

from __future__ import annotations

from pathlib import Path

from arrayol.checks.check import check_again, check_source, load_checked, load_sound, sound
from arrayol.ir.spec import Spec
from arrayol.language.emitter import spec_text
from arrayol.language.loader import Loaded, load_again
from arrayol.language.settings import Settings
from arrayol.source import SourceFile

__all__ = ["Source", "load", "loaded_of", "spec_text"]

Source = Spec | Path | str  # a specification, or the path of its file


def load(spec: Source, settings: Settings | None = None) -> Spec:
    """A specification without errors, with consts set by name.

    One that was loaded is evaluated and checked anew with `settings` beside those that it has; its file is not read
    again. Raises ArrayolError with every mistake, `made-by-steps` for `settings` of one that steps made.
    """
    if not isinstance(spec, Spec):
        return load_checked(Path(spec), settings)
    return check_again(spec, {**spec.settings, **settings}) if settings else spec


def loaded_of(spec: Source, settings: Settings | None = None) -> Loaded:
    """A specification with its definitions as written. Raises ArrayolError as `load` does."""
    if not isinstance(spec, Spec):
        return load_sound(Path(spec), settings)
    if settings or spec.items:
        again = load_again(spec, {**spec.settings, **(settings or {})})
        return sound(again) if settings else again
    return check_source(SourceFile(spec.name, spec_text(spec))).loaded
