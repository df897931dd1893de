"""Tables: CSV and TSV."""
