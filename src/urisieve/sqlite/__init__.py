"""Functions of SQL for SQLite: `register` makes them known to a connection."""

from urisieve.sql.sqlite_functions import register_in_sqlite as register

__all__ = ["register"]
