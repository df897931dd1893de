"""Try how urisieve gets to the workers of Spark, on a cluster of two executors on this machine; see docs/spark.md.

    python tools/try_spark_shipping.py FOLDER [--pyspark 'pyspark==3.5.*' 'pyarrow<=21' 'numpy<2'] [--only WORDS]

It makes environments in the folder, by pip, and takes ten minutes and two gigabytes. Each way is run by a driver that
has PySpark and urisieve; the Python of the workers has only what the way brings them. It prints the rows of a table.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "spark" / "spark_cluster.py"
TEXT = "see http://EXAMPLE.com/%7Ea and urn:ISBN:0-395-36341-1\n"
KEYS = ["http://example.com/~a", "urn:isbn:0395363411"]
VERSION = re.compile('(?<=__version__ = ")[^"]*')


def _shipped(found: Any) -> str:
    if found["keys"] != KEYS:
        return f"found {found['keys']}"
    return f"works, {'with' if found['kernel'] else 'without'} the kernel"


def _cancelled(found: Any) -> str:
    jobs = {name: made for name, made in found.items() if isinstance(made, dict)}
    going_on = [name for name, made in jobs.items() if made["left"] or made["said"].startswith("nothing")]
    if going_on or found["left"] or found["keys"] != KEYS:
        return f"found {found}"
    return "its workers end, the next job works, and nothing is left when the session stops"


def _large(found: Any) -> str:
    return ", ".join(
        f"{made['MB']:,} MB with {rows} rows a batch"
        if made["said"].startswith("nothing")
        else f"fails with {rows} rows a batch"
        for rows, made in found.items()
    )


class Way(NamedTuple):
    """A row of the table.

    Attributes:
        name: how it is called there.
        environment: what the cases are told.
        case: the case of tests/spark/spark_cluster.py.
        words: what is said about what it prints.
    """

    name: str
    environment: dict[str, str]
    case: str = "shipped"
    words: Callable[[Any], str] = _shipped


def _run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    # What this process imports is not there for the environments.
    environment = {**os.environ, "PYTHONPATH": "", **environment}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment, timeout=900)


def _made(*command: str | Path, **environment: str) -> None:
    done = _run(*command, **environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")


def _wheel(folder: Path, **environment: str) -> Path:
    """Return the wheel that pip makes."""
    if not folder.exists():
        _made(
            sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-cache-dir", "-w", folder, ROOT, **environment
        )
    (wheel,) = folder.glob("urisieve-*.whl")
    return wheel


def _renamed(wheel: Path) -> Path:
    return Path(shutil.copy(wheel, wheel.with_name("urisieve.zip")))


def _ways(folder: Path, pyspark: list[str], other: str | None) -> list[Way]:
    """Make the environments; return the ways."""
    driver, bare, packed, shared = (folder / name for name in ("driver", "bare", "packed", "shared"))
    wheel = _wheel(folder / "wheels", URISIEVE_BUILD="require")
    pure = _wheel(folder / "pure", CC="no-compiler")
    if "-none-any" not in pure.name:
        raise SystemExit(f"{pure.name} was made without a compiler")
    limits = [name for name in pyspark if not name.startswith("pyspark")]
    for home, packages in (
        (driver, [f"{wheel}[spark]", "venv-pack", "grpcio-status", "zstandard", "setuptools<81", *pyspark]),
        (bare, ["pyarrow", "regex", "idna", "tqdm", *limits]),
        (packed, [f"{wheel}[arrow]", "venv-pack", "setuptools<81", *limits]),
    ):
        if not home.exists():
            _made(sys.executable, "-m", "venv", home)
            _made(home / "bin" / "pip", "install", "-q", *packages)
    archive = folder / "environment.tar.gz"
    if not archive.exists():
        _made(packed / "bin" / "venv-pack", "-q", "-p", packed, "-o", archive)
    pip = (driver / "bin" / "python", "-m", "pip", "install", "-q", "--no-deps", "--target")
    if not shared.exists():
        _made(*pip, shared, wheel)
    older, plugged = folder / "older", folder / "plugged"
    if not older.exists():
        shutil.copytree(shared, older)
        version = older / "urisieve" / "_version.py"
        version.write_text(VERSION.sub("0.0.1", version.read_text("utf-8")), "utf-8")
    if not plugged.exists():
        _made(*pip, plugged, ROOT / "samples" / "plugin")
    workers = {"WORKERS": str(bare / "bin" / "python")}
    by_folder = {**workers, "SHARED": str(shared)}
    unpacked = {"WORKERS": "./environment/bin/python"}
    ways = [
        Way("nothing done", workers),
        Way("packed environment by `spark.archives`", {**unpacked, "ARCHIVES": f"{archive}#environment"}),
        Way("folder on a shared path", by_folder),
        Way("wheel by `--py-files`", {**workers, "PY_FILES": str(wheel)}),
        Way("wheel renamed to `.zip`, by `--py-files`", {**workers, "PY_FILES": str(_renamed(wheel))}),
        Way("pure wheel renamed to `.zip`, by `--py-files`", {**workers, "PY_FILES": str(_renamed(pure))}),
        Way("packed environment by `addArtifacts`", {**workers, "ARTIFACT": f"{archive}#environment"}),
        Way("wheel by `addArtifacts`", {**workers, "ARTIFACT": str(wheel)}),
        Way("wheel renamed to `.zip`, by `addArtifacts`", {**workers, "ARTIFACT": str(_renamed(wheel))}),
        Way("`PYSPARK_PYTHON` unset", {"WORKERS": ""}),
        Way("workers with another urisieve", {**by_folder, "SHARED": str(older)}),
        Way("plug-in that the driver alone has", {**by_folder, "DRIVER_ALONE": str(plugged)}),
        Way("job that is cancelled", by_folder, "cancelled", _cancelled),
        Way("memory for twelve rows of 48 MB", by_folder, "large", _large),
    ]
    if other:
        ways.append(Way("workers with another Python", {"WORKERS": other}))
    return ways


def _tried(way: Way, folder: Path, driver: Path) -> str:
    """Run the case of a way; return what came of it."""
    work = folder / re.sub(r"\W+", "-", way.name)
    work.mkdir(exist_ok=True)
    (work / "lines.txt").write_text(TEXT, "utf-8")
    done = _run(driver, CASES, way.case, work, PYTHONPATH=str(ROOT), **way.environment)
    (work / "stderr.txt").write_text(done.stderr, "utf-8")
    try:
        return way.words(json.loads(done.stdout.splitlines()[-1]))
    except (ValueError, IndexError, KeyError):
        reasons = re.findall(r"^(?:\w+\.)*\w*Error: (.+)", done.stderr, re.MULTILINE)
        return f"`{(reasons or ['no reason'])[-1].strip()[:300]}`"


def main() -> None:
    """Make the environments, then try each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pyspark", nargs="+", default=["pyspark>=4"], help="what pip installs")
    parser.add_argument("--other-python", metavar="PYTHON", help="a Python of another version, for the workers")
    parser.add_argument("--only", default="", metavar="WORDS", help="the ways whose name holds these words")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for way in _ways(folder, asked.pyspark, asked.other_python):
        if asked.only in way.name:
            print(f"| {way.name} | {_tried(way, folder, folder / 'driver' / 'bin' / 'python')} |", flush=True)


if __name__ == "__main__":
    main()
