"""Reports: statistics as one HTML page that needs nothing else."""
