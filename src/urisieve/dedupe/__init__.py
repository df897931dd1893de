"""Deduplication by the canonical key: sets of keys in memory and on disk, stores, counts."""
