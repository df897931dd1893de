"""Run the command `urisieve`: `python -m urisieve`."""

import sys

from urisieve.cli import main

sys.exit(main())
