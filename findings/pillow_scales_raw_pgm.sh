#!/usr/bin/env bash
# Question: a camera of 10 bits writes its samples as PGM, which says so in its header (maxval 1023). Which numbers does Pillow read
#   for the samples 0, 1, 512 and 1023?
# Usual guess: these numbers, as other readers of PGM give them; PGM stores integers, and is used for raw frames for that reason.
# Versions: Pillow 13.0.0, netpbmfile 2026.1.29
# Behaviour: Pillow multiplies each sample by 65535 / maxval and rounds: 0, 64, 32800, 65535. Of 12 bits (maxval 4095) it makes 0, 16,
#   32776 (for 2048), 65535, and of 4 bits 0, 17, 136 (for 8), 255. Only maxval 255 and 65535 are read as they are. netpbmfile gives
#   the samples. Pillow says nothing of it and keeps no maxval, so the reader cannot undo it.
# Why it matters: black levels, gains and tables of an image pipeline are in sensor units. A test frame that comes through Pillow is
#   64 times as bright, and 32800 is no shift of 512: dividing by 64 gives 512.5.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet Pillow==13.0.0 netpbmfile==2026.1.29
cd "$folder"
venv/bin/python - > output <<'PYTHON'
import netpbmfile
import numpy as np
from PIL import Image

for bits in (4, 8, 10, 12, 16):
    most = 2**bits - 1
    samples = np.array([0, 1, (most + 1) // 2, most], ">u2" if bits > 8 else "u1")
    with open("frame.pgm", "wb") as file:
        file.write(f"P5\n4 1\n{most}\n".encode() + samples.tobytes())
    other = netpbmfile.imread("frame.pgm").ravel()
    print(bits, "bits: Pillow", np.asarray(Image.open("frame.pgm")).ravel().tolist(), "netpbmfile", other.tolist())
PYTHON
diff - output <<'SEEN'
4 bits: Pillow [0, 17, 136, 255] netpbmfile [0, 1, 8, 15]
8 bits: Pillow [0, 1, 128, 255] netpbmfile [0, 1, 128, 255]
10 bits: Pillow [0, 64, 32800, 65535] netpbmfile [0, 1, 512, 1023]
12 bits: Pillow [0, 16, 32776, 65535] netpbmfile [0, 1, 2048, 4095]
16 bits: Pillow [0, 1, 32768, 65535] netpbmfile [0, 1, 32768, 65535]
SEEN
echo "as seen"
