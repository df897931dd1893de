"""The kinds of files: their table, and the decision by the signs of the first bytes."""
