"""The decision about one pivot: which scheme it belongs to, how far the candidate goes, and its judgement."""
