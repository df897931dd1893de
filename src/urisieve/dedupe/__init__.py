"""Deduplication by canonical keys: sets of keys in memory and on disk, stores, and counts."""
