"""Data sets of rows, kept to the byte: JSON lines, CSV, TSV and Parquet."""
