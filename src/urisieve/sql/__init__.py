"""Functions of SQL: the same names in SQLite, DuckDB and Spark."""
