"""`python -m urisieve` is the command `urisieve`."""

import sys

from urisieve.cli import main

sys.exit(main())
