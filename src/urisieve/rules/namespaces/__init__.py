"""The rows of URN namespaces, by field; all are loaded with the first URN."""
