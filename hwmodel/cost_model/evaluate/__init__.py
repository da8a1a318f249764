"""The figures of structures, computed once from their tables, whoever made these: metrics, lower bounds, estimates."""
