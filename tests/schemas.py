"""Whether files fit the schemas that `arrayol schema` writes, by a validator that is not ours."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from arrayol.api.schema import SchemaKind, json_schema


@cache
def validator(kind: SchemaKind) -> Draft202012Validator:
    schema = json_schema(kind)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def fits(kind: SchemaKind, text: str) -> bool:
    """Whether a TOML file has the form of its kind; JSON has no nan and inf, so those have none."""
    document = tomllib.loads(text)
    return all(map(math.isfinite, _floats(document))) and validator(kind).is_valid(document)


def _floats(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _floats(part)
