"""What the keys of a store depend on: keys made in different ways must not meet."""

from __future__ import annotations

import json
from typing import Final

from urisieve.errors import UsageError
from urisieve.options import DEFAULT_OPTIONS, Options

__all__ = ["CANONICAL_VERSION", "PARTS", "read_signature", "signature"]

# The version of the canonical forms: a change to any key raises it, and stores of another version are refused.
CANONICAL_VERSION: Final = 1
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
    from urisieve import namespaces, schemes

    names = {*schemes.plugged(), *(f"urn:{nid}" for nid in namespaces.plugged())}
    names.update(rule.name if isinstance(rule, schemes.Scheme) else f"urn:{rule.nid}" for rule in options.rules)  # type: ignore[union-attr] # rows once they are constructed
    return sorted(names)


def read_signature(text: str) -> tuple[Options, str]:
    """The options and the part of identifiers that a signature of this version stands for.

    Raises:
        UsageError: it is none, or that of another version.
    """
    fault = f"keys made by {text} are not those of this version: canonical {CANONICAL_VERSION}"
    try:
        made = json.loads(text)
        options = Options(level=made["level"], lossy=made["lossy"], urn_syntax=made["urn"])
        if signature(options, made["by"]) == json.dumps(made):
            return options, made["by"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(fault) from error
    raise UsageError(fault)
