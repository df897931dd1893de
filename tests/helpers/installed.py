"""Distributions written into a folder as installers do, so that tests of plug-ins need neither network nor build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import ROOT


def write_distribution(
    target: Path, name: str, module: str, entry_points: Mapping[str, Mapping[str, str]], version: str = "1.0"
) -> Path:
    """Write a distribution: the text of its one module, and its metadata by the core metadata specifications."""
    target.mkdir(exist_ok=True)
    plain = name.replace("-", "_")
    (target / f"{plain}.py").write_text(module, "utf-8")
    folder = target / f"{plain}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    lines = []
    for group, points in entry_points.items():
        lines += [f"[{group}]", *(f"{point} = {value}" for point, value in points.items()), ""]
    (folder / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    return target


def install_sample(target: Path) -> Path:
    """Install the sample of a plug-in by what its pyproject.toml says."""
    source = ROOT / "samples" / "plugin"
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))
    about = project["project"]
    write_distribution(target, about["name"], "", about["entry-points"], about["version"])
    for file in project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        shutil.copy(source / file, target)
    return target


def run_with(
    path: Path | str, *arguments: str, text: str = "", flags: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run Python with arguments and a folder, or several as PYTHONPATH has them, first on its path."""
    paths = (str(path), os.environ.get("PYTHONPATH"))
    return subprocess.run(
        [sys.executable, *flags, *arguments],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONUTF8": "1"},
        timeout=PATIENCE,
    )
