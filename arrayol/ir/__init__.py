"""The nodes: syntax as written, the resolved model, typed bodies, and the flat network of processes."""
