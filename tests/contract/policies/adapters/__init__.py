"""One adapter for each source of policies."""

from tests.contract.policies.adapters.adapter import Adapter
from tests.contract.policies.adapters.cedar import CedarAdapter
from tests.contract.policies.adapters.file_rules import FileAdapter
from tests.contract.policies.adapters.opa import OpaAdapter
from tests.contract.policies.adapters.read_restrictions import RestrictionsAdapter
from tests.contract.policies.adapters.sql import SqlAdapter

ADAPTERS: tuple[Adapter, ...] = (
    SqlAdapter(),
    FileAdapter(),
    OpaAdapter("opa", batched=True),
    OpaAdapter("opa, one by one", batched=False),
    CedarAdapter(),
    RestrictionsAdapter(),
)
