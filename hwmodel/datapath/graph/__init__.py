"""The dataflow graph of one repetition of an elementary task."""
