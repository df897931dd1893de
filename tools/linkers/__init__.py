"""Other linkers asked about the rows of `samples/data/boundaries.jsonl`, and how often their shapes occur."""
