"""Datapaths of tasks as modules of Verilog: operators, registers, states and what comes in and goes out."""
