"""Office documents, books and PDF as documents of text."""
