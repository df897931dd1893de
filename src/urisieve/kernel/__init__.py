"""Whether the compiled kernel is used; decided once, when this module is imported.

Python does without the kernel everything that it does with it: where there are two ways, `either` chooses one of them,
and nothing else asks which it is. `URISIEVE_PURE=1` in the environment switches the kernel off.

A kernel that was not built from these sources is not used: in a checkout a warning says how to build it again, and the
processes that this one starts do without it, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import environ, path

from urisieve.lean import TypeVar

__all__ = ["OLD_KERNEL", "advice", "bits", "compiled", "either", "is_old", "kernel", "of_kernel", "way"]

S = TypeVar("S")
T = TypeVar("T")

OLD_KERNEL = "the kernel is not built from these sources, and Python does its work: build the kernel again"

is_old = False  # whether there is one that was built from other sources

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
        if path.exists(
            path.join(path.dirname(path.dirname(path.dirname(__file__))), "kernel", "tables.h")
        ):  # a checkout
            from urisieve.kernel.built_from import COMMAND, is_current

            if not is_current(kernel):
                from warnings import warn

                kernel = None
                is_old = True
                environ["URISIEVE_PURE"] = "1"
                warn(f"{OLD_KERNEL}: {COMMAND}", RuntimeWarning, stacklevel=1)
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


def bits(known: str, names: Iterable[str]) -> int:
    """Return names as bits, by the index of each in a list of names that the kernel has.

    Raises:
        ValueError: the kernel does not know one of them.
    """
    listed: tuple[str, ...] = getattr(kernel, known)
    return sum([1 << listed.index(name) for name in names])


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
