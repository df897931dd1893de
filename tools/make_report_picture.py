"""Makes docs/images/report.png: the beginning of a report of the samples, as Chromium shows it.

`python tools/make_report_picture.py`; needs Chromium, and `convert` of ImageMagick to make the file small.
"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))
sys.path.insert(0, str(ROOT))

from tests.sinks.chromium import Chromium, Page  # noqa: E402
from urisieve.sinks.statistics import collect_statistics, write_report  # noqa: E402

WIDTH, HEIGHT = 1_000, 1_500
TARGET = ROOT / "docs" / "images" / "report.png"


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        samples = [ROOT / "samples" / name for name in ("access.log", "mail.mbox", "disguised.txt", "urns.xml")]
        write_report(collect_statistics(samples, top=50, links=True), path, title="Samples")
        with Chromium(Path(folder, "profile")) as browser, Page(browser, path, width=WIDTH) as page:
            clip = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": 1}
            shot = page.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
    TARGET.parent.mkdir(exist_ok=True)
    command = ["convert", "png:-", "-dither", "none", "-colors", "32", "-strip", f"png8:{TARGET}"]
    subprocess.run(command, input=base64.b64decode(shot), check=True)


if __name__ == "__main__":
    main()
