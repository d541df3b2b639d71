"""Which questions are hard, and which golds look wrong."""
