"""Write anew all that tools make of the code, and list what differs from the commit then.

Use: python tools/write_all.py
Pages, schemas, man pages, the picture of the architecture, golden files, samples, and the tables of the kernel, which
has to be built again if these change. Read what changed in `samples` and `tests/golden` before you commit it: that is
what users see.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
_RULES: Final = ("schemes", "namespaces", "explain", "merging", "redirectors", "secrets")
# Each tool with its arguments, and the file that gets what it prints; None if it writes its files itself.
STEPS: Final[tuple[tuple[tuple[str, ...], str | None], ...]] = (
    (("generate_kernel_tables",), None),
    (("print_codes",), "docs/codes.md"),
    *((("print_rules", name), f"docs/{name}.md") for name in _RULES),
    (("print_reference",), None),
    (("make_man_pages",), None),
    (("draw_architecture",), None),
    (("print_api",), "tests/golden/api.txt"),
    (("print_pages",), "tests/golden/pages.txt"),
    (("make_mail_samples", "samples/mail"), None),
    (("print_samples",), None),
)
# Tools like these that are run on their own: one raises a version, and two need a terminal or measure times.
LEFT_OUT: Final = frozenset({"make_golden_keys", "draw_terminal", "draw_speed"})


def main() -> None:
    """Run the tools one after the other."""
    for (tool, *arguments), target in STEPS:
        command = [sys.executable, str(ROOT / "tools" / f"{tool}.py"), *arguments]
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
        if target is not None:
            (ROOT / target).write_bytes(done.stdout)
    subprocess.run(["git", "status", "--short"], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
