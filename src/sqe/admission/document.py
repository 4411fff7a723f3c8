"""The form of Trino's ``resource-groups.json``. Whatever is not known here breaks the file: a limit
that is left out would not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from sqe.admission.amounts import Duration, Memory, Size
from sqe.model.java_regex import java_regex
from sqe.settings.strict import Strict, read_json

Policy = Literal["fair", "weighted", "weighted_fair", "query_priority"]
QueryType = Literal[
    "SELECT",
    "EXPLAIN",
    "DESCRIBE",
    "INSERT",
    "UPDATE",
    "MERGE",
    "DELETE",
    "ANALYZE",
    "DATA_DEFINITION",
    "ALTER_TABLE_EXECUTE",
]
_VARIABLE = re.compile(r"\$\{([A-Za-z][A-Za-z0-9_]*)\}")
_GIVEN = {"USER", "SOURCE"}  # besides the named groups of a selector's expressions
_NAMED_GROUP = re.compile(r"\(\?<([A-Za-z][A-Za-z0-9]*)>")


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _regex(value: Any) -> re.Pattern[str]:
    """Java's, whose named groups Python spells ``(?P<name>…)``."""
    if not isinstance(value, str):
        raise ValueError("a regular expression in quotes belongs here")
    names = list(_NAMED_GROUP.finditer(value))
    if not names:
        return java_regex(value)
    java_regex(_NAMED_GROUP.sub("(", value))  # refuses what Python would read differently
    try:
        return re.compile(_NAMED_GROUP.sub(r"(?P<\1>", value), re.ASCII)
    except re.error as error:
        raise ValueError(f"{value!r} is not a regular expression: {error}") from None


Regex = Annotated[re.Pattern[str], BeforeValidator(_regex)]


class GroupSpec(Strict):
    """A group and those below it. ``name`` may be, or hold, a variable such as ``${USER}``: then
    there is one group for each of its values."""

    name: str = Field(min_length=1)
    hard_concurrency: int = Field(
        ge=0, validation_alias=AliasChoices("hardConcurrencyLimit", "maxRunning")
    )
    soft_concurrency: int | None = Field(None, ge=0, alias="softConcurrencyLimit")
    max_queued: int = Field(ge=0, alias="maxQueued")
    soft_memory: Memory | None = Field(None, alias="softMemoryLimit")
    soft_cpu: Duration | None = Field(None, alias="softCpuLimit")
    hard_cpu: Duration | None = Field(None, alias="hardCpuLimit")
    policy: Annotated[Policy, BeforeValidator(_lower)] = Field("fair", alias="schedulingPolicy")
    weight: int = Field(1, ge=1, alias="schedulingWeight")
    jmx_export: bool = Field(False, alias="jmxExport")
    groups: tuple[GroupSpec, ...] = Field((), alias="subGroups")

    @model_validator(mode="after")
    def _limits_agree(self) -> Self:
        if self.soft_concurrency is not None and self.soft_concurrency > self.hard_concurrency:
            raise ValueError("softConcurrencyLimit is larger than hardConcurrencyLimit")
        if self.soft_cpu is not None and self.hard_cpu is None:
            raise ValueError("softCpuLimit needs a hardCpuLimit")
        if (
            self.soft_cpu is not None
            and self.hard_cpu is not None
            and self.soft_cpu > self.hard_cpu
        ):
            raise ValueError("softCpuLimit is larger than hardCpuLimit")
        if self.policy == "query_priority":
            other = next((sub for sub in self.groups if sub.policy != "query_priority"), None)
            if other is not None:
                raise ValueError(
                    f"the groups below need schedulingPolicy query_priority, {other.name!r} has not"
                )
        _check_names(self.groups)
        return self

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(_VARIABLE.findall(self.name))

    def name_for(self, values: Mapping[str, str]) -> str:
        return _VARIABLE.sub(lambda match: values[match[1]], self.name)

    def walk(self) -> Iterator[GroupSpec]:
        yield self
        for group in self.groups:
            yield from group.walk()


class DurationRange(Strict):
    min: Duration | None = None
    max: Duration | None = None


class SizeRange(Strict):
    min: Size | None = None
    max: Size | None = None


class Estimates(Strict):
    """Of the client, for the statement (``X-Trino-Resource-Estimate``)."""

    execution_time: DurationRange | None = Field(None, alias="executionTime")
    cpu_time: DurationRange | None = Field(None, alias="cpuTime")
    peak_memory: SizeRange | None = Field(None, alias="peakMemory")


class Selector(Strict):
    """Which statements go to ``group``; what is not said fits all."""

    user: Regex | None = None
    user_group: Regex | None = Field(None, alias="userGroup")
    source: Regex | None = None
    query_text: Regex | None = Field(None, alias="queryText")
    client_tags: frozenset[str] = Field(frozenset(), alias="clientTags")
    query_type: Annotated[QueryType, BeforeValidator(_upper)] | None = Field(
        None, alias="queryType"
    )
    estimates: Estimates | None = Field(None, alias="selectorResourceEstimate")
    group: str = Field(min_length=1)

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(self.group.split("."))

    @property
    def variables(self) -> frozenset[str]:
        """That a name may use: of the groups in its expressions."""
        expressions = (self.user, self.source)
        return frozenset(_GIVEN).union(*(found.groupindex for found in expressions if found))


class Document(Strict):
    roots: tuple[GroupSpec, ...] = Field(alias="rootGroups")
    selectors: tuple[Selector, ...]
    cpu_period: Duration | None = Field(None, alias="cpuQuotaPeriod")

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        _check_names(self.roots)
        specs = [spec for root in self.roots for spec in root.walk()]
        limited = next((spec for spec in specs if spec.hard_cpu is not None), None)
        if limited is not None and not self.cpu_period:
            raise ValueError(f"cpuQuotaPeriod is missing, and group {limited.name!r} limits cpu")
        for number, selector in enumerate(self.selectors):
            try:
                specs_of(self.roots, selector)
            except ValueError as error:
                raise ValueError(f"selectors.{number}.group: {error}") from None
        return self


def specs_of(roots: tuple[GroupSpec, ...], selector: Selector) -> list[GroupSpec]:
    """The groups from the root down to the one that the selector names. ValueError: it is not
    there, is not a leaf, or has a variable that the selector does not know."""
    chain: list[GroupSpec] = []
    level = roots
    for name in selector.path:
        spec = next((spec for spec in level if spec.name == name), None)
        if spec is None:
            raise ValueError(f"there is no group {selector.group!r}")
        unknown = spec.variables - selector.variables
        if unknown:
            raise ValueError(f"nothing says what ${{{min(unknown)}}} is")
        chain.append(spec)
        level = spec.groups
    if level:
        raise ValueError(f"{selector.group!r} has groups below it, and only those take queries")
    return chain


def read_document(content: bytes) -> Document:
    """ValueError: it is broken, and where."""
    return read_json(Document, content)


def _check_names(groups: tuple[GroupSpec, ...]) -> None:
    names = [group.name for group in groups]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"two groups are called {repeated!r}")
    dotted = next((name for name in names if "." in name), None)
    if dotted is not None:
        raise ValueError(f"a name cannot have a dot: {dotted!r}")
