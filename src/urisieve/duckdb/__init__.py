"""Functions of SQL for DuckDB, with the extra `duckdb`: `register` makes them known to a connection."""

from urisieve.sql import register_in_duckdb as register

__all__ = ["register"]
