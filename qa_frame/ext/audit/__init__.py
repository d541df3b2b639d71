"""The hazards of a frame, which are likely to mislead, and the remedy for each. Imports style."""
