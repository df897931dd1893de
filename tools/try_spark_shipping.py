"""Try how urisieve gets to the workers of Spark, on a cluster of two executors on this machine; see docs/spark.md.

    python tools/try_spark_shipping.py FOLDER [--pyspark 'pyspark==3.5.*' 'pyarrow<=21' 'numpy<2']

It makes environments in the folder, by pip, and takes some minutes and two gigabytes. Each way is run by a driver that
has PySpark and urisieve; the Python of the workers has only what the way brings them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "spark" / "spark_cluster.py"
TEXT = "see http://EXAMPLE.com/%7Ea and urn:ISBN:0-395-36341-1\n"
KEYS = ["http://example.com/~a", "urn:isbn:0395363411"]


def _run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env={**os.environ, **environment}, timeout=900
    )


def _made(*command: str | Path) -> None:
    done = _run(*command)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")


def _tried(name: str, folder: Path, driver: Path, **environment: str) -> None:
    """Run the case `shipped` one way; print what came of it."""
    work = folder / name.replace(" ", "-")
    work.mkdir(exist_ok=True)
    (work / "lines.txt").write_text(TEXT, "utf-8")
    done = _run(driver, CASES, "shipped", work, PYTHONPATH=str(ROOT), **environment)
    try:
        found = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        reasons = [line for line in done.stderr.splitlines() if "Error" in line]
        print(f"{name}: failed: {(reasons or ['no reason'])[-1].strip()[:300]}", flush=True)
        return
    print(f"{name}: {'good' if found['keys'] == KEYS else found['keys']}; {found['where'][0]}", flush=True)


def main() -> None:
    """Make the environments, then try each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pyspark", nargs="+", default=["pyspark>=4"], help="what pip installs")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    wheels, driver, bare, packed = (folder / name for name in ("wheels", "driver", "bare", "packed"))
    if not wheels.exists():
        _made(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", wheels, ROOT)
    (wheel,) = wheels.glob("urisieve-*.whl")
    for home, packages in (
        (driver, [f"{wheel}[spark]", "venv-pack", *asked.pyspark]),
        (
            bare,
            ["pyarrow", "regex", "idna", "tqdm", *(name for name in asked.pyspark if not name.startswith("pyspark"))],
        ),
        (packed, [f"{wheel}[arrow]", "venv-pack", "setuptools<81", *(n for n in asked.pyspark if "pyspark" not in n)]),
    ):
        if not home.exists():
            _made(sys.executable, "-m", "venv", home)
            _made(home / "bin" / "pip", "install", "-q", *packages)
    python = driver / "bin" / "python"
    archive = folder / "environment.tar.gz"
    if not archive.exists():
        _made(packed / "bin" / "venv-pack", "-q", "-p", packed, "-o", archive)
    unpacked = folder / "shared"
    if not unpacked.exists():
        _made(python, "-m", "pip", "install", "-q", "--target", unpacked, f"{wheel}")
    workers = str(bare / "bin" / "python")
    _tried("nothing", folder, python, WORKERS=workers)
    _tried("wheel by py-files", folder, python, WORKERS=workers, PY_FILES=str(wheel))
    renamed = folder / "urisieve.zip"
    renamed.write_bytes(wheel.read_bytes())
    _tried("wheel as zip by py-files", folder, python, WORKERS=workers, PY_FILES=str(renamed))
    _tried("packed environment", folder, python, WORKERS="./environment/bin/python", ARCHIVES=f"{archive}#environment")
    _tried("folder on a shared path", folder, python, WORKERS=workers, SHARED=str(unpacked))
    _tried("unset", folder, python, WORKERS="")


if __name__ == "__main__":
    main()
