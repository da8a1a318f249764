"""What mutations start from: shipped and wrong specifications, platforms, studies, and a small folder to work in."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import manual
from case import Files
from command_line import in_process

from dse.output.emitted_folder import open_emitted
from dse.output.synthesis import Synthesis
from hwmodel.emit.system.ecp5_device import Ecp5Device
from hwmodel.synth.ecp5 import Netlist, PlacedDesign

ROOT = Path(__file__).resolve().parents[2]

# A chain of two tasks in two dimensions, with a delay, costs and what else a design decides.
CHAIN = """\
const H = 6
const W = 8
const GAIN = 0.5

elementary smooth(x: f32[4], prev: f32) -> (y: f32[4], last: f32) {
  y[0] = GAIN * prev + (1 - GAIN) * x[0]
  y[k] = GAIN * y[k - 1] + (1 - GAIN) * x[k]  for k in 1..4
  last = y[3]
}

elementary mean(window: f32[3, 3], weight: f32[3]) -> (m: f32) {
  m += weight[i] * window[i, j]  for i in 0..3, j in 0..3 where i <= j
}

task rows(src: f32[H, W]) -> (dst: f32[H, W]) {
  repeat [H, W / 4] of smooth {
    x    <- src  at origin [0, 0] paving [1, 0; 0, 4] fitting [0; 1]
    prev <- last delay [0, 1] else 0
    y    -> dst  at origin [0, 0] paving [1, 0; 0, 4] fitting [0; 1]
  }
}

task means(image: f32[H, W], weights: f32[3]) -> (out: f32[H - 2, W - 2]) {
  repeat [H - 2, W - 2] of mean {
    window <- image   at origin [0, 0]  paving [1, 0; 0, 1] fitting [1, 0; 0, 1]
    weight <- weights at origin [0]     paving [0, 0]       fitting [1]
    m      -> out     at origin [0, 0]  paving [1, 0; 0, 1] fitting []
  }
}

task chain(image: f32[H, W], weights: f32[3]) -> (out: f32[H - 2, W - 2]) {
  smoothed = rows(image)
  out      = means(smoothed, weights)
}
"""

PLATFORM = """\
clock_mhz = 100

[memory]
word_bits = 64
port = "separate"

[memory.rows]
row_bytes = 2048
banks = 4
word_ns = 160
row_change_ns = 70.5
same_bank_activate_ns = 60

[local]
banks = 4
access_cycles = 2
block_bits = 1024

[elementary.smooth]
initiation_interval = 2
latency = 4
recurrence = 3
cost = { lut = 96, dsp = 2.5 }

[elementary.mean]
interval = [1, 3]
latency = 9
cost = { lut = 50, dsp = 1 }
measured = [ { interval = 3, latency = 11, cost = { lut = 31.5 } } ]

[verify]
H = 4
W = 4
"""

PLAIN_PLATFORM = """\
[memory]
latency = 30
data_per_word = 4
port = "shared"

[elementary.smooth]
initiation_interval = 1
cost = { lut = 96 }

[elementary.mean]
interval = 1
cost = { lut = 10 }
"""

DERIVING_PLATFORM = """\
clock_mhz = 50
technology = "ecp5-6"

[memory]
latency = 30
data_per_word = 4

[local]
fetch_cycles = 2
store_cycles = 1

[operators]
"add.f32" = [ { max_mhz = 59, cycles = 2, lut = "24*w - 10", ff = 82, pj = "14*0.9" } ]
sub = { ns = "1.45 + 0.037*w", lut = "w + 5 if w > 3 else 8", every = 1, estimate = true, source = "ours" }
mux_in = { ns = "0.04 + 0.37*k", lut = "ceil(w*(1 if k <= 2 else 2.1*k - 4.1))" }

[elementary.smooth]
energy_pj = 20.5
recurrence = { prev = 9 }
interval = [1, 4]
clock_mhz = 60

[[elementary.smooth.measured]]
interval = 4
latency = 9
cost = { lut = 96, dsp = 2 }
"""

STUDIES = (
    """\
fusions = [[["rows", "means"]], [["rows"], ["means"]]]
orders = ["0,1", "1,0"]
units = [1, 2, 4]
cuts = ["none", "lines"]
links = ["buffer", "fifo"]
layouts = ["none"]
policies = ["reuse", "tile"]
recompute = [false, true]
reuse_memory = true
epsilon = 0.25
objectives = ["latency_cycles", "internal_memory_bits", "lut"]
constraints = ["internal_memory_bits <= 65536", "lut <= 2e4"]

[blocks]
rows = [[4, 1], [2, 1]]
means = [[2, 2], [1, 2]]
""",
    """\
fusions = "all"
longest_group = 1
blocks = "divisors"
orders = "legal"
units = [1]
intervals = [1, 4, 6]
links = ["buffer"]
policies = ["reuse", "strip", "whole", "tile"]
layouts = ["none", "linear"]
constraints = ["latency_cycles < 1000000"]

[cuts]
rows = [[1, 1]]
""",
    """\
blocks = "divisors"
units = [1, 2]
links = ["buffer"]
policies = ["reuse"]
objectives = ["latency_cycles", "setup_cycles"]
constraints = ["setup_bytes <= 4096"]

[array.src]
load = "once"

