"""Where batches go: lines, tables, Parquet, keys seen, counts."""
