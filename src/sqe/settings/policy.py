"""Who may do what: where the rules come from."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr

from sqe.settings.secrets import SecretText
from sqe.settings.strict import Strict


class FileRulesSettings(Strict):
    """Rules in a file, in the form of Trino's ``rules.json``."""

    path: Path = Field(
        description="the file, in the home if it is relative; read again when it changes"
    )


class OpaSettings(Strict):
    """An Open Policy Agent that is asked as Trino's plugin asks it."""

    allow_url: str = Field(description="address of the rule that says yes or no")
    batch_url: str = Field(
        "", description="address of the rule that filters lists; none: one by one"
    )
    row_filters_url: str = Field("", description="address of the rule for row filters")
    column_mask_url: str = Field("", description="address of the rule for one column's mask")
    batch_column_masks_url: str = Field("", description="address of the rule for all masks at once")
    timeout_s: float = Field(2.0, gt=0, description="longest wait for an answer; then it is no")
    token: SecretText = Field(SecretStr(""), description="bearer token that OPA is shown")


class CedarSettings(Strict):
    """Cedar policies, judged in SQE's own process."""

    policies: Path = Field(
        description="the file of policies, or a folder of *.cedar files, in the home if it is "
        "relative; read again when it changes"
    )
    entities: Path | None = Field(
        None, description="a JSON file: which users, groups and roles are in which"
    )


class PolicySources(Strict):
    """Where rules come from: a field for each source."""

    sql: bool = Field(False, description="rules made with GRANT, REVOKE, DENY, kept in the store")
    file: FileRulesSettings | None = Field(None, description="rules in Trino's rules.json")
    opa: OpaSettings | None = Field(None, description="an Open Policy Agent")
    cedar: CedarSettings | None = Field(None, description="Cedar policies")


class PolicySettings(PolicySources):
    """All sources that are named here are asked; any deny denies. None named: the catalogs' own
    grants are the only gate."""

    administrators: tuple[str, ...] = Field(
        (),
        description="users whom the rules made with SQL allow everything, as the first grants, and "
        "who may attach catalogs",
    )
    administrator_groups: tuple[str, ...] = Field(
        (), description="groups whose members are administrators"
    )
    cache_s: float = Field(30.0, ge=0, description="how long a decision is kept; 0 is not at all")
    hash_keys: dict[str, SecretText] = Field(
        default_factory=dict, description="keys of the hash masks, by name"
    )
