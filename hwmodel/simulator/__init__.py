"""The simulated machine: runs a mapped design on real data, word by word. It shares nothing with the model."""
