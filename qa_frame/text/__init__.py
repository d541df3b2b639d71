"""Texts → words → tokens.

Arrow text comes in and `Tokens` go out; nothing here knows pandas, a metric or the name of a convention. Rules are
applied to many words or texts at once, but the tokens are exactly those that the rule gives for each text alone.
"""
