"""The arguments of commands, and how they are parsed: the same for all of them."""
