"""Where a candidate ends: its run, prose, passwords, the next line, and the one exit that asks what follows it."""
