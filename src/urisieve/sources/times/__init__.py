"""The times of lines, messages and entries, for those who ask for them."""
