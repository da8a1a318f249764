"""The report of a result: one HTML file to look through."""
