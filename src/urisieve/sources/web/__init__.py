"""Archives of the web: their records, and the bodies of the HTTP responses in them."""
