"""Pairs of `Tokens` → integer counts. numpy alone; nothing here sees a string, and inputs are never written to."""
