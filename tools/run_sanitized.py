"""Run tests with a kernel that checks itself: compiled with AddressSanitizer and UndefinedBehaviorSanitizer.

The package is built with that kernel into a temporary folder, which comes first on the path; warnings of the compiler
are errors. It needs gcc on Linux.

    python tools/run_sanitized.py tests/kernel -q      what pytest is given
    python tools/run_sanitized.py -- -c 'import urisieve'      or, behind `--`, what Python itself is given
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
COMPILER = "gcc"
FLAGS = "-g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Werror"
# Python keeps memory to its end, which is no leak of the kernel; its blocks come from malloc, so that an access beyond
# a `bytes` is seen.
SETTINGS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "PYTHONMALLOC": "malloc",
}
SHOW = "import urisieve.kernel; print(urisieve.kernel.kernel and urisieve.kernel.kernel.__file__)"


def build(folder: Path) -> Path:
    """Build the package with the sanitized kernel and return the folder to import it from."""
    built = folder / "lib"
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build", f"--build-base={folder}", f"--build-lib={built}"],
        cwd=ROOT,
        env={**os.environ, "CC": COMPILER, "CFLAGS": FLAGS, "URISIEVE_BUILD": "require"},
        check=True,
    )
    return built


def libraries() -> str:
    """The libraries of the sanitizers, which Python itself does not load first."""
    paths = []
    for name in ("libasan.so", "libubsan.so", "libstdc++.so"):  # the last: exceptions of other extensions
        command = [COMPILER, f"-print-file-name={name}"]
        path = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
        if not path.is_absolute():
            sys.exit(f"{COMPILER} has no {name}")
        paths.append(str(path.resolve()))
    return " ".join(paths)


def main(argv: list[str]) -> int:
    """Build, see that the sanitized kernel is the one used, and run; return the status of what ran."""
    arguments = argv[1:] if argv[:1] == ["--"] else ["-m", "pytest", *argv]
    with TemporaryDirectory(prefix="urisieve-sanitized-") as name:
        built = build(Path(name))
        environment = {**os.environ, **SETTINGS, "LD_PRELOAD": libraries(), "PYTHONPATH": str(built)}
        environment.pop("URISIEVE_PURE", None)
        shown = subprocess.run(
            [sys.executable, "-c", SHOW], env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        if shown.returncode or not shown.stdout.startswith(str(built)):
            sys.exit(f"the kernel used is not the one built: {shown.stdout}")
        return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
