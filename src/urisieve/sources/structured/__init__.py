"""Structured data: JSON, JSON lines, tables, XML, journals, records of MARC."""
