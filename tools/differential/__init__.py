"""Independent programs, what they are asked, and why they answer otherwise: see tools/compare_programs.py."""
