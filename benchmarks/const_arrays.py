"""`arrayol check` of large const arrays, and of a long file with many: processor seconds and peak memory.

    .venv/bin/python benchmarks/const_arrays.py

Each file is checked by a process of its own, the largest first that the language allows: 2^24 elements by a formula of
integers, by one with a function of the mathematical library, by ranges that depend on each other, and from a file.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

SIDE = 4096
DEFINITIONS = {
    "integers": "u16[S, S] = [(i * 7 + j) % 65536 for i in 0..S, j in 0..S]",
    "functions": "f32[S, S] = [sin(0.001 * i) * j for i in 0..S, j in 0..S]",
    "dependent ranges": "u16[S * (S + 1) / 2] = [i ^ j for i in 0..S, j in i..S]",
    "file": 'u16[S, S] = "k.npy"',
}
MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def main() -> None:
    """A line for each file."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "k.npy", np.arange(SIDE * SIDE, dtype="u2").reshape(SIDE, SIDE))
        for what, definition in DEFINITIONS.items():
            _report(what, f"const S = {SIDE}\nconst K: {definition}\n", folder)
        _report("10,000 lines", _long(), folder)


def _long() -> str:
    """Consts, const arrays and elementaries that read them."""
    lines = [f"const C{number}: i32 = {number}" for number in range(3000)]
    lines += [f"const T{number}: i16[8] = [k * {number} for k in 0..8]" for number in range(3000)]
    lines += [f"const U{number}: i16[4] = [1, 2, 3, {number}]" for number in range(1000)]
    for number in range(1000):
        lines += [f"elementary e{number}(x: i32) -> (y: i32) {{", f"  y = x + C{number} + T{number}[1]", "}"]
    return "\n".join(lines) + "\n"


def _report(what: str, text: str, folder: Path) -> None:
    (folder / "t.aol").write_text(text, encoding="utf-8")
    command = [str(Path(sys.executable).with_name("arrayol")), "check", str(folder / "t.aol")]
    done = subprocess.run([sys.executable, "-c", MEASURED, *command], capture_output=True, text=True, check=True)
    code, seconds, kibibytes = done.stdout.split()
    assert code == "0", "the file does not check"
    print(f"{what:18} {float(seconds):6.2f} s of processor time, {int(kibibytes) / 1024:6.0f} MiB")  # noqa: T201


if __name__ == "__main__":
    main()
