"""The harnesses: one small module per family. Each turns a record into responses, golds and other columns."""
