"""The command `urisieve`: arguments to frozen options, a pipeline, a sink.

Nothing of the library is imported before a command needs it, so that `urisieve --version` costs next to nothing.
"""

from urisieve.cli.program import main

__all__ = ["main"]
