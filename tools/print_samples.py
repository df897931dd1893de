"""Write the expected records beside the samples: NAME.jsonl, and NAME.rejected.jsonl for what is rejected.

Use: python tools/print_samples.py
Read what changed before you commit it: the tests compare what the program gives with these files.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def samples() -> list[Path]:
    """The samples, by path from the root of the project."""
    return sorted(
        path.relative_to(ROOT) for path in (ROOT / "samples").iterdir() if path.is_file() and path.suffix != ".jsonl"
    )


def command(sample: Path, records: Path, rejected: Path) -> list[str]:
    """The command that writes the records of a sample."""
    return [
        *(sys.executable, "-m", "urisieve", "extract", "--quiet", "--show-passwords", "--format", "jsonl"),
        *("--output", str(records), "--rejected", str(rejected), sample.as_posix()),
    ]


def main() -> None:
    """Write all of them."""
    for sample in samples():
        records = Path(f"{sample}.jsonl")
        rejected = Path(f"{sample}.rejected.jsonl")
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        subprocess.run(command(sample, records, rejected), cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
