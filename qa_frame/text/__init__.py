"""Texts → words → tokens. Arrow strings in, `Tokens` out; nothing here knows of pandas."""
