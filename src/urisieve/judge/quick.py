"""The judge with the kernel before it, which knows most faults of links, and hosts that were judged before.

It says what `urisieve.judge.judge` says.
"""

from __future__ import annotations

from urisieve.codes import REASONS, Component, Reason
from urisieve.judge.judge import Judged, judge
from urisieve.judge.proofs import proofs_of
from urisieve.judge.validate import Fault
from urisieve.kernel import either, kernel
from urisieve.lean import Final
from urisieve.options import Options, Repair
from urisieve.syntax.components import split
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded

# By the numbers of the kernel; see fault.h, where 0 is none, and components.h.
_REASONS: Final = (
    *(Reason.ILLEGAL_CHARACTER, Reason.BAD_PERCENT_ENCODING, Reason.BRACKET_OUTSIDE_HOST, Reason.SECOND_FRAGMENT),
    *(Reason.BAD_PORT, Reason.HOST_LABEL),
)
_COMPONENTS: Final = (
    *(Component.SCHEME, Component.USERINFO, Component.HOST, Component.PORT, Component.PATH, Component.QUERY),
    Component.FRAGMENT,
)
_UNREPAIRED: Final = Repair.OFF


def _by_kernel(text: str, options: Options) -> Judged | Fault:
    found = kernel.fault(text) if options.repair is _UNREPAIRED else None
    if found is not None:
        number, component, offset = found
        reason = _REASONS[number - 1]
        return tuple.__new__(Fault, (reason, _COMPONENTS[component], offset, REASONS[reason].section))
    # Of an internationalized host it knows what was judged before; a user has a warning, which no proof tells.
    if (text.isascii() and "xn--" not in text) or "@" in text or text[:4].lower() != "http":
        return judge(text, options)
    proofs = proofs_of(options)
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
