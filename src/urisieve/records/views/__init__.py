"""Other views of records: as HTML for notebooks, and back from dictionaries and rows."""
