"""Which host each parser of links reads: hostile links, the parsers, and how their answers are compared."""
