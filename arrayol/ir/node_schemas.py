"""The nodes of specifications as pydantic knows them: what stands for each of them, and the rules that it keeps.

A call of a node's class, a dictionary and an object of JSON are checked by the same schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import partial
from typing import Any, cast, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs, InitErrorDetails, PydanticOmit, SchemaValidator, core_schema

from arrayol.errors import ArrayolError
from arrayol.ir import node_rules as rules
from arrayol.ir import syntax, trusted
from arrayol.ir.borders import BORDER_MODES
from arrayol.ir.node_mistakes import UNKNOWN, custom, diagnostics_of, moved, wrong_kind
from arrayol.ir.placed import PlacedTruth, place_of
from arrayol.operators.registry import INFIX, PREFIX
from arrayol.source import Span

Schema = core_schema.CoreSchema
Handler = Any  # of pydantic: it makes the schema of an annotation


def build(node: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Fill a new node with what its class is called with. Raises ArrayolError with every mistake."""
    try:
        _validator(type(node)).validate_python(ArgsKwargs(args, kwargs), self_instance=node)
    except ValidationError as failure:
        raise ArrayolError(diagnostics_of(failure, type(node).__name__)) from None


def validated(cls: Any, value: Any) -> Any:
    """A node of a class, or of one of an alias, from what stands for it. Raises pydantic's ValidationError."""
    return _validator(cls).validate_python(value)


def _validator(cls: Any) -> SchemaValidator:
    if cls not in _validators:
        _validators[cls] = SchemaValidator(TypeAdapter(cls).core_schema)
    return _validators[cls]


_validators: dict[Any, SchemaValidator] = {}


# Nodes: what stands for one becomes the values of its fields, and the rule of its class holds.


def node_schema(cls: type, source: Any, handler: Handler) -> Schema:
    """The schema of a class."""
    known: Schema = handler(source)
    try:
        plain = handler.resolve_ref_schema(known)
    except LookupError:  # inside of itself, as a loop in a loop
        return known
    if plain["type"] != "dataclass":  # it was made before
        return known
    inner: Any = {key: value for key, value in plain.items() if key not in ("ref", "metadata")}
    schema: Any = core_schema.no_info_before_validator_function(lambda value: _arguments(cls, value), inner)
    schema = core_schema.no_info_after_validator_function(partial(_ruled, rules.RULES.get(cls)), schema)
    schema["ref"] = plain["ref"]
    return cast("Schema", schema)


def _ruled(rule: Callable[[Any], None] | None, node: Any) -> Any:
    _checking(rules.plain_names, node)
    if rule is not None:
        _checking(rule, node)
    return node


def _checking(check: Callable[[Any], Any], value: Any) -> Any:
    """What a check makes of a value; its error as one of pydantic's."""
    try:
        return check(value)
    except rules.BrokenRuleError as broken:
        if not broken.at:
            raise custom(broken) from None
        mistake = InitErrorDetails(type=custom(broken), loc=broken.at, input=value)
        raise ValidationError.from_exception_data("rule", [mistake]) from None


def _arguments(cls: type, value: Any) -> Any:
    """The values of the fields by name, of whatever stands for a node; a node stays as it is."""
    if isinstance(value, cls):
        return value
    if isinstance(value, ArgsKwargs):
        return _of_call(cls, value)
    if cls in rules.SIGNS:
        if value != rules.SIGNS[cls]:
            raise wrong_kind(f'"{rules.SIGNS[cls]}"')
        return {"span": place_of(value)}
    if cls not in rules.SHORT:
        return _of_object(cls, value, f"an object with {', '.join(_keys(cls))}")
    kinds, field, what = rules.SHORT[cls]
    if isinstance(value, kinds):
        return {field: value, "span": place_of(value)}
    if cls not in rules.OBJECTS:
        raise wrong_kind(what)
    return _of_object(cls, value, what)


