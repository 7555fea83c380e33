"""What every object of a run file has in common: strict types, and unknown fields kept in `meta`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from triage.core.records.faults import refusal
from triage.core.records.free import tidy
from triage.core.records.values import Around, Meta, remark


class Record(BaseModel):
    """One object of a run file. Frozen; unknown fields go to `meta` and are remarked on, never refused."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    #: Nesting level of this object within its line, and the path shown for its unknown fields.
    level: ClassVar[int] = 1
    path: ClassVar[str] = ""

    meta: Meta = Field(default_factory=dict, description="Anything else; unknown fields are kept here.")

    def keep_unknown(self, info: ValidationInfo, at: str = "") -> None:
        """Move unknown fields into `meta` and tidy it. `at`: where this object stands, for messages."""
        extra = self.__pydantic_extra__
        if not extra and not self.meta:
            return
        tidied = gathered(self.meta, extra or {}, info, level=self.level, path=self.path, at=at)
        # The one change to a frozen record, made before anybody else sees it.
        self.__dict__["meta"] = tidied
        self.__pydantic_fields_set__.add("meta")
        (extra or {}).clear()


class Line(Record):
    """An object with a line of its own: nobody else keeps its unknown fields."""

    @model_validator(mode="after")
    def keep_own_unknown(self, info: ValidationInfo) -> Self:
        """Move unknown fields into `meta`."""
        self.keep_unknown(info)
        return self


AnyOne = TypeVar("AnyOne", bound=Record)


def kept(records: Sequence[AnyOne] | None, info: ValidationInfo) -> Any:  # noqa: ANN401 - the list it was given
    """Keep the unknown fields of every object of a list; the validator of lists of objects."""
    for number, record in enumerate(records or ()):
        if record.__pydantic_extra__ or record.meta:
            record.keep_unknown(info, f"[{number}]")
    return records


def kept_one(record: AnyOne | None, info: ValidationInfo) -> AnyOne | None:
    """Keep the unknown fields of an object within an object."""
    if record is not None:
        record.keep_unknown(info)
    return record


def gathered(
    meta: dict[str, Any], unknown: dict[str, Any], info: Around, *, level: int = 1, path: str = "", at: str = ""
) -> dict[str, Any]:
    """Return `meta` with the unknown fields of its object in it, tidied. The rest as for `Record`."""
    found = dict(meta)
    for name, value in unknown.items():
        remark(info, "unknown_field", path + name)
        found[_free_name(name, found)] = value
    try:
        return dict(tidy(found, level + 1, info))
    except PydanticCustomError as error:
        raise refusal(**{**(error.context or {}), "at": f"{at}.meta"}) from None


def _free_name(name: str, taken: dict[str, Any]) -> str:
    """Return `name`, or the first variant of it that `taken` does not hold: nothing is overwritten."""
    while name in taken:
        name += "_"
    return name
