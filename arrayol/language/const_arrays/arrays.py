"""Const arrays: tables, formulas and files, as the elements that bodies and links read."""

# NumPy loads late, when the first array is made: most specifications have none.
# ruff: noqa: PLC0415

from __future__ import annotations

import struct
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from math import prod
from typing import TYPE_CHECKING, Any

from arrayol.ir import syntax, trusted
from arrayol.ir.spec import MAXIMUM_RANK, ConstArray, ConstValue
from arrayol.ir.types import ElementType, Kind
from arrayol.language.const_arrays.complex_numbers import Value, element_value
from arrayol.language.constants import Constants, check_stored
from arrayol.language.emitter import number
from arrayol.language.kept import Kept, attempts
from arrayol.language.syntax.diagnose import Mistake, Mistakes, mistake, shown_shape
from arrayol.language.syntax.tree import chain_of, names_in
from arrayol.language.tasks import resolve_element_type, resolve_shape
from arrayol.text import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrayol.language.kept import Kept, attempts
from arrayol.language.namespace import Definitions

MAXIMUM_ELEMENTS = 1 << 24
_CHUNK = 1 << 18  # elements of a formula that are evaluated at once
_OUTER = 1 << 22  # values of ranges that others depend on
_FIXED = {"not-a-const", "unknown-function", "unknown-name", "wrong-arguments"}  # mistakes at any values


def with_const_arrays(definitions: Definitions, mistakes: Mistakes, kept: Kept | None = None) -> Definitions:
    """The definitions with the const arrays of the file and its imports; those with mistakes are noted, and broken."""
    items = [item for item in definitions.by_name.values() if isinstance(item, syntax.ConstArray)]
    attempt = attempts(kept, definitions, "tables")
    found = (attempt(mistakes, item, (), lambda item=item: _resolved(item, definitions)) for item in items)  # type: ignore[misc]
    tables = {array.name: array for array in found if array is not None}
    broken = {item.name.text for item in items} - tables.keys()
    constants = replace(definitions.constants, broken={*definitions.constants.broken, *broken})
    return replace(definitions, tables=tables, constants=constants, broken=definitions.broken | broken)


def _resolved(item: syntax.ConstArray, definitions: Definitions) -> ConstArray:
    kind = resolve_element_type(item.type)
    shape = tuple(extent for extent in resolve_shape(item.shape, definitions) if extent is not None)
    if len(shape) < len(item.shape):
        raise mistake("const-array-size", f"const array '{item.name.text}' cannot be infinite", item.span)
    if prod(shape) > MAXIMUM_ELEMENTS:
        message = f"const array '{item.name.text}' has {prod(shape):,} elements; at most {MAXIMUM_ELEMENTS:,} are held"
        raise mistake("const-array-size", message, item.span, "make it an input, whose data come from outside")
    constants = definitions.constants
    match item.value:
        case syntax.DataFile():
            data = _of_file(item.value, kind, shape)
        case syntax.Table(ranges=()):
            data = _of_table(item.value, kind, shape, constants)
        case syntax.Table():
            data = _of_formula(item.value, kind, shape, constants)
        case _:
            if shape:
                hint = "write a table, as [1, 2; 3, 4], or a formula, as [2 * k for k in 0..8]"
                raise mistake("wrong-count", f"one value for an array of {_elements(shape)}", item.value.span, hint)
            data = _stored([_value(item.value, kind, constants)], kind)
    return ConstArray(item.name.text, kind, shape, data, _with_numbers(item, constants.values))


def _elements(shape: tuple[int, ...]) -> str:
    return f"{counted(prod(shape), 'element')} {shown_shape(shape)}".rstrip()


# Elements by their values


def _value(expr: syntax.Expr, kind: ElementType, constants: Constants) -> Value:
    """One element, as it is stored. Raises Mistake."""
    value = element_value(expr, constants)
    if isinstance(value, complex) and kind.kind is not Kind.COMPLEX:
        hint = "real(e) gives its real part, abs(e) its magnitude"
        raise mistake("constant-does-not-fit", f"a complex number does not fit {kind}", expr.span, hint)
    for part in (value.real, value.imag) if isinstance(value, complex) else (value,):
        check_stored(part, kind, expr.span)
    return value


def _stored(values: Iterable[Value], kind: ElementType) -> bytes:
    import numpy as np

    # By f64 where it is rounded to f32, as in a body; integers of 64 bits have no f64.
    if kind.wraps or kind is ElementType.BOOL:
        return np.array(
            [value if isinstance(value, complex) else kind.held(value) for value in values], _dtype(kind)
        ).tobytes()
    if kind.kind is Kind.COMPLEX:
        return np.array(list(values), "<c16").astype(_dtype(kind)).tobytes()
    return np.array(list(values), "<f8").astype(_dtype(kind)).tobytes()


