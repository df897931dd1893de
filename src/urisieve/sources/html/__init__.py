"""HTML: its running text and the links in its attributes."""
