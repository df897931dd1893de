"""Messages of chats in JSON, whose text their exports hold in several forms.

Slack writes `text`, the same as `blocks`, and the pages linked as `attachments`; Telegram `text` and `text_entities`;
Matrix `body` and `formatted_body`. Inside of a form an object may have a link as its target and as the text that is
shown. A link of a message is reported for the first form that has it, as in mail, as often as it stands in that.
"""

from __future__ import annotations

from urisieve.lean import Final, lazy_compile
from urisieve.sources.documents import Alternative

# Names of members that other JSON hardly has; those of Slack count beside that of its times.
_SIGNS: Final = ("text_entities", "formatted_body", "msgtype")
_SLACK: Final = ("client_msg_id", "blocks", "attachments")
_SLACK_TIME: Final = "ts"
# Characters that are looked at, of each content: to look at all of them takes a tenth of the time of a search.
_LOOKED: Final = 1_048_576
# The names of forms in the path of a string (see `json_paths.inner_path`): the message is before the first one.
_FORM: Final = lazy_compile(
    r"""(?:^|(?<=\.))(?:text|text_entities|blocks|attachments|body|formatted_body)(?![^.\[])|\["m\.new_content"\]"""
)


class ChatMessages:
    """The messages that may be in a content.

    >>> messages = ChatMessages("export.json", is_once=True)
    >>> messages.look('[{"text": "", "text_entities": []}]'), messages.form("[0].text", 1)
    (True, Alternative(group=('export.json', 1, '[0]'), branch='text', inner=None))
    >>> messages.form("[2].blocks[0].elements[1].url", 1).inner, messages.form("[2].from", 1)
    (Alternative(group='[0].elements[1]', branch='url', inner=None), None)

    Args:
        source: the name of the content.
        is_once: whether forms are told apart; else it has no messages.
    """

    def __init__(self, source: str, *, is_once: bool) -> None:
        self._source = source
        self._left = _LOOKED if is_once else 0
        self._are_found = False

    def look(self, text: str, bound: str = '"') -> bool:
        """Look at the next text; report whether there may be messages in it, or were in one before.

        Args:
            text: the text.
            bound: what stands before and behind a string in it.
        """
        if self._left > 0:
            text = text[: self._left]
            self._left -= len(text)
            self._are_found = any(sign in text for sign in _SIGNS) or (
                f"{bound}{_SLACK_TIME}{bound}" in text and any(f"{bound}{name}{bound}" in text for name in _SLACK)
            )
            if self._are_found:
                self._left = 0
        return self._are_found

    def form(self, path: str, value: int) -> Alternative | None:
        """Return which form of a message a string is in; None for one that is in none.

        Args:
            path: the path of the string.
            value: a number of the value of the content that it is in.
        """
        found = _FORM.search(path) if self._are_found else None
        if found is None:
            return None
        outer, dot, name = path[found.end() :].rpartition(".")
        inner = Alternative(outer, name) if dot else None
        return Alternative((self._source, value, path[: found.start()].removesuffix(".")), found[0], inner)
