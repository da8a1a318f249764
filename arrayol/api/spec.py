"""Specifications: loaded from files or models, and written as text or JSON."""

from __future__ import annotations

from pathlib import Path

from arrayol.checks.check import check_again, check_source, load_checked, load_sound, sound
from arrayol.ir.spec import Spec
from arrayol.ir.syntax import Specification
from arrayol.language import emitter
from arrayol.language.json.json_writer import document_of, json_text
from arrayol.language.loader import Loaded, load_again, load_source
from arrayol.language.namespace import model_text, read_model, read_source, require_shallow
from arrayol.language.settings import Settings
from arrayol.source import SourceFile

# A specification, its model, or the path of its file: text of the language, or JSON.
Source = Spec | Specification | Path | str
BUILT = "<specification>"  # the name, in messages, of the text of a model that was built in Python


def load(spec: Source, settings: Settings | None = None) -> Spec:
    """Read and check a specification, with consts set by name.

    - `spec`: the path of a file, a `Specification` built in Python, or a `Spec` that was loaded before. The last one is
      evaluated and checked anew with `settings` in addition to those that it has; its file is not read again.
    - `settings`: by name, a number or an expression for a const, or the path of a .npy file for a const array.

    Returns a `Spec`: free of errors, with all shapes as numbers. Raises ArrayolError with every mistake, and
    `made-by-steps` for `settings` of a specification that steps made.

    >>> api.load("conv3x3.aol", {"H": 6, "W": 6})
    Spec('conv3x3.aol': tasks filter, threshold, conv3x3; elementaries convolve, compare; H = 6, W = 6, LIMIT = 128)
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
    """Return the model of a specification as it is written: consts, parameters and imports are not evaluated.

    `spec` is a path, a model (returned as it is), or a loaded specification, whose consts are then their numbers, as in
    `spec_text`. Raises ArrayolError for mistakes of form.

    >>> [definition.name.text for definition in api.model_of("conv3x3.aol").definitions][:3]
    ['H', 'W', 'LIMIT']
    """
    if isinstance(spec, Specification):
        return spec
    if isinstance(spec, Spec):
        return read_model(SourceFile(spec.name, emitter.spec_text(spec)))
    return read_model(read_source(Path(spec)))


def spec_text(spec: Spec | Specification) -> str:
    """Return the canonical text of a specification, the content of an .aol file.

    The text of a loaded specification has its imports inlined, and consts as their numbers. Raises nothing.

    >>> print(api.spec_text(spec).splitlines()[0])
    elementary convolve(window: u8[3, 3], weights: i16[3, 3]) -> (sum: i32) {
    """
    return model_text(spec) if isinstance(spec, Specification) else emitter.spec_text(spec)


def spec_json(spec: Source) -> str:
    """Return a specification as JSON text, which every command and function reads in place of text.

    `spec` and errors are those of `model_of`; in addition, `too-deep` for expressions that nest too deeply for JSON.

    >>> import json
    >>> json.loads(api.spec_json("conv3x3.aol"))["arrayol"]
    'specification'
    """
    found = model_of(spec)
    require_shallow(found)
    return json_text(document_of(found))


def file_of(spec: Source) -> Path:
    """The path of a specification's file, beside which its platform lies."""
    return Path(spec) if isinstance(spec, str | Path) else Path(spec.name if isinstance(spec, Spec) else BUILT)
