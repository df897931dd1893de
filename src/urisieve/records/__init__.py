"""The results of a sieve: records, rejections, batches of both, and the location of each in its source."""
