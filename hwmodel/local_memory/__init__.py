"""Local memories as they are built: what each datum's address is, and how many words that takes."""
