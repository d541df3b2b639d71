"""What it costs: made-up results, the tools a user runs row by row today, and the clock."""
