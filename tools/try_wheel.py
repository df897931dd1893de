"""Try an installed wheel: that the kernel is in it, that it answers, and that it answers the same without the kernel.

    python tools/try_wheel.py [--pure]

With `--pure` there must be no kernel. It needs urisieve and nothing else; the builds of wheels run it on
every version of Python that a wheel is for.
"""

from __future__ import annotations

import os
import subprocess
import sys

from urisieve import __version__, normalize

TEXT = (
    "See (HTTP://Example.COM:80/a/../b), <mailto:Joe@EXAMPLE.com>, urn:isbn:0-395-36341-1; http://bücher.example/ä.\n"
)


def outputs(*argv: str, text: str = "") -> tuple[str, str]:
    """What the command prints with the kernel and without it."""
    with_kernel, without = (
        subprocess.run(
            [sys.executable, "-m", "urisieve", *argv],
            input=text,
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "URISIEVE_PURE": pure, "PYTHONUTF8": "1"},
            check=True,
        ).stdout
        for pure in ("0", "1")
    )
    return with_kernel, without


def main() -> int:
    """Return 0 if all is well."""
    is_pure = sys.argv[1:] == ["--pure"]
    versions = outputs("--version")
    with_kernel = f"urisieve {__version__} ({'pure' if is_pure else 'kernel'})\n"
    if versions != (with_kernel, f"urisieve {__version__} (pure)\n"):
        sys.exit(f"not the versions expected: {versions}")
    found, expected = outputs("extract", "--format", "jsonl", text=TEXT * 1000)
    if found != expected or found.count("\n") != 4 * 1000:
        sys.exit(f"found with the kernel: {found[:1000]}\nwithout: {expected[:1000]}")
    if normalize("HTTP://a.example:80/%7eb") != "http://a.example/~b":
        sys.exit("not the canonical form expected")
    compared = "without a kernel" if is_pure else "the same with and without the kernel"
    print(f"urisieve {__version__} on Python {sys.version.split()[0]}: {compared}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
