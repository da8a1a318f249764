#!/usr/bin/env bash
# Question: what becomes of a value that is too large for a narrow type of ml_dtypes: 1000 as float8_e4m3fn (largest 448), 1e6 as
#   float8_e5m2 (largest 57344), 100 as float4_e2m1fn (largest 6), and 9 as int4 (largest 7)?
# Usual guess: all saturate, as conversions of accelerators and ONNX's Cast (saturate=1) do: 448, 57344, 6 and 7.
# Versions: ml_dtypes 0.6.0, numpy 2.4.6
# Behaviour: four types, four ways. float8_e4m3fn gives NaN, from 465 on, while 464 still rounds to 448; float8_e5m2 gives infinity,
#   float4_e2m1fn saturates (6), and int4 wraps (9 becomes -7). There is no warning and no option for it.
# Why it matters: these types are the golden model of quantised accelerators. One activation above 464 turns all sums that it takes
#   part in to NaN, where the hardware has 448; whoever tests with FP4 first sees it saturate. Clip before the conversion.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ml_dtypes==0.6.0 numpy==2.4.6
"$folder/venv/bin/python" -W error - > "$folder/output" <<'PYTHON'
import ml_dtypes
import numpy as np

for kind, values in (
    (ml_dtypes.float8_e4m3fn, [448, 464, 465, 1000, -1000]),
    (ml_dtypes.float8_e5m2, [57344, 1e6, -1e6]),
    (ml_dtypes.float4_e2m1fn, [6, 7, 100, -100]),
):
    print(kind.__name__, values, "->", np.array(values, "f4").astype(kind).astype(float).tolist())
print("int4", [7, 8, 9, -9], "->", np.array([7, 8, 9, -9]).astype(ml_dtypes.int4).astype(int).tolist())
PYTHON
diff - "$folder/output" <<'SEEN'
float8_e4m3fn [448, 464, 465, 1000, -1000] -> [448.0, 448.0, nan, nan, nan]
float8_e5m2 [57344, 1000000.0, -1000000.0] -> [57344.0, inf, -inf]
float4_e2m1fn [6, 7, 100, -100] -> [6.0, 6.0, 6.0, -6.0]
int4 [7, 8, 9, -9] -> [7, -8, -7, 7]
SEEN
echo "as seen"
