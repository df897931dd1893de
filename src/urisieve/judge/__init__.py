"""Judge the text of one candidate: return its canonical form, or the fault that makes it invalid."""