def _of_call(cls: type, call: ArgsKwargs) -> dict[str, Any]:
    names, given = [part.name for part in fields(cls)], call.kwargs or {}
    if len(call.args) > len(names):
        raise custom(rules.BrokenRuleError("bad-value", f"there are {len(names)} fields: {', '.join(names)}"))
    values = dict(zip(names, call.args, strict=False))
    twice = next((name for name in given if name in values), None)
    if twice is not None:
        raise custom(rules.BrokenRuleError("bad-value", f"'{twice}' is given twice"))
    values |= given
    _require_keys(cls, values, names)
    return values


def _of_object(cls: type, value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise wrong_kind(what)
    keys = _keys(cls)
    _require_keys(cls, value, keys)
    return {key: value[key] for key in keys if key in value and key != "kind"} | {"span": place_of(value)}


def _keys(cls: type) -> list[str]:
    """The keys of an object that stands for a node; the bytes of a data file are read from it."""
    hidden = {"span", "content"} if cls is syntax.DataFile else {"span"}
    return ["kind"] * (cls in rules.KINDS) + [part.name for part in fields(cls) if part.name not in hidden]


def _require_keys(cls: type, values: Mapping[str, Any], keys: list[str]) -> None:
    """Raise ValidationError where a key is unknown or missing."""
    known = [key for key in keys if key != "span"]
    mistakes = [
        InitErrorDetails(type=custom(rules.BrokenRuleError(UNKNOWN, needed=", ".join(known))), loc=(key,), input=value)
        for key, value in values.items()
        if key not in keys
    ]
    mistakes += [
        InitErrorDetails(type="missing", loc=(part.name,), input=None)
        for part in fields(cls)
        if part.name not in values and part.default is MISSING
    ]
    if mistakes:
        raise ValidationError.from_exception_data(cls.__name__, mistakes)


# Fields that have several forms, or whose values are no nodes.


def form_schema(name: str, source: Any, handler: Handler) -> Schema:
    """The schema of a field's form."""
    if name in _CHECKS:
        check, described = _CHECKS[name]
        return core_schema.no_info_plain_validator_function(
            lambda value: _checking(check, value), metadata=_described(described)
        )
    if name == "kinds":
        classes = get_args(source)
        choices = {_tag(rules.KINDS[cls]): handler.generate_schema(cls) for cls in classes}
        return _choice(choices, _kind_of, rules.kinds_text(classes))
    if name == "content":
        members = core_schema.tuple_variable_schema(handler.generate_schema(syntax.Member))
        choices = {_tag("repeat"): handler.generate_schema(syntax.Repeat), _tag("members"): members}
        return _choice(choices, _content_of, "a repetition, or a list of calls and arrays")
    choose, kinds = _CHOICES[name]
    choices = {_tag(cls.__name__): handler.generate_schema(cls) for cls in kinds}
    return _choice(choices | {_tag(""): handler.generate_schema(_OTHERWISE.get(name, syntax.Expr))}, choose)


def _choice(choices: dict[str, Schema], choose: Callable[[Any], str | None], what: str = "") -> Schema:
    """The schema of one of several, which a look at the value chooses."""
    return core_schema.tagged_union_schema(
        choices,
        lambda value: None if (tag := choose(value)) is None else _tag(tag),
        custom_error_type=UNKNOWN,
        custom_error_message=UNKNOWN,
        custom_error_context={"code": "bad-value", "message": "", "needed": what},
    )


def _tag(name: str) -> str:
    """A step in the path of a mistake that is no key."""
    return f"<{name}>"


def _kind_of(value: Any) -> str | None:
    kind = value.get("kind") if isinstance(value, Mapping) else rules.KINDS.get(type(value))
    return None if kind is None else str(kind)


def _content_of(value: Any) -> str | None:
    if isinstance(value, Mapping | syntax.Repeat):
        return "repeat"
    return "members" if isinstance(value, list | tuple) else None


def _extent_of(value: Any) -> str:
    return "Infinite" if isinstance(value, syntax.Infinite) or value == "*" else ""


def _slice_of(value: Any) -> str:
    if isinstance(value, Mapping):
        return "Strided" if "low" in value or "high" in value else ""
    return type(value).__name__ if isinstance(value, syntax.Whole | syntax.Strided) else "Whole" * (value == "..")


def _elements_of(value: Any) -> str:
    if isinstance(value, Mapping):
        return "Table" if "rows" in value else "DataFile" if "path" in value else ""
    return type(value).__name__ if isinstance(value, syntax.Table | syntax.DataFile) else ""


def _default_of(value: Any) -> str:
    tiled = isinstance(value, syntax.TiledDefault) or (isinstance(value, Mapping) and "array" in value)
    return "TiledDefault" if tiled else ""


def _border_of(value: Any) -> str:
    named = isinstance(value, str) and value in BORDER_MODES
    return "BorderMode" if named or isinstance(value, syntax.BorderMode) else ""


def _tiler_of(value: Any) -> str:
    return "Name" if isinstance(value, str | syntax.Name) else ""


# What chooses the class of a value, and the classes; where none is chosen it is an expression, or what follows.
_CHOICES: dict[str, tuple[Callable[[Any], str], tuple[type, ...]]] = {
    "extent": (_extent_of, (syntax.Infinite,)),
    "slice": (_slice_of, (syntax.Strided, syntax.Whole)),
    "border": (_border_of, (syntax.BorderMode,)),
    "default": (_default_of, (syntax.TiledDefault,)),
    "elements": (_elements_of, (syntax.Table, syntax.DataFile)),
    "tiler": (_tiler_of, (syntax.Name,)),
}
_OTHERWISE: dict[str, Any] = {"tiler": syntax.Tiler}


# Expressions are made by a loop: chains of operands may be longer than any stack.

_EXPRESSIONS = get_args(get_args(syntax.Expr)[0])


def expression(value: Any) -> Any:
    """An expression from what stands for it. Raises pydantic's ValidationError with every mistake."""
    if isinstance(value, _EXPRESSIONS):
        return value
    mistakes: list[InitErrorDetails] = []
    result: dict[Any, Any] = {}
    waiting: list[tuple[Any, Any, Any, Any]] = [(result, 0, value, None)]
    objects: list[tuple[Any, Any, type, dict[str, Any], Any]] = []
    while waiting:
        holder, key, part, path = waiting.pop()
        holder[key] = trusted.Number(1)  # where there is a mistake
        try:
            leaf = _leaf(part)
            if leaf is not None:
                holder[key] = leaf
                continue
            cls = _class_of(part)
            values = _of_object(cls, part, "")
        except ValueError as wrong:
            mistakes += moved(wrong, part, path)
            continue
        objects.append((holder, key, cls, values, path))
        waiting += _parts(cls, values, path)
    for holder, key, cls, values, path in reversed(objects):
        try:
            holder[key] = validated(cls, ArgsKwargs((), values))
        except ValidationError as wrong:
            mistakes += moved(wrong, values, path)
    if mistakes:
        raise ValidationError.from_exception_data("expression", mistakes)
    return result[0]


def _leaf(value: Any) -> Any:
    """A number, truth value or name; None where it is more."""
    if isinstance(value, _EXPRESSIONS):
        return value
    if isinstance(value, bool | PlacedTruth):
        return trusted.Truth(rules.flag(value), place_of(value))
    if isinstance(value, int | float):
        return _signed(value, place_of(value))
    if isinstance(value, str):
        return trusted.Ref(trusted.Name(_checking(rules.word, value), place_of(value)), (), place_of(value))
    return None


def _signed(value: float, place: Span) -> Any:
    """A number with its sign, that of a zero too."""
    if value < 0 or str(value).startswith("-"):
        return trusted.Unary("-", trusted.Number(_checking(rules.amount, -value), place), place)
    return trusted.Number(_checking(rules.amount, value), place)


# The class of an object, by a key that only it has, and which of its keys hold expressions.
_OBJECTS: dict[str, tuple[type, tuple[str, ...]]] = {
    "operand": (syntax.Unary, ("operand",)),
    "left": (syntax.Binary, ("left", "right")),
    "right": (syntax.Binary, ("left", "right")),
    "operator": (syntax.Binary, ("left", "right")),
    "condition": (syntax.Conditional, ("then", "condition", "otherwise")),
    "then": (syntax.Conditional, ("then", "condition", "otherwise")),
    "function": (syntax.Apply, ("arguments",)),
    "name": (syntax.Ref, ("subscripts",)),
    "subscripts": (syntax.Ref, ("subscripts",)),
}


def _class_of(value: Any) -> type:
    found = next((cls for key, (cls, _) in _OBJECTS.items() if isinstance(value, Mapping) and key in value), None)
    if found is None:
        what = "a number, true, false, a name, or an object with operator, function, condition or name"
        raise wrong_kind(f"an expression: {what}")
    return found


def _parts(cls: type, values: dict[str, Any], path: Any) -> list[tuple[Any, Any, Any, Any]]:
    """The expressions in an object: where each is held, under which key, and its path; lists are copied."""
    found: list[tuple[Any, Any, Any, Any]] = []
    for key in next(keys for other, keys in _OBJECTS.values() if other is cls):
        part = values.get(key)
        if key not in ("arguments", "subscripts"):
            found.append((values, key, part, (path, key)))
        elif isinstance(part, list | tuple):
            values[key] = list(part)
            found += [(values[key], place, one, ((path, key), place)) for place, one in enumerate(part)]
    return found


# JSON schemas of what is written shorter than its fields.

EXPRESSION = {"$comment": "an expression"}  # stands for the schema of all of them
_NAME = {"type": "string", "pattern": f"^{rules.TYPE}$"}
_FORMS: dict[type, dict[str, Any]] = {
    syntax.Name: _NAME,
    syntax.BorderMode: {"enum": list(BORDER_MODES)},
    syntax.Vector: {"type": "array", "items": EXPRESSION},
    syntax.Matrix: {"type": "array", "items": {"type": "array", "items": EXPRESSION, "minItems": 1}},
    **{cls: {"const": sign} for cls, sign in rules.SIGNS.items()},
}


def node_json_schema(cls: type, schema: Any, handler: Handler) -> dict[str, Any]:
    """The JSON schema of a class: with its kind, or what is written in its place."""
    if cls in _FORMS:
        return _FORMS[cls]
    described: dict[str, Any] = handler(schema)
    full = handler.resolve_ref_schema(described)
    if cls in rules.KINDS and "kind" not in full["properties"]:
        full["properties"] = {"kind": {"const": rules.KINDS[cls]}, **full["properties"]}
        full["required"] = ["kind", *full.get("required", [])]
    if cls in rules.OBJECTS and "anyOf" not in full:
        alone = dict(full)
        full.clear()
        full.update({"anyOf": [_NAME, alone]})
    return described


def _described(schema: dict[str, Any] | None) -> dict[str, Any]:
    """What pydantic says of a field in a JSON schema; None leaves it out."""

    def describe(_core: Any, _handler: Any) -> dict[str, Any]:
        if schema is None:
            raise PydanticOmit
        return dict(schema)

    return {"pydantic_js_functions": [describe]}


def _span(value: Any) -> Any:
    if not isinstance(value, Span):
        raise rules.needed("a Span")
    return value


# The forms of fields that hold no nodes, or expressions: what checks a value, and its JSON schema.
_CHECKS: dict[str, tuple[Callable[[Any], Any], dict[str, Any] | None]] = {
    "place": (_span, None),
    "bytes": (rules.content, None),
    "text": (rules.text, {"type": "string", "pattern": '^[^"\n]*$'}),
    "flag": (rules.flag, {"type": "boolean"}),
    "word": (rules.word, _NAME),
    "amount": (rules.amount, {"type": "number"}),
    "unary": (rules.unary, {"enum": list(PREFIX)}),
    "binary": (rules.binary, {"enum": list(INFIX)}),
    "mode": (rules.mode, {"enum": list(BORDER_MODES)}),
    "expression": (expression, EXPRESSION),
}
