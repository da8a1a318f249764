"""Operators of datapaths: values, circuits and prices of nodes, and the nodes of the language's operators."""
