"""Groups that run at the same time, each on another frame: their top module and its test benches."""
