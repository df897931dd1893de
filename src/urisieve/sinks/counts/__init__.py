"""Counts of what batches hold: of each key, and of kinds, schemes and hosts."""
