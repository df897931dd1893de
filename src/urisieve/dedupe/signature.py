"""Signatures: the settings on which the keys of a store depend. Keys of different signatures must not be mixed."""

from __future__ import annotations

from enum import StrEnum

from urisieve.errors import UsageError
from urisieve.lean import Final
from urisieve.merging import NAMED_STEPS, PROFILES, MergeStep, Profile
from urisieve.options import DEFAULT_OPTIONS, Options, merging_of
from urisieve.rules.tracking import tracking_date

# The version of the canonical forms: a change to any key raises it, and stores of another version are refused.
CANONICAL_VERSION: Final = 3


class By(StrEnum):
    """The part of an identifier that is its key."""

    KEY = "key"
    HOST = "host"
    PATH = "scheme+host+path"


# The values of `By`.
PARTS: Final = tuple(map(str, By))


def signature(options: Options | None = None, by: str = "key") -> str:
    """Return the settings that decide the key of an identifier, as one line of JSON.

    Args:
        options: how identifiers are normalized.
        by: the part of them that is the key.

    Raises:
        UsageError: `by` is not a choice.
    """
    if by not in PARTS:
        raise UsageError(f"by={by!r} is not a choice; use one of {', '.join(map(repr, PARTS))}")
    chosen = DEFAULT_OPTIONS if options is None else options
    merge = merging_of(chosen)
    made: dict[str, object] = {
        "canonical": CANONICAL_VERSION,
        "level": str(chosen.level),
        "lossy": [str(step) for step in merge.steps],
        "urn": str(chosen.urn_syntax),
        "by": by,
    }
    for name in ("drop_params", "keep_params"):
        if getattr(merge, name):
            made[name] = list(map(str, getattr(merge, name)))
    if MergeStep.DROP_TRACKING in merge.steps:
        made["tracking"] = tracking_date()
    rules = _rules_of_others(chosen)
    if rules:
        made["rules"] = rules
    import json

    return json.dumps(made)


def _rules_of_others(options: Options) -> list[str]:
    """Return the names of the schemes and namespaces whose rules come from the options or from plug-ins."""
    from urisieve.rules import namespace_table as namespaces
    from urisieve.rules import scheme_table as schemes
    from urisieve.rules.scheme_table import Scheme

    names = {*schemes.plugged(), *(f"urn:{nid}" for nid in namespaces.plugged())}
    names.update(rule.name if isinstance(rule, Scheme) else f"urn:{rule.nid}" for rule in options.rules)  # type: ignore[union-attr] # rows once they are constructed
    return sorted(names)


def renewal(text: str) -> str:
    """Return how to renew a store of another version of the canonical forms, by its signature; "" for this version.

    The text continues a sentence. A store holds digests of keys, which cannot be converted.
    """
    import json

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


def differences(text: str, other: str) -> tuple[str, str]:
    """Return what two signatures do not share, each as `name=values`; the texts themselves if they are no signatures.

    >>> differences(signature(Options(merge="page,lower-path")), signature())
    ('merge=page,lower-path', 'merge=rfc')
    """
    one, two = _settings(text), _settings(other)
    # The date of the table differs also where only one has the step of it.
    apart = [name for name in {**one, **two} if one.get(name) != two.get(name)]
    apart = [name for name in apart if name != "tracking" or (name in one and name in two)]
    if not one or not two or not apart:
        return text, other
    first, second = (", ".join(f"{name}={made.get(name, 'none')}" for name in apart) for made in (one, two))
    return first, second


def _settings(text: str) -> dict[str, str]:
    import json

    try:
        made = json.loads(text)
        merge = _names_of_steps(made["lossy"])
        return {
            "merge" if name == "lossy" else name: merge if name == "lossy" else _listed(value)
            for name, value in made.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _listed(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _names_of_steps(steps: list[str]) -> str:
    """Return the names of the largest profile that the steps hold, and of the other steps."""
    rest = [step for step in steps if step in NAMED_STEPS]
    held = [name for name, its in PROFILES.items() if set(its) <= set(rest)]
    profile = max(held, key=lambda name: len(PROFILES[name]))
    others = [step for step in rest if step not in PROFILES[profile]]
    return ",".join([profile, *others] if PROFILES[profile] or not others else others)


def is_signature(text: str) -> bool:
    """Report whether a text could be the signature of some version."""
    import json

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def read_signature(text: str) -> tuple[Options, str]:
    """Return the options and the part of identifiers of a signature of this version.

    Raises:
        UsageError: the text is not a signature, or one of another version.
    """
    fault = f"keys made by {text} are not those of this version: canonical {CANONICAL_VERSION}{renewal(text)}"
    import json

    try:
        made = json.loads(text)
        own = {name: made[name] for name in ("drop_params", "keep_params") if name in made}
        steps = [step for step in made["lossy"] if step.replace("-", "_") not in own]
        options = Options(level=made["level"], merge=Profile(steps, **own), urn_syntax=made["urn"])
        if signature(options, made["by"]) == json.dumps(made):
            return options, made["by"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(fault) from error
    raise UsageError(fault)
