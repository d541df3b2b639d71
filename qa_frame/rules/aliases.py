"""Other names of conventions: sources whose rules are the same as those of a convention that is listed."""

ALIASES = {
    "drop_lm_eval": "drop",
    "nolima": "openai_evals_includes",
    "openai_evals_includes_ignore_case": "ruler_part",
}
