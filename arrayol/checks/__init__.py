"""The exact checks of a resolved specification."""
