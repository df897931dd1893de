"""The rows of URN namespaces, a module for each field of use; all are loaded when the first URN is judged."""
