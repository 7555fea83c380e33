"""What every object of a run file has in common: strict types, and unknown fields kept in `meta`."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator

from triage.core.records.faults import describe, refusal
from triage.core.records.free import tidy
from triage.core.records.values import Meta, remark


class Record(BaseModel):
    """One object of a run file. Frozen; unknown fields go to `meta` and are remarked on, never refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    #: Nesting level of this object within its line, and the path shown for its unknown fields.
    level: ClassVar[int] = 1
    path: ClassVar[str] = ""
    #: Fields whose null means the same as leaving them out.
    blanks: ClassVar[frozenset[str]] = frozenset()
    known: ClassVar[frozenset[str]] = frozenset()

    meta: Meta = Field(default_factory=dict, description="Anything else; unknown fields are kept here.")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls.known = frozenset(cls.model_fields)
        cls.blanks = frozenset(
            name
            for name, field in cls.model_fields.items()
            if not field.is_required() and field.get_default(call_default_factory=True) is not None
        )

    @model_validator(mode="before")
    @classmethod
    def gather_unknown(cls, data: object, info: ValidationInfo) -> object:
        """Move unknown fields into `meta` and drop nulls that say nothing."""
        if type(data) is not dict:
            return data
        if None in data.values():
            data = {key: value for key, value in data.items() if value is not None or key not in cls.blanks}
        if data.keys() <= cls.known and "meta" not in data:
            return data
        return cls._with_meta(data, info)

    @classmethod
    def _with_meta(cls, data: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        meta = data.get("meta", {})
        if not isinstance(meta, dict):
            raise refusal("an object", "Put the value under a key of its own.", found=describe(meta), at=".meta")
        gathered = dict(meta)
        for name in data.keys() - cls.known:
            remark(info, "unknown_field", cls.path + name)
            gathered[_free_name(name, gathered)] = data[name]
        kept = {name: value for name, value in data.items() if name in cls.known}
        kept["meta"] = tidy(gathered, cls.level + 1, info)
        return kept


def _free_name(name: str, taken: dict[str, Any]) -> str:
    """Return `name`, or the first variant of it that `taken` does not hold: nothing is overwritten."""
    while name in taken:
        name += "_"
    return name
