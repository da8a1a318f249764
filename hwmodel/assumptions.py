"""What is assumed where a platform says nothing: one remark for each subject, for results and for people."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from pydantic import BaseModel

from arrayol.ir.network import Network, Process
from arrayol.text import counted, listed
from hwmodel.platform import DEFAULT_NAME, Platform
from hwmodel.residence import FRAME, NO_LOADS, ONCE, ROM, Loads, loads_of

_INTERVAL, _LATENCY = "initiation_interval", "latency"
_ASSUMED: Mapping[str, str] = MappingProxyType(
    {_INTERVAL: "an initiation interval of 1 cycle", _LATENCY: "a latency of 0 cycles"}
)
_FIGURES: Mapping[str, str] = MappingProxyType({_INTERVAL: "interval", _LATENCY: "latency"})  # by key


def elementaries_of(network: Network) -> tuple[str, ...]:
    """The elementaries that the processes of a network run, each once, in dataflow order."""
    return tuple(dict.fromkeys(process.elementary for process in network.processes.values()))


def assumed_by_machine(
    network: Network, platform: Platform, origin: str, loads: Loads = NO_LOADS, chosen: Collection[str] = ()
) -> tuple[str, ...]:
    """What the machine model and its simulator assume; `origin` names the platform as `platform_of` does.

    `loads` are those that a study gives, `chosen` the arrays whose loads designs choose.
    """
    return (
        *_default(platform, origin),
        *_datapaths(platform, network),
        *_costs(platform, network),
        *_bit_costs(network, platform, loads),
        *_left_out(platform, local=platform.local.block_bits is not None),
        *_residence(network, loads, chosen),
    )


def assumed_by_published(network: Network, platform: Platform, origin: str) -> tuple[str, ...]:
    """What the published model assumes: it knows initiation intervals alone, and no port."""
    datapaths = _entries(platform, elementaries_of(network), (_INTERVAL,))
    return (*_default(platform, origin), *datapaths, *_residence(network, NO_LOADS))


def assumed_by_transfers(elementary: str, platform: Platform, origin: str) -> tuple[str, ...]:
    """What the prices of a nest's transfers assume; `elementary` is what computes its instances."""
    return (
        *_default(platform, origin),
        *_entries(platform, (elementary,), tuple(_ASSUMED)),
        *_left_out(platform, local=False),
    )


def assumed_by_layout(platform: Platform, origin: str) -> tuple[str, ...]:
    """What is assumed of the banks of the local memory, where nobody gave their number."""
    if "banks" in platform.local.model_fields_set and origin != DEFAULT_NAME:
        return ()
    source = "no platform is given" if origin == DEFAULT_NAME else f"{origin} does not give local.banks"
    return (f"{source}: assuming {counted(platform.local.banks, 'bank')}",)


def without_cost(platform: Platform, network: Network, cost: str) -> tuple[str, ...]:
    """The elementaries of which nobody says what they cost in `cost` at some interval that they may have."""
    processes = network.processes.values()
    lacking = (process.elementary for process in processes if cost not in platform.cost_names(process))
    return tuple(dict.fromkeys(lacking))


def estimated_figures(platform: Platform, network: Network) -> tuple[str, ...]:
    """The costs and energies of designs that are estimates of the platform's technology, as results call them."""
    technology = platform.technology
    if technology is None:
        return ()
    processes = network.processes.values()
    paths = [platform.datapath(one, interval) for one in processes for interval in platform.intervals(one)]
    costs = [
        name
        for name in platform.all_cost_names(network)
        if any(
            path.origins.get(f"cost.{name}") == "derived" and (path.estimated or technology.is_estimate(name))
            for path in paths
        )
    ]
    estimated = any(path.estimated for path in paths) or any(map(technology.is_estimate, ("pj", "leakage")))
    return (*costs, *(("energy_nj", "power_mw", "energy_pj") if estimated else ()))


def _default(platform: Platform, origin: str) -> Iterator[str]:
    if origin != DEFAULT_NAME:
        return
    (memory,) = platform.channels
    facts = [
        f"a clock of {platform.clock_mhz:g} MHz" if platform.clock_mhz else "no clock",
        *([f"the technology {platform.technology.name}"] if platform.technology else []),
        f"bursts of {counted(memory.latency or 0, 'cycle')} latency",
        f"words of {counted(memory.word_bits or 0, 'bit')}",
        "one port for loads and stores" if memory.port == "shared" else "separate ports",
    ]
    yield f"no platform is given, and there is none next to the specification: assuming {listed(facts)}"


def _by_origin(platform: Platform, network: Network, figure: str) -> tuple[str, ...]:
    """The elementaries of which a figure is assumed, at the least interval."""
    processes = network.processes.values()
    assumed = (one.elementary for one in processes if platform.datapath(one).origins.get(figure) == "assumed")
    return tuple(dict.fromkeys(assumed))


