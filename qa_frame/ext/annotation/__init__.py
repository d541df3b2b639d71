"""Metrics beside people's verdicts: `agreement`, `disagreements`, `human_mean`, and which rows to label next."""
