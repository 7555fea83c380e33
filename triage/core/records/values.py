"""The kinds of value a run file holds, each with its one rule for odd input."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, Protocol

from pydantic import AwareDatetime, BeforeValidator, Field, GetCoreSchemaHandler, ValidationInfo
from pydantic_core import core_schema

from triage.core.limits import DEFAULT_LIMITS, Limits
from triage.core.records.faults import refusal
from triage.core.records.notices import Remarks

_PLAIN_NUMBER = re.compile(r"-?\d{1,300}(\.\d{1,300})?([eE][+-]?\d{1,4})?")
_LOCALE_NUMBER = re.compile(r"-?[\d.,'\s]{1,40}%?")
_NO_NUMBER = frozenset(
    {"", "nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "null", "none", "n/a", "na"}
)


@dataclass(slots=True)
class Reading:
    """The context of one validation: the limits that hold, and where remarks go."""

    limits: Limits = DEFAULT_LIMITS
    remarks: Remarks = field(default_factory=Remarks)


class Around(Protocol):
    """What a rule may ask about the validation around it: pydantic's `ValidationInfo`, or what stands in for it."""

    @property
    def context(self) -> Any: ...  # noqa: ANN401 - pydantic's own type

    @property
    def data(self) -> dict[str, Any]: ...


def remark(info: Around, code: str, example: str = "") -> None:
    """Note something about the record being validated; without a context there is nobody to tell."""
    if isinstance(info.context, Reading):
        info.context.remarks.add(code, example)


def limits_of(info: Around) -> Limits:
    """Return the limits the caller asked for, or the defaults."""
    return info.context.limits if isinstance(info.context, Reading) else DEFAULT_LIMITS


def shortest_decimal(value: float) -> str:
    """Return the shortest decimal string of a finite number: 1 and 1.0 are "1", 2.5 is "2.5", 1e21 is written out."""
    text = format(Decimal(repr(value)), "f") if isinstance(value, float) else str(value)
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text


def as_id(value: object, info: ValidationInfo) -> object:
    """Return the id as text; numbers become their shortest decimal string, "01" stays "01"."""
    if isinstance(value, str):
        return _checked_id(value, limits_of(info).id_chars)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return shortest_decimal(value)
    raise refusal("an id, as a string", "Name it, or remove the item.")


def _checked_id(value: str, longest: int) -> str:
    if not value.strip():
        raise refusal("an id that is not blank", "Name it, or remove the item.")
    if len(value) > longest:
        raise refusal(
            f"an id of at most {longest} characters", "Give an id here, not a text.", found=f"{len(value)} characters"
        )
    return value


def as_number(value: object, info: ValidationInfo) -> float | None:
    """Return a finite number, or None for missing: NaN, infinities and "" are missing and remarked on."""
    if type(value) is float or type(value) is int:
        return _finite(value, info)
    if value is None:
        return None
    if isinstance(value, str):
        return _number_in_text(value.strip(), info)
    raise refusal("a number, or null", "Write the number itself; true and false are not scores.")


def _finite(value: float, info: ValidationInfo) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isfinite(number):
        return number
    remark(info, "not_finite")
    return None


def _number_in_text(text: str, info: ValidationInfo) -> float | None:
    if text.lower() in _NO_NUMBER:
        remark(info, "not_finite")
        return None
    if _PLAIN_NUMBER.fullmatch(text):
        remark(info, "number_as_text")
        return _finite(float(text), info)
    if _LOCALE_NUMBER.fullmatch(text):
        raise refusal("a number such as 0.85", _locale_remedy(text))
    raise refusal("a number, or null", "Write a number without quotes, or null where there is none.")


def _locale_remedy(text: str) -> str:
    if text.endswith("%"):
        return "Write the share itself, without a percent sign: 0.85 for 85%."
    if text.count(",") == 1 and "." not in text:
        return f"Write {text.replace(',', '.')}: a point, no comma, no quotes."
    return "Write the number with a decimal point, no thousands mark and no quotes."


def as_amount(value: object, info: ValidationInfo) -> float | None:
    """Return a number of milliseconds, tokens or money; a negative one is missing and remarked on."""
    number = as_number(value, info)
    if number is not None and number < 0:
        remark(info, "negative_amount")
        return None
    return number


def as_count(value: object, info: ValidationInfo) -> int | None:
    """Return a whole number from 0 up, or None."""
    number = as_amount(value, info)
    if number is None:
        return None
    if not number.is_integer() or number > 2**31 - 1:
        raise refusal("a whole number from 0 up", "Round it, or leave it out.")
    return int(number)


def as_time(value: object, info: ValidationInfo) -> object:
    """Return a moment in UTC from an ISO 8601 string; one without a zone is taken as UTC and remarked on."""
    if value is None or isinstance(value, datetime):
        return value
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
        if moment is not None and moment.tzinfo is None:
            remark(info, "time_without_zone")
            return moment.replace(tzinfo=UTC)
        utc = moment.astimezone(UTC) if moment is not None else None
    except (ValueError, OverflowError):
        utc = None
    if utc is None:
        raise refusal("a time such as 2026-11-30T09:15:00Z", "Write the time in ISO 8601, in quotes.")
    return utc


def as_word(value: object, _info: ValidationInfo) -> object:
    """Return a value of a slice as text; numbers and booleans are written out."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float) and math.isfinite(value):
        return shortest_decimal(value)
    return value


def as_name(value: object, _info: ValidationInfo) -> object:
    """Return a name that is not blank."""
    if isinstance(value, str) and not value.strip():
        raise refusal("a name that is not empty", "Name the metric.")
    return value


@dataclass(frozen=True, slots=True)
class Else:
    """What to make of a value that is not plainly of its field's type.

    The plain type is tried first, without a line of Python: almost every value of a good file is plain. Only where
    it does not fit does `function` see the value, and what it returns is checked again. `accepts` is what the
    published schema says of such values.
    """

    function: Callable[[Any, ValidationInfo], Any]
    accepts: Any = None

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Return the union of the plain type and the way round."""
        schema = core_schema.with_info_before_validator_function(
            self.function, handler(source), json_schema_input_schema=handler.generate_schema(self.accepts)
        )
        return core_schema.union_schema([(handler(source), PLAIN), (schema, ROUND)], mode="left_to_right")


#: Marks of the two ways in the places of errors; `parsing` takes them out again.
PLAIN, ROUND = "~plain", "~round"


def null_means(default: Callable[[], object]) -> Else:
    """Return the rule of a field in which null says the same as leaving it out."""
    return Else(lambda value, _info: default() if value is None else value)


Plain = Field(min_length=1, max_length=DEFAULT_LIMITS.id_chars, pattern=r"\S")
Id = Annotated[str, Plain, Else(as_id, int | float)]
OptionalId = Annotated[str | None, Plain, Else(as_id, int | float)]
Ids = Annotated[list[Id], null_means(list)]
Finite = Field(allow_inf_nan=False)
Number = Annotated[float | None, Finite, Else(as_number, str)]
Amount = Annotated[float | None, Field(allow_inf_nan=False, ge=0), Else(as_amount, str)]
Count = Annotated[int | None, Field(ge=0, le=2**31 - 1), Else(as_count, float | str)]
Time = Annotated[AwareDatetime | None, BeforeValidator(as_time, json_schema_input_type=str | None)]
Word = Annotated[str, Else(as_word, int | float | bool)]
Text = Annotated[str, null_means(str)]
Name = Annotated[str, Field(min_length=1, pattern=r"\S"), Else(as_name)]
Meta = Annotated[dict[str, Any], null_means(dict)]
