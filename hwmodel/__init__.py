"""Hardware: the platform, and the models that price a mapped network on it."""
