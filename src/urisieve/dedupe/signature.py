"""What the keys of a store depend on: keys made in different ways must not meet."""

from __future__ import annotations

import json
from typing import Final

from urisieve.errors import UsageError
from urisieve.options import DEFAULT_OPTIONS, Options

__all__ = ["CANONICAL_VERSION", "PARTS", "read_signature", "renewal", "signature"]

# The version of the canonical forms: a change to any key raises it, and stores of another version are refused.
CANONICAL_VERSION: Final = 2
# Which parts of an identifier can be its key.
PARTS: Final = ("key", "host", "scheme+host+path")


def signature(options: Options | None = None, by: str = "key") -> str:
    """What decides which key a text has, as one line of JSON.

    Args:
        options: how identifiers are normalized.
        by: which part of them is the key.

    Raises:
        UsageError: `by` is no choice.
    """
    if by not in PARTS:
        raise UsageError(f"by={by!r} is not a choice; use one of {', '.join(map(repr, PARTS))}")
    chosen = DEFAULT_OPTIONS if options is None else options
    made: dict[str, object] = {
        "canonical": CANONICAL_VERSION,
        "level": str(chosen.level),
        "lossy": [str(step) for step in chosen.lossy],
        "urn": str(chosen.urn_syntax),
        "by": by,
    }
    rules = _rules_of_others(chosen)
    if rules:
        made["rules"] = rules
    return json.dumps(made)


def _rules_of_others(options: Options) -> list[str]:
    """The names of the schemes and namespaces whose rules come with the options or with plug-ins."""
    from urisieve.rules import namespace_table as namespaces
    from urisieve.rules import scheme_table as schemes
    from urisieve.rules.scheme import Scheme

    names = {*schemes.plugged(), *(f"urn:{nid}" for nid in namespaces.plugged())}
    names.update(rule.name if isinstance(rule, Scheme) else f"urn:{rule.nid}" for rule in options.rules)  # type: ignore[union-attr] # rows once they are constructed
    return sorted(names)


def renewal(text: str) -> str:
    """How a store is renewed whose signature is that of another version of the canonical forms; "" for this version.

    The text stands behind a sentence. A store holds digests of keys, which nothing can be made of again.
    """
    try:
        made = json.loads(text)
        version = made["canonical"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    if version == CANONICAL_VERSION or not isinstance(version, int):
        return ""
    age = "an older" if version < CANONICAL_VERSION else "a newer"
    by = f" --by {made['by']}" if made.get("by") in PARTS[1:] else ""
    return (
        f"; {age} version of urisieve made it, and canonical forms differ between version {version} and "
        f"{CANONICAL_VERSION}. A store holds digests, not texts, and cannot be converted: make a new one from the "
        "files whose keys are in it, with the same options, "
        f"by `urisieve dedupe{by} --store NEW.db FILE ... > /dev/null`, and use that one"
    )


def read_signature(text: str) -> tuple[Options, str]:
    """The options and the part of identifiers that a signature of this version stands for.

    Raises:
        UsageError: it is none, or that of another version.
    """
    fault = f"keys made by {text} are not those of this version: canonical {CANONICAL_VERSION}{renewal(text)}"
    try:
        made = json.loads(text)
        options = Options(level=made["level"], lossy=made["lossy"], urn_syntax=made["urn"])
        if signature(options, made["by"]) == json.dumps(made):
            return options, made["by"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(fault) from error
    raise UsageError(fault)
