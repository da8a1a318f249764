#!/usr/bin/env bash
# Question: an editor replaces what stands from column 1 to column 3, or 99, of the line "ab". What does pygls make of it?
# Usual guess: "aX", whatever the column: the protocol says that a column beyond the line counts as the end of the line.
# Versions: pygls 2.1.1, lsprotocol 2025.0.0
# Behaviour: a column beyond the line counts as the last character of the line with its line end. With a line feed that
#   is the end of the line, by luck. In a last line without one it is before the last letter: "ab" becomes "aXb". One
#   column beyond a line is not moved back at all and takes the line feed away: "ab\n" becomes "aX".
# Why it matters: the server's text is another than the editor's from then on, and all later places are wrong. Editors
#   that replace "to the end of the line" by a large column meet it in the last line of a file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pygls==2.1.1 lsprotocol==2025.0.0
"$folder/venv/bin/python" - > "$folder/output" <<'PYTHON'
from lsprotocol import types
from pygls.workspace import TextDocument

for text in ("ab", "ab\n"):
    for column in (2, 3, 99):
        document = TextDocument("untitled:x", text)
        end = types.Position(0, column)
        replaced = types.Range(types.Position(0, 1), end)
        at = document.offset_at_position(end)
        document.apply_change(types.TextDocumentContentChangePartial(range=replaced, text="X"))
        print(f"{text!r}: column {column} is offset {at}; replaced from 1 to {column}: {document.source!r}")
PYTHON
diff - "$folder/output" <<'SEEN'
'ab': column 2 is offset 2; replaced from 1 to 2: 'aX'
'ab': column 3 is offset 1; replaced from 1 to 3: 'aXb'
'ab': column 99 is offset 1; replaced from 1 to 99: 'aXb'
'ab\n': column 2 is offset 2; replaced from 1 to 2: 'aX\n'
'ab\n': column 3 is offset 3; replaced from 1 to 3: 'aX'
'ab\n': column 99 is offset 2; replaced from 1 to 99: 'aX\n'
SEEN
echo "as seen"
