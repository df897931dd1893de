"""The judge with the kernel before it, which knows most faults of links, and hosts that were judged before.

It returns what `urisieve.judge.judge` returns. The module also defines `judge_with`, for components that are changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from urisieve.codes import REASONS, Component, Reason
from urisieve.errors import UsageError
from urisieve.finding_options import Options
from urisieve.judge.judge import Judged, judge
from urisieve.judge.proofs import proofs_of_candidates, unwanted
from urisieve.judge.validate import Fault
from urisieve.kernel import either, kernel
from urisieve.lean import Final
from urisieve.syntax.components import Components, recompose, split
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded
from urisieve.wording import did_you_mean

# What the kernel finds; tools/generate_kernel_tables.py gives it their names.
FAULTS: Final = (
    *(Reason.ILLEGAL_CHARACTER, Reason.BAD_PERCENT_ENCODING, Reason.BRACKET_OUTSIDE_HOST, Reason.SECOND_FRAGMENT),
    *(Reason.BAD_PORT, Reason.HOST_LABEL),
)
_REASONS: Final = {str(reason): reason for reason in FAULTS}
_COMPONENTS: Final = {str(component): component for component in Component}


def _by_kernel(text: str, options: Options) -> Judged | Fault:
    proofs = proofs_of_candidates(options)
    found = proofs.fault(text)
    if found is not None:
        name, component, offset = found
        if text[offset : offset + 1] in ("<", "[") and "10." in text:
            return judge(text, options)  # it may begin the end of a SICI
        reason = _REASONS[name]
        return tuple.__new__(Fault, (reason, _COMPONENTS[component], offset, REASONS[reason].section))
    # Of an internationalized host it knows what was judged before; a user has a warning, which no proof tells.
    if (text.isascii() and "xn--" not in text) or "@" in text or text[:4].lower() != "http":
        return judge(text, options)
    form, key = proofs.canonical(text), proofs.key(text)
    if form is not None and key is not None:
        return tuple.__new__(Judged, (form, key, None, ()))
    judged = judge(text, options)
    if isinstance(judged, Judged):
        _learn(split(text).host or "")
    return judged


def _learn(host: str) -> None:
    """Let the kernel remember the canonical form of a host, if it has no warnings and no dot at its end."""
    if "%" not in host and (not host.isascii() or "xn--" in host):
        verdict = dns_host(encoded(host))
        if verdict.reason is None and not verdict.warnings and verdict.host[-1] != ".":
            kernel.learn_host(host, verdict.host)


quick_judge: Final = either(_by_kernel, judge)
"""Judge the text of a candidate; see `judge`."""


def judge_with(parts: Components, changes: Mapping[str, str | None], options: Options) -> tuple[str, Judged | Fault]:
    """Put components together (RFC 3986 5.3) of which some are changed; return the text and the judgement.

    Args:
        parts: the components of a canonical form; by RFC 2141 `?` and `#` belong to the path of a URN.
        changes: the new components by name.
        options: how to judge.

    Raises:
        UsageError: there is no such component, a value is not text, or the text has other components.
    """
    known = Components._fields
    for name, value in changes.items():
        if name not in known:
            raise UsageError(f"there is no component {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}")
        if not isinstance(value, str) and (value is not None or name in ("scheme", "path")):
            raise UsageError(f"{name} is {type(value).__name__}: give text")
    parts = Components(**{**parts._asdict(), **changes})
    text = recompose(parts)
    judged = unwanted(text, options) or quick_judge(text, options)
    is_same = True  # what is not valid is refused in any case
    if parts.scheme.lower() != "urn":
        is_same = _split(text) == parts
    elif isinstance(judged, Judged):
        made = judged.parts or split(judged.uri)
        is_same = (made.query is None, made.fragment is None) == (parts.query is None, parts.fragment is None)
    if not is_same:
        names = " and ".join(changes)
        raise UsageError(f"with this {names} the identifier has other components: escape what delimits them")
    return text, judged


def _split(text: str) -> Components | None:
    try:
        return split(text)
    except ValueError:
        return None
