#!/usr/bin/env bash
# Question: in isl's notation, what are 5*i % 3 and -i % 3 for i = 7, and what are 5*7 % 3 and -7 % 3?
# Usual guess: % is as strong as * and weaker than a sign, as in C and Python: 35 mod 3 = 2 and -7 mod 3 = 2, whether
#   i is a variable or a number.
# Versions: islpy 2026.2.2 (isl 0.27)
# Behaviour: % binds to the last factor alone. 5*i % 3 is 5 * (i mod 3) = 5, also between numbers; -i % 3 is
#   -(i mod 3) = -1, but the sign of a number belongs to it: -7 % 3 is 2. Nothing is reported. Parentheses help.
# Why it matters: addresses like 5*i % banks, copied from C or printed by a program in the notation of C, become other
#   sets: a bank function that is a permutation in C leaves banks unused, or takes negative values.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet islpy==2026.2.2
"$folder/venv/bin/python" - > "$folder/output" <<'PYTHON'
import islpy

point = islpy.Set("{ [7] }")
for text in ("5*i % 3", "(5*i) % 3", "5*7 % 3", "-i % 3", "(-i) % 3", "-7 % 3"):
    image = point.apply(islpy.Map(f"{{ [i] -> [{text}] }}"))
    print(f"{text} = {image.dim_min_val(0)}")
PYTHON
diff - "$folder/output" <<'SEEN'
5*i % 3 = 5
(5*i) % 3 = 2
5*7 % 3 = 5
-i % 3 = -1
(-i) % 3 = 2
-7 % 3 = 2
SEEN
echo "as seen"
