#!/usr/bin/env bash
# Question: in isl's notation, which pairs are in { [i] -> [i/2] : 0 <= i < 6 }, and how many points has { [i] : (i+1)/2 = 1 }?
# Usual guess: six pairs, with the quotient rounded as in C, or a syntax error; and the points 1 and 2.
# Versions: islpy 2026.2.2 (isl 0.27)
# Behaviour: / is the exact quotient, and a point whose quotient is no integer is not in the map: three pairs, for i = 0, 2 and 4. In a
#   condition, (i+1)/2 = 1 is i = 1 alone. Nothing is reported. floor(i/2) is what C has for i >= 0.
# Why it matters: an access like in[i/2], as of an upsampling, copied from C loses the odd iterations. Footprints and transfers that
#   are counted from it are too small, and a dependence that is missing makes an illegal order look legal.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet islpy==2026.2.2
"$folder/venv/bin/python" - > "$folder/output" <<'PYTHON'
import islpy

for text in ("{ [i] -> [i/2] : 0 <= i < 6 }", "{ [i] -> [floor(i/2)] : 0 <= i < 6 }"):
    pairs = islpy.Map(text)
    print(text, "->", pairs, "iterations:", pairs.domain().count_val())
for text in ("{ [i] : (i+1)/2 = 1 }", "{ [i] : floor((i+1)/2) = 1 }"):
    points = islpy.Set(text)
    print(text, "points:", points.count_val(), "from", points.dim_min_val(0), "to", points.dim_max_val(0))
PYTHON
diff - "$folder/output" <<'SEEN'
{ [i] -> [i/2] : 0 <= i < 6 } -> { [i] -> [o0] : 2o0 = i and 0 <= i <= 5 } iterations: 3
{ [i] -> [floor(i/2)] : 0 <= i < 6 } -> { [i] -> [o0] : 0 <= i <= 5 and -1 + i <= 2o0 <= i } iterations: 6
{ [i] : (i+1)/2 = 1 } points: 1 from 1 to 1
{ [i] : floor((i+1)/2) = 1 } points: 2 from 1 to 2
SEEN
echo "as seen"
