"""Values that platforms and technologies have in common, as pydantic fields.

What a validator of our own accepts stands beside it as `json_schema_input_type`, for `arrayol schema`.
"""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from arrayol.limits import LARGEST, SMALLEST, in_range


class Table(BaseModel):
    """Descriptions say what is allowed, for messages: "it must be ..."."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _ranged(value: float) -> float:
    if not in_range(value):
        raise PydanticCustomError("range", "out of range")
    return value


def _amount(value: object) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and in_range(value):
        return value
    raise PydanticCustomError("amount", "not an amount")


_NOT_TINY: JsonDict = {"maximum": LARGEST, "not": {"exclusiveMinimum": 0, "exclusiveMaximum": SMALLEST}}  # `in_range`
_AmountForm = Annotated[float, Field(ge=0, json_schema_extra=_NOT_TINY)]

Whole = Annotated[int, Field(le=LARGEST)]
Count = Annotated[int, Field(ge=1, le=LARGEST)]
Real = Annotated[float, AfterValidator(_ranged), Field(json_schema_extra=_NOT_TINY)]
Positive = Annotated[float, Field(gt=0), AfterValidator(_ranged), Field(json_schema_extra=_NOT_TINY)]
Amount = Annotated[
    int | float,
    PlainValidator(_amount, json_schema_input_type=_AmountForm),
    Field(description="a number, 0 or more"),
]


def toml_text(text: str) -> str:
    """A text as TOML has it on one line, whatever is in it: quoted, control characters by their code points."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
