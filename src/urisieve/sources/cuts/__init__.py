"""Cuts of files that are not plain text: at lines, rows, messages, records."""
