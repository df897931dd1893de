"""Builds the compiled kernel, or leaves it out; everything else stands in pyproject.toml.

The variable `URISIEVE_BUILD` of the environment says how:

- unset: the kernel is compiled if that is possible here; if not, the package is installed without it;
- `require`: a kernel that cannot be compiled is an error;
- `pure`: nothing is compiled, and the wheel is one for all platforms.
"""

from __future__ import annotations

import os
import platform
import runpy
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.editable_wheel import editable_wheel

OLDEST = "cp311"  # the version of Py_LIMITED_API in src/kernel
SOURCES = Path("src", "kernel")
# No option names a processor: a wheel runs on all of its architecture.
OPTIONS = {"msvc": ["/O2", "/std:c11"]}
# Loops begin at a line of the cache: across two of them the same ones took up to half as long again.
OTHER_OPTIONS = ["-O3", "-falign-functions=64", "-falign-loops=64", "-std=c11", "-fvisibility=hidden"]
# What the kernel is built from; the package cannot be imported where it is built.
BUILT = runpy.run_path(str(Path("src", "urisieve", "kernel", "built_from.py")))
# The folder of the build is not part of the binary: two builds give the same bytes.
WITHOUT_FOLDER = f"-fdebug-prefix-map={os.getcwd()}=."


class BuildKernel(build_ext):
    """Compile with the options of the compiler that is there; what was not built is an extension no longer."""

    def build_extensions(self) -> None:
        """Compile and link."""
        for extension in self.extensions:
            extension.extra_compile_args = OPTIONS.get(self.compiler.compiler_type, [*OTHER_OPTIONS, WITHOUT_FOLDER])
            extension.define_macros = [("BUILT_FROM", f'"{BUILT["built_from"]()}"')]
        super().build_extensions()

    def run(self) -> None:
        """Run the command."""
        super().run()
        self.extensions = [
            extension for extension in self.extensions if Path(self.build_lib, extension._file_name).exists()
        ]
        self.distribution.ext_modules = self.extensions


class Wheel(bdist_wheel):
    """A wheel whose name says what was built: one for all platforms where the kernel could not be compiled."""

    def run(self) -> None:
        """Run the command."""
        # A module or a kernel of an earlier build would be packed too.
        shutil.rmtree(self.get_finalized_command("build").build_lib, ignore_errors=True)
        self.run_command("build")
        self.root_is_pure = not self.distribution.has_ext_modules()
        super().run()


class Editable(editable_wheel):
    """An editable install, which puts the kernel into the source tree."""

    def run(self) -> None:
        """Run the command."""
        for pattern in ("_kernel*.so", "_kernel*.pyd"):  # one of an earlier install would be used on
            for old in Path("src", "urisieve").glob(pattern):
                old.unlink()
        super().run()


def kernel_is_possible() -> bool:
    """Whether this Python has a stable ABI that the kernel can be built for."""
    return platform.python_implementation() == "CPython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


def main() -> None:
    """Read the choice and build."""
    choice = os.environ.get("URISIEVE_BUILD", "")
    if choice not in ("", "pure", "require"):
        sys.exit(f"URISIEVE_BUILD: {choice!r} is not a choice; use require or pure, or leave it unset")
    commands = {"bdist_wheel": Wheel, "build_ext": BuildKernel, "editable_wheel": Editable}
    if choice == "pure" or not kernel_is_possible():
        if choice == "require":
            sys.exit("URISIEVE_BUILD=require: the kernel is not built for this Python: it has no stable ABI")
        setup(cmdclass=commands)
        return
    if not BUILT["tables_are_current"]():
        sys.exit("the tables of the kernel are not made of these modules: python tools/generate_kernel_tables.py")
    extension = Extension(
        "urisieve._kernel",
        sources=sorted(str(path) for path in SOURCES.glob("*.c")),
        depends=sorted(str(path) for path in SOURCES.glob("*.h")),
        py_limited_api=True,
        optional=choice != "require",
    )
    setup(
        ext_modules=[extension],
        cmdclass=commands,
        options={"bdist_wheel": {"py_limited_api": OLDEST}},
    )


main()
