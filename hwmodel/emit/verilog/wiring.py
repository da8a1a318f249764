"""The names that parts of a group's module share: nets, ports, the memory outside, and the memory of each lane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.own_module import Computing, OwnModule
from hwmodel.emit.schedule.port import COPIED, AddressMap
from hwmodel.emit.verilog.access import AccessPorts, access_ports
from hwmodel.emit.verilog.agents import ModulePort, bits_of
from hwmodel.emit.verilog.datapaths.chunks import has_bus

WORDS = 16  # bits of the number of words of a request


@dataclass(frozen=True)
class Outside:
    """The external memory as a group sees it: bits of a word and of a word's address, and the most unfinished requests.

    If it is `shared` with other groups at the same time, a step asks before the port serves it. Else a step that moves
    something takes a `turn` at least. If some arrays have copies, a request says for which frame of which of these it
    is; there are so many `copies` to say.
    """

    word_bits: int
    address_bits: int
    outstanding: int
    shared: bool = False
    copies: int = 0
    turn: int = 0

    @staticmethod
    def of(addresses: AddressMap, outstanding: int, *, shared: bool = False, turn: int = 0) -> Outside:
        """The interface to a memory in which arrays lie one after another."""
        bits, copies = addresses.bits, len(addresses.copied)
        return Outside(8 * addresses.word_bytes, bits, outstanding, shared, copies, 0 if shared else turn)


@dataclass(frozen=True)
class ChannelPorts:
    """A channel of the external memory that groups use: its number, its engines, and its words.

    Names of the channel end with a `tag`, which is empty if the memory has no other.
    """

    number: int
    tag: str
    engines: tuple[str, ...]
    words: int


def channels_of(groups: Sequence[GroupSchedule], addresses: AddressMap) -> tuple[ChannelPorts, ...]:
    """The channels that some groups use."""
    engines = dict[int, list[str]]()
    for engine in (engine for group in groups for engine in group.engines):
        own = engines.setdefault(engine.channel, [])
        if engine.name not in own:
            own.append(engine.name)
    return tuple(
        ChannelPorts(number, addresses.tag(number), tuple(engines[number]), addresses.words[number])
        for number in sorted(engines)
    )


@dataclass(frozen=True)
class UnitModule:
    """The module of a datapath: its name, the inputs for which it has a bus, and its reads at places that data say.

    It stands still while its input `enable` is 0; one without such an input never does.
    """

    name: str
    buses: frozenset[str]
    accesses: tuple[AccessPorts, ...]
    enable: str | None

    @staticmethod
    def of(computing: Computing, name: str, *, enabled: bool = False) -> UnitModule:
        """The module of a datapath; a derived one is called `name`, and is `enabled` by an input `go` or not at all."""
        if isinstance(computing, OwnModule):
            return UnitModule(computing.name, frozenset(computing.inputs), (), computing.enable)
        graph = computing.priced.dataflow.graph
        buses = frozenset(port for port in graph.inputs if has_bus(graph, port))
        return UnitModule(name, buses, tuple(access_ports(computing).values()), "go" if enabled else None)


def engine_ports(engine: str, outside: Outside) -> tuple[ModulePort, ...]:
    """The ports of an engine: requests, words that come, words that go."""
    return (
        ModulePort(f"{engine}_request", 1),
        ModulePort(f"{engine}_address", outside.address_bits),
        ModulePort(f"{engine}_words", WORDS),
        ModulePort(f"{engine}_write", 1),
        ModulePort(f"{engine}_rvalid", 1, output=False),
        ModulePort(f"{engine}_rdata", outside.word_bits, output=False),
        ModulePort(f"{engine}_rready", 1),
        ModulePort(f"{engine}_wready", 1, output=False),
        ModulePort(f"{engine}_wvalid", 1),
        ModulePort(f"{engine}_wdata", outside.word_bits),
        ModulePort(f"{engine}_wstrobe", outside.word_bits // 8),
    )


def copied_port(engine: str, outside: Outside) -> ModulePort:
    """The output of a group that says for which frame of which array with copies a request is, from 1 on; 0: none."""
    return ModulePort(f"{engine}_{COPIED}", bits_of(outside.copies + 1))


GRANTED, ASKS, SERVED = "granted", "asks", "served"  # ports of a group at a shared port of the memory


def wire(name: str, bits: int) -> str:
    """The declaration of a net."""
    return f"  wire [{bits - 1}:0] {name};" if bits > 1 else f"  wire {name};"


def later_net(frames: int) -> str:
    """The net that says whether at least `frames` frames have ended since the reset."""
    return "is_later" if frames == 1 else f"is_later_{frames}"


def lanes_wire(name: str, bits: int) -> str:
    """The declaration of a net that others take parts of: a vector, even of one bit."""
    return f"  wire [{bits - 1}:0] {name};"


@dataclass
class GroupWiring:
    """A group whose module is printed: modules of its tasks' datapaths, the memory outside, arrays of signed elements.

    Its agents and other modules have names after a prefix; `beside` are modules that are printed beside it.
    """

    schedule: GroupSchedule
    prefix: str
    units: Mapping[str, UnitModule]
    outside: Outside
    signed: frozenset[str]
    beside: list[str] = field(default_factory=list)

    def lanes(self, name: str) -> tuple[Memory, int]:
        """The memory of some lanes, and how many there are."""
        for agent in self.schedule.agents:
            if name in agent.lanes:
                return agent.memories[name], len(agent.lanes[name])
        raise KeyError(name)

    def copies(self, name: str) -> tuple[tuple[int, ...], ...]:
        """The lanes that read each copy of the memory of some lanes; empty where all read one."""
        return next((agent.copies[name] for agent in self.schedule.agents if name in agent.copies), ())
