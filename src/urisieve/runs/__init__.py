"""Runs over files, by one worker or by several."""
