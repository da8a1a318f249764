"""The design as a component of IP-XACT, in the form of IEEE 1685-2009 that Vivado and ipyxact read.

It has buses with their signals, registers, ports and files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

from hwmodel.emit.system.projects import LIBRARY, VERSION, Project
from hwmodel.emit.system.software import BITS, c_name, controls_of
from hwmodel.emit.verilog.agents import ModulePort
from hwmodel.emit.verilog.layout import OutsideLayout

NAMESPACE = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
_READ_ONLY = ("STATUS", "CYCLES", "FRAME")
_WRITE_ONLY = ("CONTROL",)
_FIELDS = {
    "CONTROL": ("START", "CLEAR_DONE"),
    "STATUS": ("BUSY", "DONE", "FAULT", "READY"),
    "INTERRUPT": ("WHILE_DONE", "WHILE_READY"),
}
_AMBA = {"AXI4": "r0p0_0", "AXI4-Lite": "r0p0_0", "AXI4-Stream": "r0p0_1"}


@dataclass(frozen=True)
class Bus:
    """A bus of the component: the prefix of its ports, its protocol, and the ports."""

    name: str
    protocol: str
    master: bool
    ports: Sequence[ModulePort]


def component(project: Project, layout: OutsideLayout, buses: Sequence[Bus], address_bits: int) -> str:
    """The document. `address_bits` are those of the addresses of the external memory."""
    root, interfaces = _begun(project, buses)
    _signal(interfaces, "irq", "interrupt", "INTERRUPT", "irq", master=True)
    spaces = SubElement(root, _tag("addressSpaces"))
    for bus in (bus for bus in buses if bus.master):
        space = SubElement(spaces, _tag("addressSpace"))
        _text(space, "name", _space(bus))
        _text(space, "range", str(1 << address_bits))
        _text(space, "width", str(8 * layout.word))
    _memory_map(root, layout)
    return _ended(root, project, [ModulePort("irq", 1), *(port for bus in buses for port in bus.ports)])


def stream_component(project: Project, buses: Sequence[Bus], others: Sequence[ModulePort]) -> str:
    """The document of a design that has AXI4-Streams alone; `others` are its ports that belong to none of them."""
    root, _ = _begun(project, buses)
    return _ended(root, project, [*others, *(port for bus in buses for port in bus.ports)])


def _begun(project: Project, buses: Sequence[Bus]) -> tuple[Element, Element]:
    """A document with its name, and its buses with clock and reset."""
    ET.register_namespace("spirit", NAMESPACE)
    root = Element(_tag("component"))
    for name, text in (("vendor", "arrayol"), ("library", LIBRARY), ("name", project.file), ("version", VERSION)):
        _text(root, name, text)
    interfaces = SubElement(root, _tag("busInterfaces"))
    for bus in buses:
        _bus(interfaces, bus)
    _signal(interfaces, "aclk", "clock", "CLK", project.clock)
    _signal(interfaces, "aresetn", "reset", "RST", "aresetn")
    return root, interfaces


def _ended(root: Element, project: Project, ports: Sequence[ModulePort]) -> str:
    """The document with its ports beside clock and reset, and its files."""
    _model(root, project, ports)
    _files(root, project)
    _text(root, "description", f"{project.name}, emitted by arrayol")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _text(parent: Element, name: str, text: str) -> Element:
    child = SubElement(parent, _tag(name))
    child.text = text
    return child


def _reference(parent: Element, name: str, vlnv: Mapping[str, str]) -> Element:
    child = SubElement(parent, _tag(name))
    for key, value in vlnv.items():
        child.set(_tag(key), value)
    return child


def _vlnv(vendor: str, library: str, name: str, version: str) -> dict[str, str]:
    return {"vendor": vendor, "library": library, "name": name, "version": version}


def _bus(parent: Element, bus: Bus) -> None:
    """A bus of AMBA, with the names of its signals."""
    interface = SubElement(parent, _tag("busInterface"))
    _text(interface, "name", bus.name)
    version = _AMBA[bus.protocol]
    name = bus.protocol.replace("-Stream", "Stream")  # as Arm's own files have it
    _reference(interface, "busType", _vlnv("amba.com", "AMBA4", name, version))
    _reference(interface, "abstractionType", _vlnv("amba.com", "AMBA4", f"{name}_rtl", version))
    if bus.protocol == "AXI4-Stream":
        SubElement(interface, _tag("master" if bus.master else "slave"))
    elif bus.master:
        side = SubElement(interface, _tag("master"))
        _reference(side, "addressSpaceRef", {"addressSpaceRef": _space(bus)})
    else:
        side = SubElement(interface, _tag("slave"))
        _reference(side, "memoryMapRef", {"memoryMapRef": "registers"})
    _port_maps(interface, {port.name.removeprefix(f"{bus.name}_").upper(): port.name for port in bus.ports})


def _space(bus: Bus) -> str:
    """The address space of a master: the external memory, or a channel of it."""
    return bus.name.replace("m_axi", "memory")


def _port_maps(interface: Element, signals: Mapping[str, str]) -> None:
    """The ports of the component by the names that the bus has for them."""
    maps = SubElement(interface, _tag("portMaps"))
    for logical, physical in signals.items():
        port = SubElement(maps, _tag("portMap"))
        _text(SubElement(port, _tag("logicalPort")), "name", logical)
        _text(SubElement(port, _tag("physicalPort")), "name", physical)


def _signal(parent: Element, name: str, kind: str, logical: str, port: str, *, master: bool = False) -> None:
    """A bus of one signal: clock, reset or interrupt."""
    interface = SubElement(parent, _tag("busInterface"))
    _text(interface, "name", name)
    _reference(interface, "busType", _vlnv("xilinx.com", "signal", kind, "1.0"))
    _reference(interface, "abstractionType", _vlnv("xilinx.com", "signal", f"{kind}_rtl", "1.0"))
    SubElement(interface, _tag("master" if master else "slave"))
    _port_maps(interface, {logical: port})


def _memory_map(root: Element, layout: OutsideLayout) -> None:
    """The registers, and of the inputs that lie in registers one for each 32 bits."""
    memory = SubElement(SubElement(root, _tag("memoryMaps")), _tag("memoryMap"))
    _text(memory, "name", "registers")
    block = SubElement(memory, _tag("addressBlock"))
    for name, text in (("name", "block"), ("baseAddress", "0"), ("range", "4096"), ("width", "32")):
        _text(block, name, text)
    _text(block, "usage", "register")
    for name, address in controls_of(layout).items():
        access = "read-only" if name in _READ_ONLY else "write-only" if name in _WRITE_ONLY else "read-write"
        fields = [(field, BITS[field].bit_length() - 1) for field in _FIELDS.get(name, ())]
        _register(block, name, address, access, fields or [("VALUE", None)])
    for array in layout.registered:
        assert array.register is not None
        for copy in range(array.copies):
            name = f"{c_name(array.name)}_copy{copy}" if array.copies > 1 else c_name(array.name)
            first = array.register + copy * array.register_stride
            for number, at in enumerate(range(0, array.bytes, 4)):
                _register(block, f"{name}_{number}", first + at, "read-write", [("VALUE", None)])


def _register(block: Element, name: str, address: int, access: str, fields: Sequence[tuple[str, int | None]]) -> None:
    register = SubElement(block, _tag("register"))
    for key, text in (("name", name), ("addressOffset", f"'h{address:X}"), ("size", "32"), ("access", access)):
        _text(register, key, text)
    for field, bit in fields:
        one = SubElement(register, _tag("field"))
        for key, text in (("name", field), ("bitOffset", str(bit or 0)), ("bitWidth", "32" if bit is None else "1")):
            _text(one, key, text)


def _model(root: Element, project: Project, ports: Sequence[ModulePort]) -> None:
    """The view of the sources, and the ports of the top module."""
    model = SubElement(root, _tag("model"))
    view = SubElement(SubElement(model, _tag("views")), _tag("view"))
    for name, text in (
        ("name", "rtl"), ("envIdentifier", ":*Simulation:"), ("language", "verilog"), ("modelName", project.top),
    ):  # fmt: skip
        _text(view, name, text)
    _text(SubElement(view, _tag("fileSetRef")), "localName", "rtl")
    found = SubElement(model, _tag("ports"))
    single = [ModulePort(project.clock, 1, False), ModulePort("aresetn", 1, False)]
    for port in (*single, *ports):
        own = SubElement(found, _tag("port"))
        _text(own, "name", port.name)
        wire = SubElement(own, _tag("wire"))
        _text(wire, "direction", "out" if port.output else "in")
        if port.bits > 1:
            vector = SubElement(wire, _tag("vector"))
            _text(vector, "left", str(port.bits - 1))
            _text(vector, "right", "0")


def _files(root: Element, project: Project) -> None:
    sets = SubElement(root, _tag("fileSets"))
    for name, kind, path in _listed(project):
        found = next((each for each in sets if each.findtext(_tag("name")) == name), None)
        if found is None:
            found = SubElement(sets, _tag("fileSet"))
            _text(found, "name", name)
        file = SubElement(found, _tag("file"))
        _text(file, "name", path)
        _text(file, "fileType", kind)


def _listed(project: Project) -> Iterator[tuple[str, str, str]]:
    """The files: the set of each, its type, its path."""
    for path in project.sources:
        yield "rtl", "verilogSource", path
    for path in project.bench:
        yield "bench", "verilogSource", path
