"""How names and identifiers are shown: defanged, passwords masked, isolated from the text around, of bounded length.

A report is passed on and pasted into mails and chats, whose programs make links of all that looks like one.
"""

from __future__ import annotations

from collections.abc import Callable

from urisieve.identifiers import check
from urisieve.lean.hints import Final
from urisieve.records.defanging import defang
from urisieve.records.masking import hides_password, masked_with_offset
from urisieve.records.record import Record
from urisieve.sinks.output_fields.defanged_values import INNER_ADDRESS, defanged_invalid
from urisieve.sinks.report.markup import Markup, element, without_middle
from urisieve.syntax.passwords import userinfo_password

__all__ = ["LABEL_LIMIT", "NAME_LIMIT", "NameForm", "Names"]

# The most characters of a name in a table: three lines on the screen of a telephone.
NAME_LIMIT: Final = 96
# The most characters of the label of a bar, which cannot be broken into lines.
LABEL_LIMIT: Final = 32
# The most characters of the whole name in the tooltip of a shortened one.
_WHOLE_LIMIT: Final = 1_024
# Links are for people who follow them; whatever else a browser may do with a scheme is not wanted.
_LINKED: Final = frozenset(["http", "https"])

NameForm = Callable[[str], str]


class Names:
    """How the names on a page are written.

    Args:
        links: whether identifiers are written as they are, and those of `http` and `https` are links.
    """

    def __init__(self, *, links: bool) -> None:
        self._links = links

    def plain(self, name: str) -> str:
        """Return a name that is no address, such as that of a scheme."""
        return name

    def host(self, name: str) -> str:
        """Return a host: defanged as in an identifier."""
        return name if self._links else defang(f"http://{name}").removeprefix("hxxp://")

    def source(self, name: str) -> str:
        """Return the name of a source: a path, and perhaps an address behind it, as in archives of the web."""
        return INNER_ADDRESS.sub(lambda match: self.identifier(match[0]), name)

    def identifier(self, text: str) -> str:
        """Return an identifier, or a text that is none, with its password masked."""
        masked, _ = masked_with_offset(text, 0)
        if self._links:
            return masked
        is_bare = "." in masked.partition(":")[0]  # a host, perhaps with a port, or an address
        return defanged_invalid(masked) if is_bare or ("://" in masked and defang(masked) == masked) else defang(masked)

    def cell(self, text: str, form: NameForm, *, whole: bool) -> Markup:
        """Return a name for a table.

        Args:
            text: the name.
            form: one of the methods above.
            whole: whether there is room for the whole name as a tooltip, and for a link.
        """
        shown = form(text)
        short = without_middle(shown, NAME_LIMIT)
        title = shown if whole and short != shown and len(text) <= _WHOLE_LIMIT else None
        isolated = element("bdi", short, title=title)
        target = self._target(text) if whole and form == self.identifier else None
        if target is None:
            return isolated
        return element("a", isolated, href=target, rel="noreferrer noopener")

    def label(self, text: str, form: NameForm) -> str:
        """Return a name for a bar of a chart."""
        return without_middle(form(text), LABEL_LIMIT)

    def _target(self, text: str) -> str | None:
        """Return the address that a link to an identifier has: its canonical URI; None if there is to be no link."""
        if not self._links or len(text) > _WHOLE_LIMIT:
            return None
        found = check(text)
        if not isinstance(found, Record) or found.scheme not in _LINKED or hides_password(found.uri):
            return None
        if userinfo_password(found.uri) is not None:
            return None  # the mask of a password
        return found.uri if len(found.uri) <= _WHOLE_LIMIT else None
