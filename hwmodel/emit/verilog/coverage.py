"""What of a specification no design has Verilog for, found before a design is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.ir.network import Network, Process
from arrayol.ir.spec import TiledDefault
from hwmodel.datapath.derive import Derived, derivation_of
from hwmodel.datapath.technology.technology import Technology
from hwmodel.emit.schedule.bits import no_rom
from hwmodel.emit.verilog.access import access_ports
from hwmodel.emit.verilog.datapaths.datapath import refusals


def without_verilog(network: Network, technology: Technology, clock_mhz: float) -> list[Diagnostic]:
    """Each operator without a circuit, and each array but a ROM that is read at subscripts of data; each once."""
    told = (one for process in network.processes.values() for one in _refused(process, network, technology, clock_mhz))
    return list(dict.fromkeys(told))


def _refused(process: Process, network: Network, technology: Technology, clock_mhz: float) -> Iterator[Diagnostic]:
    elementary = process.definition
    if elementary is None or elementary.body is None:
        return
    pairs = frozenset((delay.output, delay.port) for delay in process.delays)
    try:
        derivation = derivation_of(elementary, technology, clock_mhz, pairs)
        derived = derivation.at(derivation.intervals[0])
    except ArrayolError as refused:
        yield from refused.diagnostics
        return
    yield from refusals(derived)
    for array in _looked_up(process, derived):
        if network.arrays[array].rom_bits is None:
            yield from no_rom(process.name, array).diagnostics


def _looked_up(process: Process, derived: Derived) -> Iterable[str]:
    """The arrays that a process reads at subscripts of data."""
    ports = {access.port for access in access_ports(derived).values()}
    flows = [flow.array for flow in process.inputs if flow.port.name in ports]
    defaults = [
        one.default.array for one in process.delays if one.port in ports and isinstance(one.default, TiledDefault)
    ]
    return dict.fromkeys([*flows, *defaults])
