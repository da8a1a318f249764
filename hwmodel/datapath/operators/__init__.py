"""Operators of datapaths: values, circuits and prices of nodes, and what nodes the language's operators become."""
