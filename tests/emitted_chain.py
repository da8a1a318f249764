"""Two filters in a row and their platform, which commands explore and emit."""

from __future__ import annotations

SPEC = """\
const N = 24

elementary smooth(x: u8[3]) -> (y: i16) {
  y = i16(x[0]) + 2 * i16(x[1]) - i16(x[2])
}

elementary halve(a: i16) -> (b: i16) {
  b = a // 2
}

task smoothed(x: u8[N + 2]) -> (y: i16[N]) {
  repeat [N] of smooth {
    x <- x at origin [0] paving [1] fitting [1]
    y -> y at origin [0] paving [1] fitting []
  }
}

task halved(y: i16[N]) -> (z: i16[N]) {
  repeat [N] of halve {
    a <- y at origin [0] paving [1] fitting []
    b -> z at origin [0] paving [1] fitting []
  }
}

task chain(x: u8[N + 2]) -> (z: i16[N]) {
  y = smoothed(x)
  z = halved(y)
}
"""
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"

[memory]
latency = 8
word_bits = 32
port = "shared"
burst = "run"
outstanding = 4
"""
