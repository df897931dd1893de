"""Whether the compiled kernel is used; decided once, when this module is imported.

Python does without the kernel everything that it does with it: where there are two ways, `either` chooses one of them,
and nobody else asks which it is. `URISIEVE_PURE=1` in the environment switches the kernel off.
"""

from __future__ import annotations

from os import environ

from urisieve._version import __version__
from urisieve.lean import TypeVar

__all__ = ["advice", "compiled", "either", "kernel", "of_kernel", "way"]

S = TypeVar("S")
T = TypeVar("T")

TYPE_CHECKING = False  # as in `typing`, which would cost every start
if TYPE_CHECKING:
    from urisieve import _kernel as kernel

    compiled: bool
elif environ.get("URISIEVE_PURE", "0") in ("", "0"):
    try:
        from urisieve import _kernel as kernel
    except ImportError:  # not built, or for another machine
        kernel = None
    else:
        if kernel.version() != __version__:  # left in place by an older editable install
            kernel = None
    compiled = kernel is not None
else:
    kernel, compiled = None, False

way = "kernel" if compiled else "pure"  # as `urisieve --version` names it


def either(by_kernel: S, in_python: T) -> S | T:
    """Return the first of two ways to the same result where the kernel is used, else the second."""
    return by_kernel if compiled else in_python


def of_kernel(name: str, in_python: T) -> T:
    """Return a function or class of the kernel where it is used, else its twin in Python."""
    return getattr(kernel, name) if compiled else in_python


def advice() -> str | None:
    """Return how to get the kernel, in words for people; None if it is used, or is not wanted, or cannot be had."""
    if compiled or environ.get("URISIEVE_PURE", "0") not in ("", "0"):
        return None
    import sys
    import sysconfig

    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    return (
        "searches in pure Python, several times slower than the compiled kernel: for that, install a C compiler, then "
        "urisieve again (pip install --no-cache-dir --force-reinstall .)"
    )
