"""The search in rounds: coarse to fine, under a budget of predicted work, with an archive that only grows."""
