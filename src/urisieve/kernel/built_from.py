"""The files that the kernel of a checkout is built from, and whether these files still are as they were.

Two builds are protected: that of the tables, which have a digest of the modules and registries that they are made of,
and that of the kernel, which has one of these files and of its own sources. Comments and docstrings of Python do not
count. `setup.py` and `tools/generate_kernel_tables.py` use this module, and `urisieve.kernel` where the sources of the
kernel are beside the package; an installed package has none, and does not import it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from types import ModuleType

__all__ = ["COMMAND", "INPUTS", "built_from", "is_current", "made_of", "tables_are_current"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_KERNEL = os.path.join(os.path.dirname(_PACKAGE), "kernel")
COMMAND = "python tools/generate_kernel_tables.py && URISIEVE_BUILD=require python setup.py -q build_ext --inplace"
"""What builds the kernel of a checkout again, in its folder."""
INPUTS = (
    *("codes.py", "merging.py", "finding_options.py", "rules/registry", "rules/rows"),
    *("find/delimited.py", "find/kernel_batches.py", "find/kernel_search.py", "find/pivots.py", "find/search.py"),
    *("find/ends/candidates.py", "find/ends/exit.py", "find/ends/extent.py", "find/ends/unspaced.py"),
    *("find/finder/bare_candidates.py", "find/finder/finder.py", "find/finder/exact_candidates.py"),
    *("judge/merge_steps.py", "judge/bare_names.py", "judge/judge.py"),
    *("judge/urn.py", "records/base.py", "records/harvested.py", "records/redacted.py", "rules/forms.py"),
    *("rules/resolver_links.py", "rules/table.py", "rules/scheme_table.py", "sinks/notations.py"),
    *("sources/mail/plain_bodies.py", "syntax/characters.py", "sources/html/html_pages.py"),
    *("syntax/components.py", "syntax/grammar.py", "syntax/host.py", "syntax/iri.py", "syntax/passwords.py"),
    *("syntax/time_forms.py", "rules/secret_check.py"),
)
"""The modules and folders, below the package, that `tools/generate_kernel_tables.py` takes facts from."""
_KINDS = (".py", ".txt", ".c", ".h")
_UNCOUNTED = rb'(?m)^\s*#.*\n|"""(?s:.*?)"""|\r'
_MADE_OF = rb'(?m)^#define MADE_OF "(.*)"'


def _files(paths: Iterable[str]) -> list[str]:
    """Return some files, and those of some folders, in order."""
    found: list[str] = []
    for path in paths:
        is_file = path.endswith(_KINDS)
        found += [path] if is_file else [os.path.join(path, name) for name in os.listdir(path) if name.endswith(_KINDS)]
    return sorted(found)


def _inputs() -> list[str]:
    return _files(os.path.join(_PACKAGE, *path.split("/")) for path in INPUTS)


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    return re.sub(_UNCOUNTED, b"", data) if path.endswith(".py") else data.replace(b"\r", b"")


def _digest(paths: Iterable[str]) -> str:
    from hashlib import blake2b

    of_all = blake2b(digest_size=16)
    for path in paths:
        data = _content(path)
        of_all.update(b"%s %d\n" % (os.path.basename(path).encode(), len(data)) + data)
    return of_all.hexdigest()


def _sizes(stats: Iterable[os.stat_result]) -> str:
    from zlib import crc32

    return f"{crc32(repr([one.st_size for one in stats]).encode()):08x}"


def made_of() -> str:
    """Return the digest of what the tables of the kernel are made of now, for the tables."""
    return _digest(_inputs())


def tables_are_current() -> bool:
    """Report whether the generated tables are made of the present modules and registries."""
    with open(os.path.join(_KERNEL, "tables.h"), "rb") as file:
        written = re.search(_MADE_OF, file.read())
    return written is not None and written[1].decode() == made_of()


def built_from() -> str:
    """Return what is known of all sources of the kernel now, for the kernel: their sizes and their digest."""
    paths = _files([*_inputs(), _KERNEL])
    return f"{_sizes(map(os.stat, paths))} {_digest(paths)}"


def is_current(kernel: ModuleType, *, thorough: bool = False) -> bool:
    """Report whether a kernel was built from the sources beside the package.

    A kernel newer than all of them, which have the sizes that they had when it was built, was; otherwise, and if it has
    to be `thorough`, they are read.
    """
    try:
        built_from: str = kernel.built_from()
        sizes, digest = built_from.split()
    except (AttributeError, ValueError):  # built before there was such a function, or by another command
        return False
    paths = _files([*_inputs(), _KERNEL])
    if not thorough:
        built = os.stat(kernel.__file__ or "").st_mtime_ns
        stats = list(map(os.stat, paths))
        if _sizes(stats) == sizes and max(one.st_mtime_ns for one in stats) < built:
            return True
    return _digest(paths) == digest
