"""Tables generated from public registries; see the header of each module for source and date."""
