"""The figures of designs: their names in results, and the title and unit that people read.

Tables, CSV, objectives, constraints, reports and completions take them from here, and no cost may have such a name.
The models compute them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

LATENCY, FRAME = "latency_cycles", "frame_cycles"
MICROSECONDS, FRAMES_PER_SECOND = "latency_microseconds", "frames_per_second"
SETUP_CYCLES, SETUP_BYTES = "setup_cycles", "setup_bytes"
ROM_BITS, LOCAL_BITS = "rom_bits", "local_bits"
ENERGY, POWER = "energy_nj", "power_mw"


@dataclass(frozen=True, slots=True)
class ModelFigure:
    """A figure of designs.

    Designs are compared by integers: the model's figure `key`, which is its name where nothing is given, times `scale`.
    `clocked` figures are cycles seen through the platform's clock.
    """

    name: str
    title: str
    unit: str
    key: str = ""
    scale: int = 1
    clocked: bool = False


_FIGURES = (
    ModelFigure(LATENCY, "latency", "cycles"),
    ModelFigure("internal_memory_elements", "internal memory", "elements"),
    ModelFigure("internal_memory_bits", "internal memory", "bits"),
    ModelFigure("traffic_bytes", "external traffic", "bytes"),
    ModelFigure("port_bytes", "traffic of the port", "bytes"),
    ModelFigure("units", "units in total", "units"),
    ModelFigure(FRAME, "time per frame", "cycles"),
    ModelFigure("memory_blocks", "memory blocks", "blocks"),
    ModelFigure(SETUP_CYCLES, "setup before the first frame", "cycles"),
    ModelFigure(SETUP_BYTES, "data loaded before the first frame", "bytes"),
    ModelFigure(ROM_BITS, "read-only memories", "bits"),
    ModelFigure(LOCAL_BITS, "registers of local variables", "bits"),
    ModelFigure(MICROSECONDS, "latency", "us", LATENCY, clocked=True),
    ModelFigure(FRAMES_PER_SECOND, "frame rate", "frames/s", FRAME, clocked=True),
    ModelFigure(ENERGY, "energy of a frame", "nJ", scale=10**6),
    ModelFigure(POWER, "power", "mW", scale=10**9),
)
MODEL_FIGURES: Mapping[str, ModelFigure] = MappingProxyType({figure.name: figure for figure in _FIGURES})
