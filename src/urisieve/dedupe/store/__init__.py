"""A store: the keys that earlier runs have met, in one file of SQLite."""