def _dtype(kind: ElementType) -> str:
    return f"<{kind.numpy_name}" if kind.bytes > 1 else kind.numpy_name


def _of_table(table: syntax.Table, kind: ElementType, shape: tuple[int, ...], constants: Constants) -> bytes:
    if len(table.rows) > 1:
        for row in table.rows:
            if not shape or len(row) != shape[-1]:
                last = f"the last dimension has {shape[-1]}" if shape else "it has no dimensions"
                message = f"this row has {counted(len(row), 'element')}; {last}"
                raise mistake("wrong-count", message, row[0].span.to(row[-1].span), "rows are separated by ';'")
    count = sum(map(len, table.rows))
    if count != prod(shape):
        message = f"the table has {counted(count, 'element')}; the array holds {_elements(shape)}"
        raise mistake("wrong-count", message, table.span, "elements stand in row-major order, the last index first")
    return _stored([_value(expr, kind, constants) for row in table.rows for expr in row], kind)


# Formulas


def _of_formula(table: syntax.Table, kind: ElementType, shape: tuple[int, ...], constants: Constants) -> bytes:
    if len(table.ranges) > MAXIMUM_RANK:
        message = f"{len(table.ranges)} ranges; at most {MAXIMUM_RANK} are allowed"
        hint = "make one range of several"
        raise mistake("too-many-dimensions", message, table.ranges[MAXIMUM_RANK].span, hint)
    names = [item.name for item in table.ranges]
    for place, name in enumerate(names):
        earlier = {other.text for other in names[:place]}
        if any(name.text in known for known in (earlier, constants.values, constants.others)):
            raise mistake("name-reused", f"'{name.text}' has a meaning here already", name.span, "choose another name")
    extents = _extents(table.ranges, constants)
    count, parts = 0 if extents is None else prod(size for _, size in extents), list[bytes]()
    if extents is None or count == prod(shape):
        count = 0
        for points in _box(extents) if extents is not None else _walked(table.ranges, constants, prod(shape) + 1):
            count += len(points[0])
            indices = {name.text: column for name, column in zip(names, points, strict=True)}
            parts += [_chunk(table.rows[0][0], kind, indices, constants)] if len(points[0]) else []
    if count != prod(shape):
        given = f"more than {prod(shape):,} elements" if count > prod(shape) else counted(count, "element")
        message = f"the formula gives {given}; the array holds {_elements(shape)}"
        raise mistake("wrong-count", message, table.span, "give it one range for each dimension, in their order")
    return b"".join(parts)


def _extents(ranges: tuple[syntax.Range, ...], constants: Constants) -> list[tuple[int, int]] | None:
    """The start and length of each range; None where bounds depend on other variables."""
    variables = {item.name.text for item in ranges}
    if any(names_in((item.low, item.high)) & variables for item in ranges):
        return None
    bounds = [_bounds(item, constants) for item in ranges]
    return [(low, max(0, high - low)) for low, high in bounds]


def _box(extents: list[tuple[int, int]]) -> Iterator[list[NDArray[Any]]]:
    """The values of the range variables in chunks, a vector for each variable, the last one fastest."""
    import numpy as np

    count = prod(size for _, size in extents)
    for first in range(0, count, _CHUNK):
        places = np.unravel_index(np.arange(first, min(first + _CHUNK, count)), [size for _, size in extents])
        yield [low + place for (low, _), place in zip(extents, places, strict=True)]


def _walked(ranges: tuple[syntax.Range, ...], constants: Constants, most: int) -> Iterator[list[NDArray[Any]]]:
    """The values, in chunks, of range variables whose bounds depend on one another, until there are `most` points."""
    import numpy as np

    columns: dict[str, NDArray[Any]] = {}
    for item in ranges[:-1]:
        lows, lengths = _lengths(item, columns, constants)
        if lengths.sum() > _OUTER:
            message = f"the bounds of the last range are evaluated more than {_OUTER:,} times"
            raise mistake("wrong-count", message, item.span, "let the last range be the longest")
        columns = _expanded(item, columns, lows, lengths)
    lows, lengths = _lengths(ranges[-1], columns, constants)
    ends = np.cumsum(np.minimum(lengths, most))
    first = 0
    while first < len(ends):
        done = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _CHUNK, "right")))
        part = {name: column[first:last] for name, column in columns.items()}
        given = np.clip(most - done, 0, lengths[first:last])
        yield list(_expanded(ranges[-1], part, lows[first:last], given).values())
        first = len(ends) if ends[last - 1] >= most else last


