"""Completions of shells, made of what the commands accept."""
