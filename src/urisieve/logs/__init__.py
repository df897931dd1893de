"""A filter of the standard `logging`: no password of a link leaves by a message."""

from __future__ import annotations

import logging

from urisieve.finding_options import Options, checked
from urisieve.rewriting.replacing import mask

__all__ = ["MaskLinks"]

_WITHHELD = "message withheld, since its links could not be masked"


class MaskLinks(logging.Filter):
    """Hides the passwords of links in messages and in the text of exceptions, as `mask` does; it drops no message.

    It goes on a handler, which then sees the messages of all loggers. In a dictionary for `logging.config.dictConfig`:

        "filters": {"links": {"()": "urisieve.logs.MaskLinks"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "filters": ["links"]}},

    A message that cannot be formatted is left to the handler, which reports it. Nothing is raised.

    >>> import logging
    >>> from urisieve.logs import MaskLinks
    >>> record = logging.LogRecord("name", logging.INFO, "", 1, "GET %s", ("http://joe:secret@a.example/",), None)
    >>> MaskLinks().filter(record), record.getMessage()
    (True, 'GET http://joe:***@a.example/')

    Args:
        options: what to find.

    Raises:
        UsageError: `options` is not an `Options`.
    """

    def __init__(self, options: Options | None = None) -> None:
        super().__init__()
        self._options = checked(options)

    def filter(self, record: logging.LogRecord) -> bool:
        """Hide what is to be hidden in a message, and return True."""
        try:
            message = record.getMessage()
        except Exception:
            return True
        try:
            if ":" in message and (shown := mask(message, options=self._options)) != message:
                record.msg, record.args = shown, None
            if record.exc_info and not record.exc_text:
                trace = logging.Formatter().formatException(record.exc_info)
                if (shown := mask(trace, options=self._options)) != trace:
                    record.exc_text = shown
            if record.stack_info:
                record.stack_info = mask(record.stack_info, options=self._options)
        except Exception:
            record.msg, record.args = _WITHHELD, None
            record.exc_info = record.exc_text = record.stack_info = None
        return True
