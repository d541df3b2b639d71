"""Records of several fields, scored field by field: `score_fields`. Imports judges."""
