"""How many questions were answered, and how well: `abstention`, `risk_coverage`."""
