"""Rules of a ``rules.json`` that can never count, found by reading the file alone.

In each section the first rule that fits decides. A rule is never reached if earlier ones fit all
that it fits, be it together; it fits nobody if its expression fits no name; and what it gives in a
catalog counts for nothing where ``catalogs`` lets nobody in. Names are taken to be neither empty
nor of several lines.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqe.policy.name_patterns import NamePattern, read_pattern
from sqe.policy.rule_set import Finding

# Names of things fit whatever their case.
_THINGS = ("catalog", "schema", "table", "function", "procedure")
# Who asks may have none of them, and a query that is not there yet has no owner.
_MAY_LACK = ("group", "role", "original_role", "queryOwner")
_ASKED = (*_THINGS, *_MAY_LACK, "user", "property", "original_user", "new_user")
_SPELLED = {"originalUser": "original_user", "newUser": "new_user"}
_OF_CATALOGS = ("catalog", "user", "group", "role")
_SECTIONS = (
    *("catalogs", "schemas", "tables", "functions", "procedures", "queries", "impersonation"),
    *("system_information", "system_session_properties", "catalog_session_properties"),
)
_IN_CATALOGS = ("schemas", "tables", "functions", "procedures", "catalog_session_properties")
_SYSTEM = {"catalog": "system", "allow": "all"}  # Trino's last rule of catalogs
_MOST = 64  # combinations of what stands between ``|``


@dataclass(frozen=True)
class _Pattern:
    """``meaning``: None where it is not known. ``text``: None for a part of one."""

    text: str | None
    meaning: NamePattern | None

    def fits_all_of(self, other: _Pattern) -> bool:
        if self.text == other.text:
            return True
        if self.meaning is None:
            return False
        if other.meaning is None:
            return self.meaning.fits_any_name
        return all(map(self.meaning.fits_all_of, other.meaning.branches))

    def apart_from(self, other: _Pattern) -> bool:
        """An upper case letter that is not ASCII could fit one pattern, its lower case the
        other: nothing is said of those."""
        if self.meaning is None or other.meaning is None:
            return False
        return f"{self.text}{other.text}".isascii() and self.meaning.apart_from(other.meaning)

    def parts(self) -> Iterator[_Pattern]:
        if self.meaning is None:
            yield self
        else:
            for branch in self.meaning.branches:
                yield _Pattern(None, replace(self.meaning, branches=(branch,)))


Rule = Mapping[str, _Pattern]  # what it asks for; what it does not ask about is not in it
_ANYTHING = _Pattern(None, None)


def lint_file_rules(content: bytes) -> Iterator[Finding]:
    """Of a file that could be read."""
    document: dict[str, Any] = json.loads(content)
    catalogs = document.get("catalogs")
    for section in _SECTIONS:
        written = document.get(section) or ()
        rules = [_rule(file_rule) for file_rule in written]
        for place, rule in enumerate(rules):
            where = f"{section}, rule {place + 1}"
            within = section in _IN_CATALOGS and _gives(written[place])
            never = _never_fits(rule)
            words = never or _shadow(rule, rules[:place])
            if not words and within and catalogs is not None:
                words = _explain_exclusion(rule, catalogs)
            if words:
                yield Finding(where, "never" if never else "shadowed", words)


def _rule(written: Mapping[str, Any]) -> Rule:
    asked = {_SPELLED.get(key, key): text for key, text in written.items()}
    found: dict[str, _Pattern] = {}
    for key in _ASKED:
        text = asked.get(key)
        if text is None:
            continue
        if key == "new_user" and "$" in text:
            # What ``$1`` stands for hangs on who asks, and on what is captured of that.
            found[key] = _Pattern(f"{text} of {asked.get('original_user')}", None)
        else:
            found[key] = _Pattern(text, read_pattern(text, key in _THINGS))
    return found


def _never_fits(rule: Rule) -> str:
    for key, pattern in rule.items():
        if pattern.meaning is not None and pattern.meaning.fits_no_name:
            return f"never fits: no {key} is {pattern.text!r}"
    return ""


def _shadow(rule: Rule, earlier: Sequence[Rule]) -> str:
    if place := _first_that_fits(earlier, rule):
        return f"never reached: rule {place} fits everything that it fits"
    parts = list(itertools.islice(_parts(rule), _MOST + 1))
    if len(parts) > _MOST:
        return ""
    places = {_first_that_fits(earlier, part) for part in parts}
    if 0 in places:
        return ""
    numbers = " and ".join(str(place) for place in sorted(places))
    return f"never reached: rules {numbers} together fit everything that it fits"


def _first_that_fits(earlier: Sequence[Rule], rule: Rule) -> int:
    """0: none does."""
    fitting = (place for place, one in enumerate(earlier, 1) if _fits_all_of(one, rule))
    return next(fitting, 0)


def _parts(rule: Rule) -> Iterator[Rule]:
    """One for each way through what stands between ``|``."""
    for chosen in itertools.product(*(one.parts() for one in rule.values())):
        yield dict(zip(rule, chosen, strict=True))


def _fits_all_of(earlier: Rule, later: Rule) -> bool:
    """Who has a group that fits the one has a group that fits the other, as with names."""
    return all(
        (key in later or key not in _MAY_LACK) and pattern.fits_all_of(later.get(key, _ANYTHING))
        for key, pattern in earlier.items()
    )


def _gives(written: Mapping[str, Any]) -> bool:
    return bool(written.get("privileges") or written.get("owner") or written.get("allow"))


def _explain_exclusion(rule: Rule, catalogs: Sequence[Mapping[str, Any]]) -> str:
    """Whether ``catalogs`` lets nobody in whom the rule is for. Somebody may be in any groups and
    roles at once, but has one name."""
    who = {key: rule[key] for key in _OF_CATALOGS if key in rule}
    for place, written in enumerate((*catalogs, _SYSTEM), 1):
        other = _rule(written)
        both = other.keys() & who.keys() & {"user", "catalog"}
        if any(other[key].apart_from(who[key]) for key in both):
            continue
        if str(written["allow"]).lower() not in ("none", "false"):
            return ""
        if _fits_all_of(other, who):
            return f"gives nothing: rule {place} of catalogs lets nobody in"
    return "gives nothing: no rule of catalogs lets anybody in"
