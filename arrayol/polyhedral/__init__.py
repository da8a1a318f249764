"""The only door to islpy: sets and relations over integers, with points as plain tuples."""
