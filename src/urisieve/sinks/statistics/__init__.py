"""Statistics: what batches hold, counted by kind, scheme, host, source, rule, code and time."""
