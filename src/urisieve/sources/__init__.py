"""Sources: files and streams of bytes as documents of text, each with its location and the map to its bytes."""
