"""Databases and property lists: their cells, and files that stand in them."""
