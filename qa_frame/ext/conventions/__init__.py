"""Conventions side by side: `compare_conventions`, and `infer_convention` from scores that somebody else made."""
