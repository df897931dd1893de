"""Parts of the standard library again, made so that they cost the start of a process little."""
