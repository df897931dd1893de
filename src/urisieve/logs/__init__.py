"""A filter of the standard `logging`: no password and no secret of a link leaves by a message."""

from __future__ import annotations

import logging

from urisieve import shapes
from urisieve.finding_options import Options, checked
from urisieve.rewriting.replacing import mask

__all__ = ["MaskLinks"]

_WITHHELD = "message withheld, since its links could not be masked"


class MaskLinks(logging.Filter):
    """Hides the passwords and secrets of links in messages and in exceptions, as `mask` does; it drops no message.

    It goes on a handler, which then sees the messages of all loggers. In a dictionary for `logging.config.dictConfig`:

        "filters": {"links": {"()": "urisieve.logs.MaskLinks"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "filters": ["links"]}},

    A message that cannot be formatted becomes its text and its arguments. Nothing is raised.

    >>> import logging
    >>> from urisieve.logs import MaskLinks
    >>> record = logging.LogRecord("name", logging.INFO, "", 1, "GET %s", ("http://joe:secret@a.example/",), None)
    >>> MaskLinks().filter(record), record.getMessage()
    (True, 'GET http://joe:***@a.example/')

    Args:
        options: what to find.
        secrets: whether tokens, keys and the like are hidden, and not passwords alone.

    Raises:
        UsageError: `options` is not an `Options`, or `secrets` is not True or False.
    """

    def __init__(self, options: Options | None = None, *, secrets: bool = True) -> None:
        super().__init__()
        shapes.check(secrets=secrets)
        self._options = checked(options)
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Hide what is to be hidden in a message, and return True."""
        try:
            try:
                message = record.getMessage()
            except Exception:  # which the handler reports, with the arguments
                message = f"{record.msg} {record.args}"
                record.msg, record.args = self._mask(message), None
            if ":" in message and (shown := self._mask(message)) != message:
                record.msg, record.args = shown, None
            trace = record.exc_text or (record.exc_info and logging.Formatter().formatException(record.exc_info))
            if trace and (shown := self._mask(trace)) != trace:
                # Without the exception, which a formatter might write by itself.
                record.exc_text, record.exc_info = shown, None
            if record.stack_info:
                record.stack_info = self._mask(record.stack_info)
        except Exception:
            record.msg, record.args = _WITHHELD, None
            record.exc_info = record.exc_text = record.stack_info = None
        return True

    def _mask(self, text: str) -> str:
        return mask(text, secrets=self._secrets, options=self._options)
