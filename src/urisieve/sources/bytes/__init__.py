"""Bytes as text: reading blocks, decoding them, and the way back from characters to bytes."""
