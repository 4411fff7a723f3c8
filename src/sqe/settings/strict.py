"""What all settings have in common, and the JSON documents that they name."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

_MOST_PROBLEMS = 3  # told of one document


class Strict(BaseModel):
    """An unknown key is an error, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


_S = TypeVar("_S", bound=Strict)


def read_json(model: type[_S], content: bytes) -> _S:
    """ValueError: it is broken, and where."""
    try:
        return model.model_validate(
            json.loads(content.decode("utf-8"), object_pairs_hook=_refuse_repeated_keys)
        )
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)[:_MOST_PROBLEMS]
        raise ValueError("; ".join(map(_describe, problems))) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key is there twice in one object")
    return members


def _describe(problem: Any) -> str:
    return ": ".join(filter(None, [".".join(map(str, problem["loc"])), problem["msg"]]))
