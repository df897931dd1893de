"""The version, which is nowhere else."""

__version__ = "1.0.0rc1"
