"""All files that stand beside the Verilog of a stream: its streams as data, a bench for cocotb, and projects."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.emit.streams.design import StreamDesign
from hwmodel.emit.streams.group import Beat
from hwmodel.emit.system.ip_xact import Bus, stream_component
from hwmodel.emit.system.projects import Project, project_texts, vivado_package_script
from hwmodel.emit.system.software import library
from hwmodel.emit.verilog.agents import ModulePort
from hwmodel.platform import Platform


@dataclass(frozen=True)
class StreamSystemFiles:
    """The files, of a stream and the platform that it is for."""

    design: StreamDesign
    platform: Platform

    def texts(self, modules: Collection[str]) -> dict[str, str]:
        """The files by path, given the paths of the `modules` of the folder."""
        project = Project.of(self.design.top, f"{self.design.top}_axis", "aclk", self.platform, modules)
        buses = [
            Bus(name, "AXI4-Stream", beat in self.design.outputs, _ports(name, beat)) for name, beat in self._ends()
        ]
        return {
            **project_texts(project),
            "vivado/package.tcl": vivado_package_script(project, [bus.name for bus in buses]),
            "component.xml": stream_component(project, buses, [ModulePort("fault", 1), *self._faults()]),
            "sw/layout.json": json.dumps(self._layout(project.top), indent=1) + "\n",
            "sw/frames.py": library("frames.py"),
            "cocotb/test_frames.py": library("test_streams.py"),
            "cocotb/run.py": library("run.py"),
        }

    def _ends(self) -> Iterator[tuple[str, Beat]]:
        """The streams with the prefix of their ports."""
        for beat in self.design.ends:
            yield f"{'m' if beat in self.design.outputs else 's'}_axis_{beat.name}", beat

    def _faults(self) -> list[ModulePort]:
        return [ModulePort(f"fault_{beat.name}", 1) for beat in self.design.ends if beat not in self.design.outputs]

    def _layout(self, top: str) -> dict[str, Any]:
        return {
            "top": top,
            "clock_mhz": self.platform.clock_mhz,
            "cycles": self.design.cycles,
            "frame_cycles": self.design.hardware.frame,
            "frames_behind": self.design.frames_behind,
            "streams": [self._stream(beat) for beat in self.design.ends],
        }

    def _stream(self, beat: Beat) -> dict[str, Any]:
        """A stream as a row of the layout."""
        accesses = self.design.model.accesses
        kind, shape = accesses.network.arrays[beat.array].type, accesses.shape(beat.array)
        if beat.serial:
            order: NDArray[Any] = np.arange(beat.size)[:, None]
            line = beat.size
        else:
            order, last = self.design.readers[beat.array].order
            line = int(np.argmax(last)) + 1
        return {
            "name": beat.array,
            "port": beat.name,
            "type": str(kind),
            "bits": kind.bits,
            "dtype": kind.container.numpy_name,
            "shape": [int(extent) for extent in shape],
            "role": "once" if beat.serial else "output" if beat in self.design.outputs else "input",
            "word_bytes": beat.word_bytes,
            "elements": order.shape[1],
            "line": line,
            "order": order_of(order),
        }


def _ports(prefix: str, beat: Beat) -> list[ModulePort]:
    """The ports of a stream, whose prefix says its side."""
    gives = prefix.startswith("m_")
    ports = [
        ModulePort(f"{prefix}_tdata", 8 * beat.word_bytes, gives),
        ModulePort(f"{prefix}_tvalid", 1, gives),
        ModulePort(f"{prefix}_tready", 1, not gives),
        ModulePort(f"{prefix}_tlast", 1, gives),
    ]
    return ports if beat.serial else [*ports, ModulePort(f"{prefix}_tuser", 1, gives)]


def order_of(elements: NDArray[Any]) -> dict[str, Any]:
    """Which elements are sent when, in the form of the layout; `elements` is words x elements, -1 for none."""
    starts, loops = elements.reshape(-1), list[tuple[int, int]]()
    while len(starts) > 1:
        step = int(starts[1] - starts[0])
        extent = 1 + int(np.argmax(np.append(np.diff(starts), step + 1) != step))
        if len(starts) % extent:
            return {"places": elements.tolist()}
        runs = starts.reshape(-1, extent)
        if (runs != runs[:, :1] + step * np.arange(extent)).any():
            return {"places": elements.tolist()}
        loops.insert(0, (extent, step))
        starts = runs[:, 0]
    return {"first": int(starts[0]), "loops": loops}
