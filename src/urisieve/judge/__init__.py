"""From the text of one candidate to its verdict: its canonical form, or the fault that makes it invalid."""
