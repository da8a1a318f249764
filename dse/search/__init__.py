"""Search and sorting libraries; the only door to pymoo and moocore."""
