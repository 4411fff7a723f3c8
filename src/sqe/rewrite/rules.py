"""Everything that can happen to a statement between its user and an engine, in order.

    bound statement -> REFUSALS -> STATEMENT_REWRITES -> TIDY_RULES -> markers -> TEXT_REWRITES

A rule is a function in a file of its own; ``tests/sql`` has statements before and after each.
Refusals, rewrites and tidy rules are different types (``guarding.py``, ``rendering.py``): what is
mandatory cannot be mistaken for what is optional.
"""

from __future__ import annotations

from sqe.rewrite.apply_changes import apply_changes
from sqe.rewrite.apply_repairs import apply_repairs
from sqe.rewrite.check_writes import check_writes
from sqe.rewrite.fix_session_functions import fix_session_functions
from sqe.rewrite.guard_views import guard_relations
from sqe.rewrite.guarding import Refusal, StatementRewrite, Tidy
from sqe.rewrite.hold_writes import hold_writes
from sqe.rewrite.inline_guards import inline_guards
from sqe.rewrite.inline_metadata import inline_metadata
from sqe.rewrite.inline_views import inline_views
from sqe.rewrite.leave_out_barriers import leave_out_barriers
from sqe.rewrite.parameters import fill_markers
from sqe.rewrite.refusals import (
    refuse_absent,
    refuse_bad_changes,
    refuse_denied,
    refuse_metadata_of_partial,
    refuse_odd_names,
    refuse_partial_writes,
    refuse_undecided,
    refuse_unknown_columns,
)
from sqe.rewrite.rendering import TextRewrite
from sqe.rewrite.spell_qualifiers import spell_qualifiers
from sqe.rewrite.spell_tables import spell_tables

# May it run? What a refusal tells is for users whom no refusal before it has stopped.
REFUSALS: tuple[Refusal, ...] = (
    refuse_undecided,  # nobody decided on a table that it names
    refuse_denied,  # the policy denies it
    refuse_absent,  # a name means nothing, or what it means is broken
    refuse_partial_writes,  # it writes a table that its user sees in part, and cannot be checked
    refuse_metadata_of_partial,  # files and partitions would tell of hidden rows
    refuse_odd_names,  # branches, options and metadata tables where they do not belong
    refuse_bad_changes,  # ALTER TABLE names columns that are not there, or still in use
    refuse_unknown_columns,  # a column is not there, or is hidden from the user
)

# What does it mean for this user?
STATEMENT_REWRITES: tuple[StatementRewrite, ...] = (
    guard_relations,  # what is seen in part becomes a view: rows, masks, no hidden columns
    check_writes,  # a table that is written in part has a condition for its rows
)

# What is safe to leave out? Without these rules the answers are the same, and slower.
TIDY_RULES: tuple[Tidy, ...] = (
    leave_out_barriers,  # optimizers may move what cannot fail below a guard
)

# How does the engine read it?
TEXT_REWRITES: tuple[TextRewrite, ...] = (
    spell_tables,  # a table's name becomes a handle
    inline_views,  # a view becomes its query
    inline_guards,  # a guard becomes its query; keys of hash masks become markers
    inline_metadata,  # information_schema becomes the rows that the user may know of
    spell_qualifiers,  # hr.emp.salary follows what hr.emp has become
    fix_session_functions,  # current_user() and its kin become their values
    apply_changes,  # what the engine makes of it: values for markers, a count, a CALL
    hold_writes,  # a write becomes one of rows that meet the condition of check_writes
    apply_repairs,  # what the engine would carry out wrongly (engines/spark/repairs)
)

REWRITES = (
    *STATEMENT_REWRITES,
    *TIDY_RULES,
    fill_markers,  # each ? gets a value of a type, as soon as its request has one
    *TEXT_REWRITES,
)
