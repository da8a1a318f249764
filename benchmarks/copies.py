"""How long it takes to load and check a specification whose definitions with parameters are used 1,000 times.

    .venv/bin/python benchmarks/copies.py

500 calls of a convolution, each of another size, without values: 1,000 copies. Beside it the same specification
written out. Seconds of this process; the exact checks of all copies are among them.
"""

from __future__ import annotations

import sys
from time import process_time

from arrayol.checks.check import check_loaded
from arrayol.language.emitter import spec_text
from arrayol.language.loader import load_source
from arrayol.source import SourceFile

CALLS = 500
DEFINITIONS = """\
elementary mac[K, CI, CO](x: i8[K, K, CI], w: i8[CO, K, K, CI]) -> (y: i8[CO]) {
  loop o in 0..CO {
    a: i32 = 0
    a += i32(x[i, j, c]) * w[o, i, j, c]  for i in 0..K, j in 0..K, c in 0..CI
    y[o] = i8(a >> 7)
  }
}

task conv[K, CI, CO, H, W](x: i8[H, W, CI], w: i8[CO, K, K, CI]) -> (y: i8[H, W, CO]) {
  repeat [H, W] of mac[K, CI, CO] {
    x <- x at origin [-(K // 2), -(K // 2), 0] paving [1, 0; 0, 1; 0, 0] fitting [1, 0, 0; 0, 1, 0; 0, 0, 1] wrap
    w <- w
    y -> y
  }
}
"""


def _text() -> str:
    inputs = ", ".join(f"x{k}: i8[{16 + k}, 16, 3], w{k}: i8[{k + 1}, 3, 3, 3]" for k in range(CALLS))
    outputs = ", ".join(f"y{k}: i8[{16 + k}, 16, {k + 1}]" for k in range(CALLS))
    calls = "".join(f"  y{k} = conv(x{k}, w{k})\n" for k in range(CALLS))
    return f"{DEFINITIONS}\ntask top({inputs}) -> ({outputs}) {{\n{calls}}}\n"


def _measure(what: str, text: str) -> str:
    """Print what loading and checking took, and give the specification written out."""
    start = process_time()
    loaded = load_source(SourceFile(f"{what}.aol", text))
    middle = process_time()
    assert check_loaded(loaded).ok
    end = process_time()
    components = len(loaded.spec.components) - 1
    sys.stdout.write(f"{what:12} {components:,} components: load {middle - start:.1f} s, check {end - middle:.1f} s\n")
    return spec_text(loaded.spec)


if __name__ == "__main__":
    load_source(SourceFile("warm.aol", DEFINITIONS))
    _measure("written out", _measure("copies", _text()))