[intervals]
rows = [4, 8]
""",
)

_CONST = re.compile(r"^const (\w+) *= *[^#\n]*", re.MULTILINE)


@cache
def shipped() -> tuple[str, ...]:
    """The shipped specifications at the size at which they are verified."""
    return tuple(_reduced(path) for path in sorted((ROOT / "specs").glob("*.aol")))


def _reduced(path: Path) -> str:
    values = tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8")).get("verify", {})
    text = path.read_text(encoding="utf-8")
    return _CONST.sub(lambda found: f"const {found[1]} = {values.get(found[1], found[0].split('=')[1].strip())}", text)


@cache
def specifications() -> tuple[str, ...]:
    """Right and wrong ones: shipped, of the manual, and one for each message; none imports another."""
    errors = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "errors").glob("*.aol"))]
    pages = [block.text for page in manual.PAGES for block in manual.blocks(page, "aol")]
    alone = [text for text in (*errors, *pages) if "import" not in text]
    return (*shipped(), *shipped(), CHAIN, *alone)


@cache
def platforms() -> tuple[str, ...]:
    """Shipped ones and one with every key."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "specs" / "platforms").glob("*.toml"))]
    return (PLATFORM, PLATFORM, PLAIN_PLATFORM, DERIVING_PLATFORM, DERIVING_PLATFORM, *texts)


SUM = """#define N 3
void sum(float a[N][N], float s[N]) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++)
      s[i] += 0.5f * a[i][j];
#pragma endscop
}
"""


@cache
def folder() -> Files:
    """A folder with the chain, its platform, a study, data and the result of an exploration."""
    with TemporaryDirectory() as name:
        here = Path(name)
        (here / "chain.aol").write_text(CHAIN, encoding="utf-8")
        (here / "chain.toml").write_text(PLATFORM, encoding="utf-8")
        (here / "study.toml").write_text(STUDIES[0], encoding="utf-8")
        (here / "sum.c").write_text(SUM, encoding="utf-8")
        for command in (
            ("run", "chain.aol", "--top", "rows", "--in", "src=random:1", "--out", "dst=x.npy"),
            ("run", "chain.aol", "--top", "rows", "--in", "src=ramp", "--out", "dst=x.png"),
            ("run", "chain.aol", "--top", "rows", "--in", "src=ramp", "--out", "dst=x.npz"),
            ("explore", "chain.aol", "--narrow", "--quiet", "--workers", "1", "--out", "r", "--verify"),
        ):
            done = in_process(*command, cwd=here)
            assert done.returncode == 0, done.stderr
        taken = [
            path
            for path in sorted(here.rglob("*"))
            if path.suffix in {".aol", ".c", ".toml", ".npy", ".png", ".npz", ".json"}
        ]
        return {
            str(path.relative_to(here)): path.read_bytes()
            for path in taken
            if "pareto" not in path.name and "breakdown" not in path.name
        }


PAIR = """\
const N = 8

elementary twice(x: u8[2]) -> (y: u8) { y = x[0] + x[1] }

task first(a: u8[N]) -> (b: u8[N / 2]) {
  repeat [N / 2] of twice {
    x <- a at origin [0] paving [2] fitting [1]
    y -> b
  }
}

task second(b: u8[N / 2]) -> (c: u8[N / 4]) {
  repeat [N / 4] of twice {
    x <- b at origin [0] paving [2] fitting [1]
    y -> c
  }
}

task pair(a: u8[N]) -> (c: u8[N / 4]) {
  b = first(a)
  c = second(b)
}
"""

PAIR_PLATFORM = """\
clock_mhz = 50
technology = "ecp5-6"

[memory]
latency = 10
data_per_word = 4
burst = "run"
"""


@cache
def emitted() -> Files:
    """A folder with a pair of tasks, its result `p` and store of work, a design as Verilog `v` with its synthesis."""
    with TemporaryDirectory() as name:
        here = Path(name)
        (here / "pair.aol").write_text(PAIR, encoding="utf-8")
        (here / "pair.toml").write_text(PAIR_PLATFORM, encoding="utf-8")
        for command in (
            ("explore", "pair.aol", "--narrow", "--quiet", "--workers", "1", "--out", "p", "--no-verify"),
            ("emit", "verilog", "pair.aol", "--result", "p", "--design", "2:1", "--out", "v"),
            ("emit", "hls", "pair.aol", "--result", "p", "--design", "2:1", "--out", "h"),
        ):
            done = in_process(*command, cwd=here)
            assert done.returncode == 0, done.stderr
        netlist = Netlist({"group0.first_unit0.y_LUT4_Z": "LUT4", "pc_TRELLIS_FF_Q": "TRELLIS_FF"}, "Yosys 0.70")
        placed = PlacedDesign({"TRELLIS_COMB": 120, "TRELLIS_FF": 80}, 61.2)
        done = Synthesis(open_emitted(here / "v"), Ecp5Device(), 50.0, 1, False, (netlist.creator,), netlist, placed)
        (here / "v" / "synthesis").mkdir()
        (here / "v" / "synthesis" / "synthesis.json").write_text(json.dumps(done.to_json()), encoding="utf-8")
        drawn = {".png", ".svg", ".html"}
        taken = [path for path in sorted(here.rglob("*")) if path.is_file() and path.suffix not in drawn]
        return {path.relative_to(here).as_posix(): path.read_bytes() for path in taken}
