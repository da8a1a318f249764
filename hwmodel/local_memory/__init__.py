"""Local memories as built: the address of each datum, the number of words, and the organisation in banks."""
