"""Output of commands for people: messages and progress."""
