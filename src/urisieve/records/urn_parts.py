"""The view of a URN: its components by RFC 8141 2, and the parts that its namespace defines.

Everything is computed when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

from urisieve.codes import Notice, Warn
from urisieve.finding_options import UrnSyntax
from urisieve.judge.urn import parse_urn, same_nss, urn_notices
from urisieve.lean import Final
from urisieve.rules.table import KNOWN_RULES, RuleTable
from urisieve.syntax import grammar
from urisieve.syntax.components import SPACES, Components

_NO_SPACES: Final = dict.fromkeys(map(ord, SPACES))


class Urn:
    """A URN taken apart (RFC 8141 2): a view of the record that has it, `Record.urn`.

    The parts that a namespace defines are attributes too: `record.urn.country_code` of a `urn:nbn`. `parts` has all
    of them; the rule of the namespace says which there are.

    >>> from urisieve import parse
    >>> from urisieve.types import Urn
    >>> urn = parse("urn:isbn:0-395-36341-1").urn
    >>> if isinstance(urn, Urn):
    ...     print(urn.nid, urn.nss, urn.assigned_name)
    isbn 0395363411 urn:isbn:0395363411

    Raises:
        AttributeError: an attribute is neither one of a URN nor a part that its namespace defines.
    """

    def __init__(self, components: Components, written: str, rules: RuleTable = KNOWN_RULES) -> None:
        """Take apart the canonical components of a URN.

        Args:
            components: those of the canonical form.
            written: the NSS as it appears in the text.
            rules: the rule table with the row of its namespace.
        """
        self._components = components
        self._written = written
        self._rules = rules

    @property
    def assigned_name(self) -> str:
        """The URN without r-, q- and f-component, in canonical form (RFC 8141 2)."""
        return f"{self._components.scheme}:{self._components.path}"

    @property
    def nid(self) -> str:
        """The namespace identifier, in lower case in canonical form (RFC 8141 2.1)."""
        return self._components.path.partition(":")[0]

    @property
    def nss(self) -> str:
        """The namespace specific string, in canonical form (RFC 8141 2.2)."""
        return self._components.path.partition(":")[2]

    @property
    def r_component(self) -> str | None:
        """The text after `?+` (RFC 8141 2.3.1); None if there is none, and for a URN of RFC 2141."""
        return self._rq[0]

    @property
    def q_component(self) -> str | None:
        """The text after `?=` (RFC 8141 2.3.2); None if there is none, and for a URN of RFC 2141."""
        return self._rq[1]

    @property
    def f_component(self) -> str | None:
        """The text after `#` (RFC 8141 2.3.3); None if there is none, and for a URN of RFC 2141."""
        return self._components.fragment

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """The parts of the NSS by the names that its namespace defines; a part that the URN lacks is left out.

        Empty if the namespace defines no syntax of its own, or if the NSS does not follow it. The parts are those of
        the canonical form, and those that only the text as it was shows, such as the groups of a hyphenated ISBN.
        """
        rule = self._rules.namespace(self.nid.lower())
        return MappingProxyType({**rule.parts(self._written), **rule.parts(self.nss)})

    @cached_property
    def _rq(self) -> tuple[str | None, str | None]:
        query = self._components.query
        match = None if query is None else grammar.compiled("rq-components").fullmatch(f"?{query}")
        return (None, None) if match is None else (match["r"], match["q"])

    def __getattr__(self, name: str) -> str:
        if name[:1] != "_":
            if name in self.parts:
                return self.parts[name]
            known = ", ".join(self.parts) or "none"
            raise AttributeError(f"urn:{self.nid} has no part {name!r} here; the named parts are: {known}")
        raise AttributeError(f"'Urn' object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.parts]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Urn):
            return NotImplemented
        return (self._components, self._written) == (other._components, other._written)

    def __hash__(self) -> int:
        return hash((self._components, self._written))

    def __reduce__(self) -> tuple[object, ...]:
        return Urn, (self._components, self._written, self._rules)

    def __repr__(self) -> str:
        return f"<Urn {self.assigned_name!r}>"


def _written_nss(components: Components, raw: str, rules: RuleTable) -> str:
    """Return the NSS as it appears in the text if the text can be read as the same URN, else the canonical NSS.

    The text may be defanged, repaired or escaped: then only the canonical form is known.
    """
    nid, _, nss = components.path.partition(":")
    if raw[-1:].isalnum() and raw[:4].lower() != "urn:":
        from urisieve.judge.bare_names import hyphenated

        bare = hyphenated(raw)  # its hyphens and blanks show the groups of an ISBN
        return nss if bare is None or not same_nss(nid.lower(), bare, nss, rules) else bare
    rest = raw.translate(_NO_SPACES).partition(":")[2]
    found, _, written = rest.partition(":")
    if components.query is not None or components.fragment is not None:
        written = written.partition("#")[0].partition("?")[0]
    if found.lower() != nid.lower() or not same_nss(nid.lower(), written, nss, rules):
        return nss
    return written


def urn_of(components: Components, raw: str, rules: RuleTable) -> Urn:
    """Return the `Urn` of canonical components and the text that it appears in."""
    return Urn(components, _written_nss(components, raw, rules), rules)


def notices_of_urn(components: Components, raw: str, warnings: tuple[Warn, ...], rules: RuleTable) -> list[Notice]:
    """Return the notices of the warnings of a URN, in the order of the rules: only those that the record has.

    A record does not say by which RFC it was judged: both are tried, and a notice is dropped if the record lacks its
    warning.
    """
    written = _written_nss(components, raw, rules)
    rest = "".join(
        f"{mark}{part}" for mark, part in (("?", components.query), ("#", components.fragment)) if part is not None
    )
    text = f"urn:{components.path.partition(':')[0]}:{written}{rest}"
    found: dict[Notice, None] = {}
    for syntax in UrnSyntax:
        match = parse_urn(text, syntax)
        if match is not None:
            found.update(dict.fromkeys(urn_notices(match, syntax, rules)))
    return [notice for notice in found if notice.warn in warnings]
