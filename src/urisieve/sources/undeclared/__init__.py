"""Forms that a header or a name does not declare: what their content proves."""
