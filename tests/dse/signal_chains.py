"""Chains of small filters on a signal, four kinds in turn: a window, a recursive filter, a block transform, a gain."""

from __future__ import annotations

from pathlib import Path

from arrayol import api
from arrayol.ir.network import flatten
from dse.space.mappings import MappingSpace
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory

KINDS = {
    "window": """elementary window_of(x: f32[5]) -> (y: f32) {
  y = x[0] + 2 * x[1] + 3 * x[2] + 2 * x[3] + x[4]
}
task window(a: f32[N]) -> (b: f32[N]) {
  repeat [N] of window_of {
    x <- a at origin [-2] paving [1] fitting [1] wrap
    y -> b at origin [0] paving [1] fitting []
  }
}
""",
    "smooth": """elementary smooth_of(x: f32, prev: f32) -> (y: f32) {
  y = (x + prev) / 2
}
task smooth(a: f32[N]) -> (b: f32[N]) {
  repeat [N] of smooth_of {
    x <- a at origin [0] paving [1] fitting []
    prev <- y delay [1] else 0
    y -> b at origin [0] paving [1] fitting []
  }
}
""",
    "mix": """elementary mix_of(x: f32[4]) -> (y: f32[4]) {
  y[k] = x[k] - x[3 - k]  for k in 0..4
}
task mix(a: f32[N]) -> (b: f32[N]) {
  repeat [N / 4] of mix_of {
    x <- a at origin [0] paving [4] fitting [1]
    y -> b at origin [0] paving [4] fitting [1]
  }
}
""",
    "gain": """elementary gain_of(x: f32) -> (y: f32) {
  y = 3 * x
}
task gain(a: f32[N]) -> (b: f32[N]) {
  repeat [N] of gain_of {
    x <- a at origin [0] paving [1] fitting []
    y -> b at origin [0] paving [1] fitting []
  }
}
""",
}
PLATFORM = Platform(memory=ExternalMemory(latency=30, data_per_word=4), assume_datapaths=True)


def chain(tasks: int, samples: int) -> str:
    """A specification of so many calls, one after another, the four kinds in turn."""
    calls = []
    for number in range(tasks):
        result = "out" if number == tasks - 1 else f"s{number + 1}"
        source = "signal" if number == 0 else f"s{number}"
        calls.append(f"  {result} = {list(KINDS)[number % len(KINDS)]}({source})")
    used = list(KINDS.values())[: min(tasks, len(KINDS))]
    top = "\n".join(["task chain(signal: f32[N]) -> (out: f32[N]) {", *calls, "}"])
    return f"const N = {samples}\n{''.join(used)}{top}\n"


def space_of(text: str, longest: int, folder: Path) -> MappingSpace:
    """The plain designs of a chain with groups of at most so many tasks."""
    path = folder / "chain.aol"
    path.write_text(text, encoding="utf-8")
    study = narrowed(Study(longest_group=longest))
    return MappingSpace(MachineModel(flatten(api.load(path), "chain"), PLATFORM), study)
