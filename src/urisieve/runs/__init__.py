"""Files through the sieve, by one worker or by several."""
