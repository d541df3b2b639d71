"""Conventions as data: which rules each system scores by.

A convention says how a text becomes tokens, what is counted, and what empty sides give; nothing in this room computes a
score. Each family of conventions is one module, and `listing.py` names them all. No module outside this room knows a
convention by name.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
