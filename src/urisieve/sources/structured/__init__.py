"""Structured data: JSON, JSON lines, tables, XML, journals."""
