"""Whether the kernel under test was built from the sources beside it: otherwise hundreds of tests fail puzzlingly.

It is imported before all other modules of the package.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Final

import urisieve

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the tests report it themselves
    from urisieve.kernel import OLD_KERNEL, compiled, is_old, kernel
    from urisieve.kernel.built_from import COMMAND, is_current

__all__ = ["fault"]


def _is_other() -> bool:
    is_checkout = (Path(urisieve.__file__).parents[1] / "kernel").exists()
    return is_old or (compiled and is_checkout and not is_current(kernel, thorough=True))


fault: Final = f"old kernel: {OLD_KERNEL}: {COMMAND}" if _is_other() else None
"""Why there is nothing to test; None if there is."""
