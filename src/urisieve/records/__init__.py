"""What the sieve gives: records, rejections and batches of them, and where in a source each stands."""