def _datapaths(platform: Platform, network: Network) -> Iterator[str]:
    """Datapaths of which somebody says too little: neither the platform's entries nor, by a technology, the body."""
    without = {key: _by_origin(platform, network, figure) for key, figure in _FIGURES.items()}
    absent = [name for name in without[_INTERVAL] if name not in platform.elementary]
    yield from _absent(absent, [*_ASSUMED.values(), "no cost"])
    for key, names in without.items():
        yield from _without(key, [name for name in names if name not in absent])


def _entries(platform: Platform, elementaries: Sequence[str], keys: tuple[str, ...]) -> Iterator[str]:
    """Elementaries whose entry in the platform says too little, where no technology stands in for it."""
    absent = [name for name in elementaries if name not in platform.elementary]
    yield from _absent(absent, [_ASSUMED[key] for key in keys])
    for key in keys:
        yield from _without(
            key, [name for name in elementaries if name not in absent and getattr(platform.entry(name), key) is None]
        )


def _absent(names: Sequence[str], taken: Sequence[str]) -> Iterator[str]:
    if names:
        remedy = "give [elementary.NAME] in the platform"
        yield f"no datapath is given for {listed(names)}: assuming {listed(taken)}; {remedy}"


def _without(key: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"no {key} is given for {listed(names)}: assuming {_ASSUMED[key]}"


def _costs(platform: Platform, network: Network) -> Iterator[str]:
    """A cost that only some tasks have is no figure of a design: the others are not free."""
    for cost in platform.all_cost_names(network):
        without = without_cost(platform, network, cost)
        if without:
            yield f"no cost in {cost} is given for {listed(without)}: designs have no figure {cost}"


def _bit_costs(network: Network, platform: Platform, loads: Loads) -> Iterator[str]:
    """Bits of ROMs and locals that no cost of units counts, on a platform with such costs."""
    arrays, load = network.arrays, loads_of(network, loads)
    roms = any(array.rom_bits and array.readers for array in arrays.values() if load.get(array.name) == ROM)
    locals_ = any(process.local_bits and _is_given(platform, process) for process in network.processes.values())
    rates = {"rom_bits": roms and not platform.cost.rom_bits, "local_bits": locals_ and not platform.cost.local_bits}
    alone = [name for name, absent in rates.items() if absent]
    costs = listed(platform.all_cost_names(network))
    if alone and costs:
        keys = listed([f"cost.{name}" for name in alone])
        yield f"the platform does not give {keys}: {costs} do not include them"


def _is_given(platform: Platform, process: Process) -> bool:
    """Whether a cost of a process is not derived; those that are have its locals in them."""
    paths = (platform.datapath(process, interval) for interval in platform.intervals(process))
    return any(path.origins.get(f"cost.{name}") != "derived" for path in paths for name in path.cost)


def _residence(network: Network, loads: Loads, chosen: Collection[str] = ()) -> Iterator[str]:
    """How inputs come that are not loaded with each frame, or of which a study says it."""
    load, arrays = loads_of(network, loads), network.arrays
    read = [name for name in load if arrays[name].readers and name not in chosen]
    counters = [name for name in read if load[name] == ROM and arrays[name].rom_bits == 0]
    roms = [name for name in read if load[name] == ROM and name not in counters]
    once = [name for name in read if load[name] == ONCE]
    frame = [name for name in read if load[name] == FRAME and (name in loads or arrays[name].rom_bits is not None)]
    parts = [
        (once, "loaded once, before the first frame"),
        (frame, "loaded with each frame"),
        (roms, "in ROMs"),
        (counters, "made by counters"),
        ([name for name in load if name in chosen], "loaded as each design chooses"),
    ]
    said = [f"{listed(names)} {'is' if len(names) == 1 else 'are'} {how}" for names, how in parts if names]
    if said:
        yield "; ".join(said)


def _left_out(platform: Platform, *, local: bool) -> Iterator[str]:
    """Keys with a default that count here, and which the platform does not give."""
    (channel,) = platform.channels
    tables: dict[str, tuple[BaseModel, tuple[str, ...]]] = {"memory": (channel, ("port",))}
    if channel.rows is not None:
        tables["memory.rows"] = (channel.rows, ("banks",))
    if local:
        tables["local"] = (platform.local, ("banks", "access_cycles"))
    values = {
        f"{table}.{key}": getattr(model, key)
        for table, (model, keys) in tables.items()
        for key in keys
        if key not in model.model_fields_set
    }
    if values:
        taken = listed([f'"{value}"' if isinstance(value, str) else str(value) for value in values.values()])
        yield f"the platform does not give {listed(list(values))}: assuming {taken}"
