#!/usr/bin/env bash
# Question: which type does pycparser give to the constants 3000000000, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 'a' and L'a'?
# Usual guess: those of C on a machine with int of 32 bits: long, unsigned int, unsigned long, int and wchar_t.
# Versions: pycparser 3.12
# Behaviour: Constant.type follows the spelling alone. Every number without a suffix is "int", however large, in any
#   base; a character constant is "char", with a prefix too. gcc says otherwise of all five.
# Why it matters: whoever types expressions by Constant.type wraps 3000000000 to a negative number, compares
#   0xFFFFFFFF > -1 with signs where C has none (C: false), and computes 'a' + 100 in 8 bits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pycparser==3.12
"$folder/venv/bin/python" - > "$folder/output" <<'PYTHON'
from pycparser import CParser

for text in ("3000000000", "0xFFFFFFFF", "0xFFFFFFFFFFFFFFFF", "1u", "1ll", "'a'", "L'a'", "0x1.8p3"):
    print(text, "is", CParser().parse(f"int x = {text};").ext[0].init.type)
PYTHON
diff - "$folder/output" <<'SEEN'
3000000000 is int
0xFFFFFFFF is int
0xFFFFFFFFFFFFFFFF is int
1u is unsigned int
1ll is long long int
'a' is char
L'a' is char
0x1.8p3 is double
SEEN
echo "as seen"
