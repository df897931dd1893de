"""Bytes as text: reading blocks, decoding them, and the source maps from characters to bytes."""
