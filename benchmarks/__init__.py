"""Benchmarks: corpora, measuring and the table of results; run with `python -m benchmarks`."""
