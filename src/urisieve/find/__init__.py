"""The way from text in pieces to judged candidates: search for pivots, extent of each candidate, scanner."""
