"""The JSON Schema of specifications, from the classes of the model."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from arrayol.ir import syntax
from arrayol.ir.node_rules import TYPE
from arrayol.ir.node_schemas import EXPRESSION
from arrayol.language.json.json_writer import FORMAT, MARK

_OBJECTS = (syntax.Unary, syntax.Binary, syntax.Conditional, syntax.Apply, syntax.Ref)


class _Generator(GenerateJsonSchema):
    """Without titles that only repeat the names of keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        return False

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        """Any of them: a name may be a border and an expression by its look."""
        found = super().tagged_union_schema(schema)
        return {"anyOf": found["oneOf"]} if "oneOf" in found else found


def specification_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a specification in JSON, but for the name of the draft."""
    mode: Literal["validation"] = "validation"
    classes: list[Any] = [syntax.Specification, *_OBJECTS]
    adapters = [(cls, mode, TypeAdapter[Any](cls)) for cls in classes]
    references, shared = TypeAdapter.json_schemas(adapters, schema_generator=_Generator)
    whole = shared["$defs"].pop("Specification")
    literals = [{"type": "number"}, {"type": "boolean"}, {"type": "string", "pattern": f"^{TYPE}$"}]
    objects = [references[cls, mode] for cls in _OBJECTS]
    shared["$defs"]["Expression"] = {
        "description": "A number, a truth value, a name, or an object.",
        "anyOf": [*literals, *objects],
    }
    properties = {"arrayol": {"const": MARK}, "format": {"const": FORMAT}, **whole["properties"]}
    schema = {**whole, "properties": properties, "required": list(properties), **shared}
    return {key: _linked(value) for key, value in schema.items()}


def _linked(value: Any) -> Any:
    """A schema that refers to that of expressions where one stands."""
    if isinstance(value, dict):
        if value.items() >= EXPRESSION.items():
            return {"$ref": "#/$defs/Expression"}
        return {key: _linked(part) for key, part in value.items()}
    return [_linked(part) for part in value] if isinstance(value, list) else value
