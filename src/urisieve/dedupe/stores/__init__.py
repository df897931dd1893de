"""Stores: keys that outlive the process, in files of SQLite."""
