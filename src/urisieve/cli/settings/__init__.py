"""The arguments of each command, and the frozen settings that they become."""
