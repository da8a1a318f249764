"""Results on disk and for the eye: the folder, plots, the report; the door to matplotlib."""
