"""Outputs of batches: lines, tables, Parquet, stores of keys, counts."""
