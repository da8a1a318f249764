"""When each operation of a datapath starts, at an interval: chaining, pipelines, registers (docs/cost.md)."""
