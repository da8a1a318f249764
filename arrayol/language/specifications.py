"""Specifications as they are written: a text of the language, or the same model as JSON."""

from __future__ import annotations

from arrayol.errors import ArrayolError
from arrayol.ir import syntax, trusted
from arrayol.language.syntax.parser import Parsed, Readings, parse, too_deep
from arrayol.language.syntax.printer import print_file
from arrayol.source import SourceFile


def is_json(source: SourceFile) -> bool:
    """Whether a file is JSON: by its suffix, or since it starts with a brace, as no definition does."""
    return source.name.lower().endswith(".json") or source.text.lstrip(" \t\r\n\ufeff").startswith("{")


def parse_either(source: SourceFile, former: Readings | None = None) -> Parsed:
    """Parse a whole file. Never raises: mistakes are in the result, and the tree holds what is whole.

    `former` is that of `parse`; JSON is always read anew.
    """
    if not is_json(source):
        return parse(source, former)
    from arrayol.language.json.json_parser import parse_json  # noqa: PLC0415  what reads text needs no pydantic

    return parse_json(source)


def read_model(source: SourceFile) -> syntax.Specification:
    """The model of a file, imports as they are written. Raises ArrayolError with every mistake of its form."""
    parsed = parse_either(source)
    if parsed.diagnostics:
        raise ArrayolError(parsed.diagnostics)
    return parsed.tree


_LINES = (syntax.Import, syntax.Const, syntax.ConstArray, syntax.TilerDef)  # that stand together


def model_text(model: syntax.Specification) -> str:
    """The canonical text of a model, without comments. Raises ArrayolError (`nested-too-deep`)."""
    require_shallow(model)
    texts, former = list[str](), None
    for item in model.definitions:
        parted = former is not None and not (isinstance(item, _LINES) and type(item) is former)
        texts.append("\n" * parted + print_file(Parsed(trusted.Specification((item,)), (), (), frozenset())))
        former = type(item)
    return print_file(parse(SourceFile("", "".join(texts))))  # which aligns neighbouring lines


def require_shallow(model: syntax.Specification) -> None:
    """Raises ArrayolError (`nested-too-deep`) for what is nested deeper than files may be."""
    deep = [diagnostic for item in model.definitions if (diagnostic := too_deep(item)) is not None]
    if deep:
        raise ArrayolError(deep)
