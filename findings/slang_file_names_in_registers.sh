#!/usr/bin/env bash
# Question: does slang take the name of a file from a register, as in  reg [80*8:1] name;  $fopen(name, "w");  $dumpfile(name);
#   which is the only variable that Verilog-2005 has for it?
# Usual guess: yes. IEEE 1800 (21.3.1, 21.7.1) lets a name be a literal, a string, or an integral value with the characters
#   in it, and Icarus and Verilator take it.
# Versions: pyslang 12.1.0
# Behaviour: $fopen and $dumpfile are an error (no implicit conversion from reg to string), also with --std 1364-2005;
#   $readmemh takes the same register. A cast string'(name) passes, and is not Verilog.
# Why it matters: a test bench of Verilog that takes a name from $value$plusargs, as for +vcd=FILE, cannot be read by slang
#   and cannot be written so that both slang and a reader of Verilog take it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pyslang==12.1.0
cd "$folder"
cat > tasks.py <<'PYTHON'
import sys
from pyslang.driver import Driver

call, options = sys.argv[1], sys.argv[2:]
with open("bench.v", "w") as file:
    file.write(f"module bench; reg [80*8:1] name; reg [7:0] words [0:3]; integer file; initial {call}; endmodule\n")
driver = Driver()
driver.addStandardArgs()
assert driver.parseCommandLine(" ".join(["slang", *options, "bench.v"])) and driver.processOptions()
driver.parseAllSources()
errors = [one for one in driver.createCompilation().getAllDiagnostics() if one.isError()]
print(call, *options, ":", ", ".join(str(one.code) for one in errors) or "no error")
PYTHON
{
    for call in 'file = $fopen(name, "w")' '$dumpfile(name)' '$readmemh(name, words)'; do
        venv/bin/python tasks.py "$call"
        venv/bin/python tasks.py "$call" --std 1364-2005
    done
    venv/bin/python tasks.py "\$dumpfile(string'(name))"
    venv/bin/python tasks.py '$dumpfile("waves.vcd")'
} > output
diff - output <<'SEEN'
file = $fopen(name, "w") : DiagCode(NoImplicitConversion)
file = $fopen(name, "w") --std 1364-2005 : DiagCode(NoImplicitConversion)
$dumpfile(name) : DiagCode(NoImplicitConversion)
$dumpfile(name) --std 1364-2005 : DiagCode(NoImplicitConversion)
$readmemh(name, words) : no error
$readmemh(name, words) --std 1364-2005 : no error
$dumpfile(string'(name)) : no error
$dumpfile("waves.vcd") : no error
SEEN
echo "as seen"