def _expanded(
    item: syntax.Range, columns: Mapping[str, NDArray[Any]], lows: NDArray[Any], lengths: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    """The vectors of some range variables with one more inside of them."""
    import numpy as np

    begins = np.repeat(np.cumsum(lengths) - lengths, lengths)
    inner = np.repeat(lows, lengths) + np.arange(len(begins)) - begins
    return {name: np.repeat(column, lengths) for name, column in columns.items()} | {item.name.text: inner}


def _lengths(
    item: syntax.Range, columns: Mapping[str, NDArray[Any]], constants: Constants
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where a range begins at some values of those around it, and how long it is: all beyond 2**32 as 2**32."""
    import numpy as np

    count = len(next(iter(columns.values()))) if columns else 1
    if not count:
        return np.empty(0, "i8"), np.empty(0, "i8")
    low, high = (_bound(expr, columns, constants) for expr in (item.low, item.high))
    return low, np.clip(high.astype("f8") - low, 0, 1 << 32).astype("i8")


def _bound(expr: syntax.Expr, columns: Mapping[str, NDArray[Any]], constants: Constants) -> NDArray[Any]:
    """A bound of a range at some values of the variables around it."""
    import numpy as np

    from arrayol.language.const_arrays.vectors import NotVectorisedError, evaluate_all

    try:
        if columns and (values := evaluate_all(expr, constants.values, columns)).dtype == np.int64:
            return values
    except NotVectorisedError:
        pass
    each = (_scope(constants, point).integer(expr, "a bound of a range") for point in _points(columns))
    try:
        return np.array(list(each), "i8")
    except OverflowError:
        raise mistake("wrong-count", "a bound of this range is beyond 64 bits", expr.span) from None


def _scope(constants: Constants, point: dict[str, ConstValue]) -> Constants:
    """The consts and values of range variables."""
    return replace(constants, values=ChainMap(point, constants.values))  # type: ignore[arg-type]  # only read


def _points(columns: Mapping[str, NDArray[Any]]) -> Iterator[dict[str, ConstValue]]:
    """The values of the range variables, point by point."""
    if not columns:
        yield {}
    for point in zip(*(column.tolist() for column in columns.values()), strict=True):
        yield dict(zip(columns, point, strict=True))


def _bounds(item: syntax.Range, constants: Constants) -> tuple[int, int]:
    low, high = (constants.integer(expr, "a bound of a range") for expr in (item.low, item.high))
    return low, high


def _chunk(formula: syntax.Expr, kind: ElementType, indices: Mapping[str, NDArray[Any]], constants: Constants) -> bytes:
    """The formula at some points: by vectors, or one by one where those cannot, and for its mistakes."""
    from arrayol.language.const_arrays.vectors import NotVectorisedError, evaluate_all

    try:
        if kind.kind is Kind.COMPLEX and isinstance(formula, syntax.Apply) and len(formula.arguments) == 2:
            parts = [evaluate_all(part, constants.values, indices) for part in formula.arguments]
            return _stored_complex(parts, formula.function.text, kind)
        return _stored_vector(evaluate_all(formula, constants.values, indices), kind)
    except NotVectorisedError:
        pass
    values = []
    for point in _points(indices):
        try:
            values.append(_value(formula, kind, _scope(constants, point)))
        except Mistake as failure:
            raise _at(failure, point) from None
    return _stored(values, kind)


def _stored_complex(parts: list[NDArray[Any]], made_by: str, kind: ElementType) -> bytes:
    """Complex numbers of their real and imaginary parts, which `c64` rounds to f32."""
    import numpy as np

    from arrayol.language.const_arrays.vectors import NotVectorisedError

    whole = (np.abs(part).max() > 1 << 53 for part in parts if part.dtype == np.int64)
    if made_by not in ("c64", "c128") or any(part.dtype == bool for part in parts) or any(whole):
        raise NotVectorisedError
    numbers = np.empty(len(parts[0]), "<c16")
    with np.errstate(over="ignore"):
        numbers.real, numbers.imag = (part.astype("<f4" if made_by == "c64" else "<f8") for part in parts)
        stored = numbers.astype(_dtype(kind))
    if not np.isfinite(stored).all():
        raise NotVectorisedError
    return stored.tobytes()


def _stored_vector(values: NDArray[Any], kind: ElementType) -> bytes:
    import numpy as np

    from arrayol.language.const_arrays.vectors import NotVectorisedError

    if (values.dtype == bool) != (kind is ElementType.BOOL) or (values.dtype == np.float64 and kind.is_integer):
        raise NotVectorisedError
    if kind.is_fixed:
        return _stored_fixed(values, kind)
    if kind.is_integer:
        low, high = kind.integer_range
        if int(values.min()) < low or int(values.max()) > high:
            raise NotVectorisedError
        return values.astype(_dtype(kind)).tobytes()
    with np.errstate(over="ignore"):
        stored = values.astype("<f8").astype(_dtype(kind)) if kind is not ElementType.BOOL else values
    if not np.isfinite(stored).all():
        raise NotVectorisedError
    return stored.tobytes()


def _stored_fixed(values: NDArray[Any], kind: ElementType) -> bytes:
    import numpy as np

    from arrayol.language.const_arrays.vectors import NotVectorisedError

    low, high = kind.integer_range
    stored = np.ldexp(values.astype("f8"), kind.fraction)
    exact = np.abs(stored) < 1 << 53
    if not exact.all() or (stored != np.trunc(stored)).any() or stored.min() < low or stored.max() > high:
        raise NotVectorisedError
    return bytes(stored.astype(_dtype(kind)).tobytes())


def _at(failure: Mistake, bound: Mapping[str, ConstValue]) -> Mistake:
    """A mistake with the values of the range variables."""
    if failure.diagnostic is None or failure.diagnostic.code in _FIXED:
        return failure
    where = ", ".join(f"{name} = {value}" for name, value in bound.items())
    return Mistake(replace(failure.diagnostic, message=f"{failure.diagnostic.message} (at {where})"))


# Files


def _of_file(file: syntax.DataFile, kind: ElementType, shape: tuple[int, ...]) -> bytes:
    import numpy as np

    try:
        values = np.load(BytesIO(file.content), allow_pickle=False)
    except (ValueError, OSError, EOFError, SyntaxError, TypeError, KeyError, struct.error, MemoryError, OverflowError):
        hint = "numpy.save(file, array) writes one"
        raise mistake("const-file", f"'{file.path}' is no .npy file of numbers", file.span, hint) from None
    if not isinstance(values, np.ndarray) or values.dtype.newbyteorder("=") != np.dtype(kind.numpy_name):
        found = getattr(values, "dtype", "several arrays")
        hint = f"convert it first, as numpy's astype('{np.dtype(kind.numpy_name).name}') does"
        raise mistake("const-file", f"'{file.path}' holds {found}, not {kind}", file.span, hint)
    if values.shape != shape:
        held, wanted = (shown_shape(each) or "one element" for each in (values.shape, shape))
        message = f"'{file.path}' is {held}, not {wanted}"
        raise mistake("const-file", message, file.span, "declare the shape that the file has, or save it anew")
    low, high = kind.integer_range
    if kind.wraps and not kind.is_numpys and not ((values >= low) & (values <= high)).all():
        found = values[(values < low) | (values > high)].flat[0]
        message = f"'{file.path}' holds {found}, and {kind} is stored as {low} to {high}"
        raise mistake("value-out-of-range", message, file.span, "a file has the stored integers of an array")
    return np.ascontiguousarray(values).astype(_dtype(kind)).tobytes()


# Definitions to print


def _with_numbers(item: syntax.ConstArray, values: Mapping[str, ConstValue]) -> syntax.ConstArray:
    """The definition with the values of consts in their places."""
    dims = tuple(dim if isinstance(dim, syntax.Infinite) else _numbered(dim, values) for dim in item.shape)
    item = trusted.replace(item, shape=dims)
    match item.value:
        case syntax.DataFile():
            return item
        case syntax.Table(rows=rows, ranges=ranges):
            table = trusted.replace(
                item.value,
                rows=tuple(tuple(_numbered(expr, values) for expr in row) for row in rows),
                ranges=tuple(
                    trusted.replace(each, low=_numbered(each.low, values), high=_numbered(each.high, values))
                    for each in ranges
                ),
            )
            return trusted.replace(item, value=table)
        case _:
            return trusted.replace(item, value=_numbered(item.value, values))


def _numbered(expr: syntax.Expr, values: Mapping[str, ConstValue]) -> syntax.Expr:
    match expr:
        case syntax.Ref():
            return number(values[expr.name.text]) if expr.name.text in values else expr
        case syntax.Unary():
            return trusted.replace(expr, operand=_numbered(expr.operand, values))
        case syntax.Conditional():
            then, condition, otherwise = (
                _numbered(part, values) for part in (expr.then, expr.condition, expr.otherwise)
            )
            return trusted.replace(expr, then=then, condition=condition, otherwise=otherwise)
        case syntax.Apply():
            return trusted.replace(expr, arguments=tuple(_numbered(argument, values) for argument in expr.arguments))
        case syntax.Binary():
            left, chain = chain_of(expr)  # longer than any stack
            value = _numbered(left, values)
            for node in chain:
                value = trusted.replace(node, left=value, right=_numbered(node.right, values))
            return value
        case _:
            return expr
