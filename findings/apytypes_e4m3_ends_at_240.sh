#!/usr/bin/env bash
# Question: which is the largest number of an 8-bit float with 4 bits of exponent and 3 of mantissa (E4M3) in apytypes, and what
#   becomes of 448?
# Usual guess: 448, which is E4M3 of the OCP, of ONNX (FLOAT8E4M3FN) and of accelerators.
# Versions: apytypes 0.5.1, ml_dtypes 0.6.0, numpy 2.4.6
# Behaviour: 240. APyFloat keeps the highest exponent for infinities and NaN, as IEEE 754 has it, whatever the width; so 241 to 247
#   round to 240 and 248 is infinite. ml_dtypes has both, float8_e4m3 (240) and float8_e4m3fn (448). E5M2 is the same in all.
# Why it matters: a model of a datapath in apytypes has infinities where the accelerator has 256 to 448: weights that were scaled to 448
#   are all right in E5M2 and ruined in E4M3, and hardware that is made after the model takes one bit pattern in 16 for no number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet apytypes==0.5.1 ml_dtypes==0.6.0 numpy==2.4.6
"$folder/venv/bin/python" - > "$folder/output" <<'PYTHON'
import apytypes
import ml_dtypes
import numpy as np

values = [240.0, 247.0, 248.0, 256.0, 448.0]
print("apytypes E4M3", [float(apytypes.APyFloat.from_float(value, 4, 3)) for value in values])
for name in ("float8_e4m3", "float8_e4m3fn"):
    print(name, np.array(values).astype(getattr(ml_dtypes, name)).astype(float).tolist())
print("E5M2", float(apytypes.APyFloat.from_float(57344.0, 5, 2)), float(ml_dtypes.finfo(ml_dtypes.float8_e5m2).max))
PYTHON
diff - "$folder/output" <<'SEEN'
apytypes E4M3 [240.0, 240.0, inf, inf, inf]
float8_e4m3 [240.0, 240.0, inf, inf, inf]
float8_e4m3fn [240.0, 240.0, 256.0, 256.0, 448.0]
E5M2 57344.0 57344.0
SEEN
echo "as seen"
