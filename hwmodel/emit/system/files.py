"""All files that stand beside the Verilog of a design, for software and for other tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hwmodel.emit.system.ip_xact import Bus, component
from hwmodel.emit.system.projects import (
    Project,
    ecp5_constraints,
    ecp5_makefile,
    fusesoc_core,
    vivado_constraints,
    vivado_package_script,
    vivado_script,
)
from hwmodel.emit.system.software import c_header, layout_document, library
from hwmodel.emit.verilog.axi import address_bits, axi_ports
from hwmodel.emit.verilog.control import control_ports
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.makefile import WAIVERS
from hwmodel.platform import Platform

ASSUMED_MHZ = 100.0  # of constraints where a platform names no clock


@dataclass(frozen=True)
class SystemFiles:
    """The files, of a design in Verilog and the platform that it is for."""

    files: DesignFiles
    platform: Platform

    def texts(self, modules: Mapping[str, str]) -> dict[str, str]:
        """The files by path, given the `modules` of the folder by theirs."""
        return dict(self._texts(self._project(sorted(modules))))

    def _project(self, paths: list[str]) -> Project:
        behind = self.files.ip
        name = self.files.design.top
        return Project(
            name,
            behind or f"{name}_top",
            "aclk" if behind else "clk",
            self.platform.clock_mhz or ASSUMED_MHZ,
            self.platform.device,
            [path for path in paths if path.startswith("rtl/")],
            [path for path in paths if path.startswith("tb/")],
            ["tb", "tb_axi"] if behind else ["tb"],
            [path for path in paths if path.startswith("data/")],
        )

    def _texts(self, project: Project) -> Iterator[tuple[str, str]]:
        yield project.core, fusesoc_core(project, ["-Wall", *(f"-Wno-{name}" for name in WAIVERS)])
        yield "vivado/build.tcl", vivado_script(project)
        yield "vivado/clock.xdc", vivado_constraints(project)
        yield "ecp5/Makefile", ecp5_makefile(project)
        yield "ecp5/clock.lpf", ecp5_constraints(project)
        if self.files.ip is not None:
            yield from self._behind_buses(project)

    def _behind_buses(self, project: Project) -> Iterator[tuple[str, str]]:
        """What is there for the top module with buses only."""
        layout, outside, cycles = self.files.layout, self.files.outside, self.files.design.cycles
        buses = [
            Bus("m_axi", "AXI4", True, axi_ports(outside)),
            Bus("s_axi", "AXI4-Lite", False, control_ports()),
        ]
        yield "vivado/package.tcl", vivado_package_script(project)
        yield "component.xml", component(project, layout, buses, address_bits(outside))
        yield "sw/layout.json", layout_document(layout, project.top, self.platform.clock_mhz, cycles)
        yield "sw/accelerator.py", library("accelerator.py")
        yield f"sw/{project.file}.h", c_header(layout, project.name, cycles)
        yield "cocotb/test_frames.py", library("test_frames.py")
        yield "cocotb/run.py", library("run.py")
