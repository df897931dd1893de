"""What the figures were taken on: the machine and the versions of all programs and packages."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["cores", "machine_line", "package_version", "package_versions"]

_PROGRAMS = {"rg": "ripgrep", "grep": "grep", "sort": "sort"}


def cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def package_version(name: str) -> str | None:
    """The version of an installed package, None where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def package_versions(names: Iterable[str]) -> str:
    """The packages that are installed, with their versions."""
    return ", ".join(f"{name} {found}" for name in dict.fromkeys(names) if (found := package_version(name)))


def machine_line() -> str:
    """Processor, memory, system, Python and native programs, in one line."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    programs = [found for name in _PROGRAMS if (found := _program_version(name))]
    count = cores()
    parts = [f"{count} {'core' if count == 1 else 'cores'} of {_processor()}", *_memory(), _system(), python]
    return ", ".join([*parts, f"urisieve {package_version('urisieve') or '(not installed)'}", *programs])


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return f"{line.partition(':')[2].strip()} ({platform.machine()})"
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory() -> list[str]:
    try:
        return [f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB"]
    except (AttributeError, OSError, ValueError):
        return []


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name} ({platform.system()} {'.'.join(platform.release().split('.')[:2])})"


def _program_version(name: str) -> str | None:
    program = shutil.which(name)
    if program is None:
        return None
    result = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    first = result.stdout.partition("\n")[0].split()
    return f"{_PROGRAMS[name]} {next((word for word in first if word[:1].isdigit()), 'of no known version')}"
