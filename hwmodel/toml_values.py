"""Values that platforms and technologies have in common, as pydantic fields."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator
from pydantic_core import PydanticCustomError

from arrayol.limits import LARGEST, in_range


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


Whole = Annotated[int, Field(le=LARGEST)]
Real = Annotated[float, AfterValidator(_ranged)]
Amount = Annotated[int | float, PlainValidator(_amount), Field(description="a number, 0 or more")]
