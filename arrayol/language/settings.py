"""What `--set NAME=VALUE` gives: numbers for consts, files for const arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os.path import relpath
from pathlib import Path

from arrayol.errors import error
from arrayol.files import MOST_DATA_BYTES, LargeFileError, hint_of, read_bytes, resolved
from arrayol.ir import syntax, trusted
from arrayol.ir.spec import ConstValue
from arrayol.language.constants import Constants
from arrayol.language.emitter import number
from arrayol.language.syntax.diagnose import Mistake, did_you_mean
from arrayol.language.syntax.parser import parse
from arrayol.source import SourceFile
from arrayol.text import clipped

Settings = Mapping[str, ConstValue | str]  # by name: values of consts, a text is an expression of numbers or a file


def values_set(settings: Settings, items: Sequence[syntax.Item], broken: set[str], file: str) -> dict[str, ConstValue]:
    """The values of consts that are set. Raises ArrayolError (`unknown-setting`, `bad-setting`)."""
    consts = {item.name.text for item in items if isinstance(item, syntax.Const)} | broken
    arrays = {item.name.text for item in items if isinstance(item, syntax.ConstArray)}
    values = {}
    for name, value in settings.items():
        if name in arrays:
            continue
        if name not in consts:
            known = {*consts, *arrays}
            owner = _with_parameter(name, items)
            hint = did_you_mean(name, known) or f"its consts are {', '.join(sorted(known)) or 'none'}"
            if owner is not None:
                hint = f"'{name}' is a parameter of '{owner}': its values stand where '{owner}' is used"
            raise error("unknown-setting", f"there is no const '{name}' to set", hint=hint, file=file)
        values[name] = _value(name, value, file)
    return values


def _with_parameter(name: str, items: Sequence[syntax.Item]) -> str | None:
    """The elementary or task that has a parameter of that name."""
    defined = (item for item in items if isinstance(item, (syntax.Elementary, syntax.Task)))
    return next((item.name.text for item in defined for each in item.parameters if each.text == name), None)


def _value(name: str, value: ConstValue | str, file: str) -> ConstValue:
    """The value of one setting; a text is read as the language reads an expression of numbers."""
    if not isinstance(value, str):
        return value
    parsed = parse(SourceFile(f"--set {name}", f"const {name} = {value}"))
    items = parsed.tree.definitions
    hint = f"write a number, as in --set {name}=64"
    message = f"'{clipped(value)}' is not a value for const '{name}'"
    too_long = next((found.message for found in parsed.diagnostics if found.code == "number-too-long"), None)
    if too_long:
        raise error("bad-setting", f"{message}: {too_long}", hint=hint, file=file)
    if parsed.diagnostics or len(items) != 1 or not isinstance(items[0], syntax.Const):
        raise error("bad-setting", message, hint=hint, file=file)
    try:
        return Constants({}, frozenset(), {}).evaluate(items[0].value)
    except Mistake as failure:
        reason = failure.diagnostic.message if failure.diagnostic else "it has no value"
        raise error("bad-setting", f"{message}: {reason}", hint=hint, file=file) from None


def with_arrays_set(
    settings: Settings, items: Sequence[syntax.Item], file: str, former: Settings
) -> tuple[list[syntax.Item], dict[str, ConstValue | str]]:
    """The items with what replaces const arrays, and those settings; `former` ones are in the items already.

    Raises ArrayolError (`bad-setting`).
    """
    made, taken = list(items), dict[str, ConstValue | str]()
    for place, item in enumerate(items):
        if not isinstance(item, syntax.ConstArray) or item.name.text not in {**former, **settings}:
            continue
        name = item.name.text
        taken[name] = settings.get(name, former.get(name, 0))
        if name not in former or taken[name] != former[name]:
            made[place] = _replaced(item, taken[name], made, file)
    return made, taken


def _replaced(
    item: syntax.ConstArray, value: ConstValue | str, items: Sequence[syntax.Item], file: str
) -> syntax.ConstArray:
    """The array from a file; of rank 0 a number will do."""
    name, hint = item.name.text, f"name a .npy file, as in --set {item.name.text}=data.npy"
    if not item.shape and not (isinstance(value, str) and value.lower().endswith(".npy")):
        return trusted.replace(item, value=_at(number(_value(name, value, file)), item))
    if not isinstance(value, str):
        message = f"const array '{name}' is set by the path of a file, as a text, not by {clipped(repr(value))}"
        raise error("bad-setting", message, hint=hint, file=file)
    path = Path(value)
    try:
        content = read_bytes(path, MOST_DATA_BYTES)
    except LargeFileError:
        message = f"'{clipped(value)}' is larger than {MOST_DATA_BYTES >> 20} MiB"
        hint = "make it an input, whose data come from outside"
        raise error("bad-setting", message, hint=hint, file=file) from None
    except (OSError, ValueError) as failure:  # ValueError: a name with a zero byte
        reason, better = (failure.strerror, hint_of(failure)) if isinstance(failure, OSError) else (failure, None)
        message = f"'{clipped(value)}' for const array '{name}' cannot be read: {reason}"
        raise error("bad-setting", message, hint=better or hint, file=file) from None
    return trusted.replace(
        item, value=trusted.DataFile(_printed(path, content, item, items, file), content, item.value.span)
    )


def _at(expr: syntax.Expr, item: syntax.ConstArray) -> syntax.Expr:
    """A number in the place of the value that it replaces, where mistakes are reported."""
    return trusted.replace(expr, span=item.value.span)


def _printed(path: Path, content: bytes, item: syntax.ConstArray, items: Sequence[syntax.Item], file: str) -> str:
    """The path as printed specifications have it, at or below their folder, and of no other array's file."""
    folder = resolved(Path(file).parent)
    target = resolved(path)
    name = relpath(target, folder).replace("\\", "/") if target.is_relative_to(folder) else path.name
    others = [
        other.value
        for other in items
        if isinstance(other, syntax.ConstArray) and other is not item and isinstance(other.value, syntax.DataFile)
    ]
    taken = any(other.path == name and other.content != content for other in others)
    return f"{item.name.text}-{path.name}" if taken else name
