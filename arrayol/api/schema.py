"""JSON Schemas of the files that arrayol reads: made of the models that check these files."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from arrayol.language.json.json_schema import specification_schema
from arrayol.language.json.json_writer import FORMAT as SPECIFICATION_FORMAT
from dse.results.schema import FORMAT, Result
from dse.space.study import Study
from hwmodel.datapath.technology.technology import TechnologyTable
from hwmodel.platform import Platform

SchemaKind = Literal["platform", "study", "result", "specification", "technology"]


class _Schema(GenerateJsonSchema):
    """Without titles that only repeat the names of keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        return False


class _TomlSchema(_Schema):
    """TOML has no null: a key without a value is left out, and so is the default of one that is a table or nothing."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """What it is where it is not null."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """With a default that stands in a line."""
        default = schema.get("default")
        if isinstance(default, bool | int | float | str) or (isinstance(default, tuple) and default):
            return super().default_schema(schema)
        return self.generate_inner(schema["schema"])


class _ResultSchema(_Schema):
    """Unknown keys of a result are left out with a warning, where a TOML file with one is refused."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """With room for keys of other versions."""
        return {key: value for key, value in super().model_schema(schema).items() if key != "additionalProperties"}


_FILES: dict[SchemaKind, tuple[type[BaseModel], type[_Schema], str]] = {
    "platform": (Platform, _TomlSchema, "a platform file"),
    "study": (Study, _TomlSchema, "a study"),
    "result": (Result, _ResultSchema, f"result.json, format {FORMAT}"),
    "technology": (TechnologyTable, _TomlSchema, "a technology file"),
}
KINDS: tuple[SchemaKind, ...] = get_args(SchemaKind)


def json_schema(kind: SchemaKind) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of file.

    `kind` is `platform`, `study` or `technology` (TOML), `result` (result.json), or `specification` (JSON).

    >>> api.json_schema("study")["title"]
    'arrayol: a study'
    """
    if kind == "specification":
        schema, title = specification_schema(), f"a specification, format {SPECIFICATION_FORMAT}"
    else:
        model, generator, title = _FILES[kind]
        schema = model.model_json_schema(schema_generator=generator)
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema, "title": f"arrayol: {title}"}
