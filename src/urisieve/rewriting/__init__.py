"""Texts with their identifiers replaced."""
