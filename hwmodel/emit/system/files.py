"""All files that stand beside the Verilog of a design, for software and for other tools."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from hwmodel.emit.system.ip_xact import Bus, component
from hwmodel.emit.system.projects import Project, project_texts, vivado_package_script
from hwmodel.emit.system.software import c_header, layout_document, library
from hwmodel.emit.verilog.axi import address_bits, axi_ports, bus_of
from hwmodel.emit.verilog.control import control_ports
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.platform import Platform


@dataclass(frozen=True)
class SystemFiles:
    """The files, of a design in Verilog and the platform that it is for."""

    files: DesignFiles
    platform: Platform

    def texts(self, modules: Collection[str]) -> dict[str, str]:
        """The files by path, given the paths of the `modules` of the folder."""
        behind, name = self.files.ip, self.files.design.top
        top, clock = (behind, "aclk") if behind else (f"{name}_top", "clk")
        project = Project.of(name, top, clock, self.platform, modules)
        return {**project_texts(project), **(dict(self._behind_buses(project)) if behind else {})}

    def _behind_buses(self, project: Project) -> Iterator[tuple[str, str]]:
        """What is there for the top module with buses only."""
        layout, outside, cycles = self.files.layout, self.files.outside, self.files.design.cycles
        buses = [Bus(bus_of(channel), "AXI4", True, axi_ports(channel, outside)) for channel in self.files.channels]
        buses.append(Bus("s_axi", "AXI4-Lite", False, control_ports()))
        yield "vivado/package.tcl", vivado_package_script(project, ["s_axi", *(bus.name for bus in buses[:-1])])
        yield "component.xml", component(project, layout, buses, address_bits(outside))
        yield "sw/layout.json", layout_document(layout, project.top, self.platform.clock_mhz, cycles)
        yield "sw/accelerator.py", library("accelerator.py")
        yield f"sw/{project.file}.h", c_header(layout, project.name, cycles)
        yield "cocotb/test_frames.py", library("test_frames.py")
        yield "cocotb/run.py", library("run.py")
