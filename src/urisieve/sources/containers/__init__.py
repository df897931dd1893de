"""Files that hold others: folders, compressed files and archives, and what kind each content is."""
