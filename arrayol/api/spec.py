"""Specifications: loaded from files or models, and written as text or JSON."""

from __future__ import annotations

from pathlib import Path

from arrayol.checks.check import check_again, check_source, load_checked, load_sound, sound
from arrayol.ir.spec import Spec
from arrayol.ir.syntax import Specification
from arrayol.language import emitter
from arrayol.language.json_writer import document_of, json_text
from arrayol.language.loader import Loaded, load_again, load_source
from arrayol.language.namespace import read_source
from arrayol.language.settings import Settings
from arrayol.language.specifications import model_text, read_model, require_shallow
from arrayol.source import SourceFile

# A specification, its model, or the path of its file: text of the language, or JSON.
Source = Spec | Specification | Path | str
BUILT = "<specification>"  # the name, in messages, of the text of a model that was built in Python


def load(spec: Source, settings: Settings | None = None) -> Spec:
    """A specification without errors, with consts set by name.

    One that was loaded is evaluated and checked anew with `settings` beside those that it has; its file is not read
    again. Raises ArrayolError with every mistake, `made-by-steps` for `settings` of one that steps made.
    """
    if isinstance(spec, Specification):
        return loaded_of(spec, settings).spec
    if not isinstance(spec, Spec):
        return load_checked(Path(spec), settings)
    return check_again(spec, {**spec.settings, **settings}) if settings else spec


def loaded_of(spec: Source, settings: Settings | None = None) -> Loaded:
    """A specification with its definitions as written. Raises ArrayolError as `load` does."""
    if isinstance(spec, Specification):
        return sound(load_source(SourceFile(BUILT, model_text(spec)), settings))
    if not isinstance(spec, Spec):
        return load_sound(Path(spec), settings)
    if settings or spec.items:
        again = load_again(spec, {**spec.settings, **(settings or {})})
        return sound(again) if settings else again
    return check_source(SourceFile(spec.name, spec_text(spec))).loaded


def model_of(spec: Source) -> Specification:
    """The model of a specification as it is written: with its consts, parameters and imports, before any is evaluated.

    That of a loaded one has its numbers, as `spec_text` writes it. Raises ArrayolError for mistakes of form.
    """
    if isinstance(spec, Specification):
        return spec
    if isinstance(spec, Spec):
        return read_model(SourceFile(spec.name, emitter.spec_text(spec)))
    return read_model(read_source(Path(spec)))


def spec_text(spec: Spec | Specification) -> str:
    """Canonical text; of a loaded specification with imports inlined, and consts as their numbers."""
    return model_text(spec) if isinstance(spec, Specification) else emitter.spec_text(spec)


def spec_json(spec: Source) -> str:
    """A specification as JSON text, see `model_of`: what every command and function reads in the place of text."""
    found = model_of(spec)
    require_shallow(found)
    return json_text(document_of(found))


def file_of(spec: Source) -> Path:
    """The path of a specification's file, beside which its platform lies."""
    return Path(spec) if isinstance(spec, str | Path) else Path(spec.name if isinstance(spec, Spec) else BUILT)
