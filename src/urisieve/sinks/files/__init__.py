"""The files that are written: whole or not at all, or growing in place; and the check that none has two uses."""
