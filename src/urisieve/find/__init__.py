"""From text in pieces to candidates, judged: the search for pivots, the extent of each candidate, the scanner."""
