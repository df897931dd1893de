"""The version, which is nowhere else."""

__version__ = "0.1.0"
