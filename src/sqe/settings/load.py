"""Reads the settings: defaults, then the file, then ``SQE_*`` variables, then flags."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from sqe.errors import ErrorCode, UserError
from sqe.settings.catalogs import CatalogSettings
from sqe.settings.settings import Settings

_PREFIX = "SQE_"
_ENVIRONMENT = "the environment"
# Variables with the prefix that are not settings: where the file is, a password for a server, and
# where tests look.
_NOT_SETTINGS = frozenset(
    {"SQE_CONFIG", "SQE_CORPORA", "SQE_JARS", "SQE_PASSWORD", "SQE_TEST_CACHE", "SQE_BENCH_CACHE"}
    | {"SQE_STACK_CACHE", "SQE_STACK_OFFSET"}
)


@dataclass(frozen=True)
class SettingsSource:
    """Where settings come from; the file may be read again later. ``path`` None: there is none."""

    path: Path | None
    from_env: Mapping[str, Any]
    flags: Mapping[str, Any]

    def load(self) -> Settings:
        return self.parse(_read(self.path) if self.path is not None else b"")

    def parse(self, content: bytes) -> Settings:
        """As if this stood in the file."""
        merged: dict[str, Any] = {}
        for source, values in (
            (str(self.path), _from_file(self.path, content) if self.path is not None else {}),
            (_ENVIRONMENT, self.from_env),
            ("the command line", self.flags),
        ):
            _merge(merged, values)
            _validate(merged, source)
        settings = _validate(merged, str(self.path or _ENVIRONMENT))
        return settings.model_copy(update={"home": settings.home.expanduser().absolute()})


def load_settings(
    file: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """The settings in force. An unknown key or a bad value is an error that names it."""
    return find_settings(file, flags, environ).load()


def find_settings(
    file: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> SettingsSource:
    """``SQE_SPARK__MASTER`` sets ``spark.master``; the file is ``file``, ``$SQE_CONFIG``, or
    ``<home>/sqe.toml`` where it exists.
    """
    env = os.environ if environ is None else environ
    from_env = _from_environment(env)
    path = file or (Path(env["SQE_CONFIG"]) if env.get("SQE_CONFIG") else None)
    if path is None:
        home = (flags or {}).get("home") or from_env.get("home") or Settings().home
        candidate = Path(home).expanduser() / "sqe.toml"
        path = candidate if candidate.is_file() else None
    return SettingsSource(path.absolute() if path else None, from_env, dict(flags or {}))


def validate_catalog(name: str, values: Mapping[str, Any], source: str) -> CatalogSettings:
    """One catalog, read as if it stood in the file. ``source`` is told in errors."""
    return _validate({"catalogs": {name: values}}, source).catalogs[name]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            ErrorCode.INVALID_SETTINGS, f"Cannot read settings from {path}: {error.strerror}."
        ) from error


def _from_file(path: Path, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(
            ErrorCode.INVALID_SETTINGS, f"{path} is not valid TOML: {error}."
        ) from error


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, text in env.items():
        if not key.startswith(_PREFIX) or key in _NOT_SETTINGS:
            continue
        node = values
        *parents, leaf = key[len(_PREFIX) :].lower().split("__")
        for parent in parents:
            node = node.setdefault(parent, {})
        node[leaf] = text
    return values


def _merge(into: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = dict(value) if isinstance(value, Mapping) else value


def _validate(values: Mapping[str, Any], source: str) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place, models = _walk(first["loc"])
        key = ".".join(place)
        if first["type"] == "extra_forbidden":
            hint = _nearest(place[-1], models[-1])
            if source == _ENVIRONMENT:
                below = first["input"]
                while isinstance(below, dict):  # a section that is not there: name all of it
                    place, below = [*place, next(iter(below))], next(iter(below.values()))
                key = variable_of(place)
                hint = _nearest_variable(place) or hint
            raise UserError(
                ErrorCode.INVALID_SETTINGS, f"Unknown setting {key} in {source}.", hint=hint
            ) from None
        why = first["msg"].removeprefix("Value error, ")
        raise UserError(ErrorCode.INVALID_SETTINGS, f"Setting {key} in {source}: {why}.") from None


def _walk(loc: tuple[int | str, ...]) -> tuple[list[str], list[Any]]:
    """The key as people write it, and the model that each part of it was looked up in. Where one
    of several kinds stands, pydantic has the kind's name in the place; nobody wrote that."""
    place: list[str] = []
    models: list[Any] = []
    model: Any = Settings
    for part in map(str, loc):
        kinds = kinds_of(model)
        if len(kinds) > 1:
            model = next(
                (kind for kind in kinds if kind.model_fields["type"].default == part), None
            )
            continue
        place.append(part)
        models.append(model)
        if get_origin(model) is dict:  # the part is a name that somebody chose
            model = get_args(model)[1]
        else:
            field = kinds[0].model_fields.get(part) if kinds else None
            model = field.annotation if field is not None else None
    return place, models


def kinds_of(annotation: Any) -> list[type[BaseModel]]:
    """The models that a setting can be: one, or several that their ``type`` tells apart."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (Annotated, Union, UnionType):
        return [kind for member in get_args(annotation) for kind in kinds_of(member)]
    return []


def _nearest(wrong: str, model: Any) -> str:
    fields = [name for kind in kinds_of(model) for name in kind.model_fields]
    close = difflib.get_close_matches(wrong, fields, n=1)
    return f"Did you mean {close[0]}?" if close else ""


def variable_of(place: Sequence[str]) -> str:
    """The variable of the environment that a setting is read from."""
    return _PREFIX + "__".join(place).upper()


def _nearest_variable(place: Sequence[str]) -> str:
    """Most are written with one underscore between the sections: SQE_LIMITS_RUNNING_QUERIES."""
    wrong = "_".join(place)
    known = {"_".join(path): variable_of(path) for path in _paths(Settings, ())}
    close = [wrong] if wrong in known else difflib.get_close_matches(wrong, known, n=1)
    if not close:
        return ""
    return f"Did you mean {known[close[0]]}? Two underscores stand between a section and its key."


def _paths(model: type[BaseModel], above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        sections = kinds_of(field.annotation)
        for section in sections:
            yield from _paths(section, (*above, name))
        if not sections:
            yield (*above, name)
