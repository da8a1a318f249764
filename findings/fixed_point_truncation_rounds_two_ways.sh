#!/usr/bin/env bash
# Question: two libraries for fixed-point numbers, by default "truncating", with 4 bits below the point: what becomes of the product
#   -0.75 x 0.3125 = -0.234375 = -3.75/16 when it is stored with 4 bits again, and which way go their quotients -0.75 / 0.3125 = -2.4?
# Usual guess: truncation drops the low bits, as in hardware and HLS (AP_TRN), so -4/16; and quotients go the way that casts go.
# Versions: fxpmath 0.4.10, apytypes 0.5.1
# Behaviour: fxpmath's "trunc" goes toward zero (-3/16; only its "floor" drops bits), but its quotient goes down: -308/128. apytypes
#   drops bits in a cast (-4/16), but its quotient goes toward zero: -614/256, where 2.4 x 256 is 614.4.
# Why it matters: both serve as golden models of datapaths. Negative products differ in the last bit from hardware that drops bits
#   (fxpmath), or negative quotients from casts (both); the default name says nothing of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet fxpmath==0.4.10 apytypes==0.5.1
cd "$folder"
cat > fixed.py <<'PYTHON'
from apytypes import APyFixed
from fxpmath import Fxp

a, b = Fxp(-0.75, True, 8, 4), Fxp(0.3125, True, 8, 4)
for rounding in ("trunc", "floor"):
    stored = Fxp(0, True, 8, 4, rounding=rounding)
    stored.equal(a * b)
    print(f"fxpmath {rounding}: {int(stored.val.item())}/16")
print(f"fxpmath default: {a.config.rounding}, quotient {int((a / b).val)}/{2 ** (a / b).n_frac}")
c, d = APyFixed.from_float(-0.75, 4, 4), APyFixed.from_float(0.3125, 4, 4)
quotient = c / d
print(f"apytypes cast: {int(float((c * d).cast(4, 4)) * 16)}/16, quotient {float(quotient) * 2 ** quotient.frac_bits:.0f}/{2 ** quotient.frac_bits}")
PYTHON
venv/bin/python fixed.py > output
diff - output <<'SEEN'
fxpmath trunc: -3/16
fxpmath floor: -4/16
fxpmath default: trunc, quotient -308/128
apytypes cast: -4/16, quotient -614/256
SEEN
echo "as seen"
