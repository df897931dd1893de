"""Functions of SQL for SQLite: `register` makes them known to a connection."""

from urisieve.sql import register_in_sqlite as register

__all__ = ["register"]
