"""Parts of files that are not plain text, on their way back from workers."""
