"""Energies of a group by repetitions and accesses counted one by one: docs/machine.md, section 12, word for word."""

from __future__ import annotations

import math
from collections import Counter

from machine_oracle import Oracle
from oracle_accesses import minus
from oracle_requests import asked

from hwmodel.cost_model.group.access_counts import Counts, Place
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.platform import Platform


def energies(oracle: Oracle, built: dict[Place, tuple[int, int]]) -> dict[tuple[str, str], int]:
    """By part and name the fJ of a frame of a group; parts of nothing left out.

    `built` has the bits of a bank of each memory, and its copies.
    """
    oracle.outcome()
    platform, prices = oracle.platform, oracle.platform.prices
    assert prices is not None
    found: Counter[tuple[str, str]] = Counter()
    for task in oracle.tasks:
        process = oracle.network.processes[task]
        interval = next(one.interval for one in oracle.design.processors if one.task == task)
        energy = platform.datapath(process, interval).energy_pj
        assert energy is not None
        found["operators", task] += len(oracle.runs[task]) * round(1000 * energy)
    for (kind, name, writes), count in accesses(oracle).items():
        (bank, copies), width = built[kind, name], _width(oracle, kind, name)
        each = round(1000 * width * prices.local_pj_per_bit(bank))
        found["local memory", f"{kind} {name}"] += count * each * (copies if writes else 1)
    for array, bits in port_bits(oracle).items():
        found["external memory", array] += bits * round(1000 * prices.external_pj_per_bit)
    return {place: energy for place, energy in found.items() if energy}


def accesses(oracle: Oracle) -> Counts:
    """How often each memory is read and written: by tasks, then by loads and stores."""
    found: Counts = Counter()
    for task in oracle.tasks:
        for run in oracle.runs[task]:
            for writes in (False, True):
                for array, _, pattern in oracle.patterns(task, run.r, writes=writes):
                    found[_kind(oracle, array), array, writes] += len(set(pattern))
            process = oracle.network.processes[task]
            for delay in process.delays:
                port = next(port for port in process.input_ports if port.name == delay.port)
                before = minus(run.r, delay.vector)
                space = process.repetition
                across = any(delay is one for one, _ in oracle.frame_delays(task))
                within = any(delay is one for one in oracle.delays(task))
                if across:  # where along the infinite dimension it comes from does not count
                    before = tuple(0 if extent is None else at for at, extent in zip(before, space, strict=True))
                if (across or within) and oracle.inside(task, before):
                    data = math.prod(extent or 1 for extent in port.shape)
                    for writes in (False, True):
                        found["state", f"{task}.{delay.port}", writes] += data
    found.update(_by_the_port(oracle))
    return Counter({place: count for place, count in found.items() if count and place[0] != "counter"})


def _by_the_port(oracle: Oracle) -> Counts:
    """Loads write to buffers, stores read from them."""
    found: Counts = Counter()
    for array in oracle.load_stage:
        found["buffer", array, True] = len(list(oracle.fetched(array)))
    for array in oracle.made():
        found["buffer", array, False] = sum(out is not None for *_, out in oracle.instances(array))
    return found


def moved(oracle: Oracle) -> list[tuple[str, dict[int, list]]]:
    """By array the elements of each step, of loads and of stores."""
    found = []
    for array in oracle.network.arrays:
        by_step: dict[int, list] = {}
        if array in oracle.load_stage:
            for element, born, _ in oracle.fetched(array):
                by_step.setdefault(born, []).append(element)
        if array in oracle.made():
            for element, _, _, out in oracle.instances(array):
                if out is not None:
                    by_step.setdefault(out, []).append(element)
        found.append((array, by_step))
    return found


def port_bits(oracle: Oracle) -> Counter[str]:
    """Bits that the port moves: whole words of each burst."""
    found: Counter[str] = Counter()
    memory = oracle.platform.memory
    for array, by_step in moved(oracle):
        for elements in by_step.values():
            if memory.rows is None and memory.burst == "run":
                size, width = oracle.bytes(array), oracle.local_width(array, int(array in oracle.made()))
                one = asked(by_step.values(), elements, oracle.shape(array), size, memory, width)
                found[array] += (
                    one.requests * one.words * ((memory.data_per_word or 0) * 8 * size or memory.word_bits or 1)
                )
                continue
            bursts = [len(elements)]
            if memory.rows is not None:
                bursts = [data for _, _, data, _ in oracle.runs_of(array, elements)]
            for data in bursts:
                if memory.data_per_word is not None:
                    words, bits = math.ceil(data / memory.data_per_word), memory.data_per_word * 8 * oracle.bytes(array)
                else:
                    bits = memory.word_bits or 1
                    words = math.ceil(8 * oracle.bytes(array) * data / bits)
                found[array] += words * bits
    return found


def _kind(oracle: Oracle, array: str) -> str:
    return "fifo" if array in oracle.design.fifos else "buffer"


def _width(oracle: Oracle, kind: str, name: str) -> int:
    """The bits of a datum."""
    if kind != "state":
        return oracle.network.arrays[name].type.bits
    task, port = name.rsplit(".", 1)
    return next(one.type.bits for one in oracle.network.processes[task].input_ports if one.name == port)


def with_energies(platform: Platform, energy: float) -> Platform:
    """A platform with a technology for memories, and energies for repetitions of its elementaries."""
    entries = {
        name: entry.model_copy(update={"energy_pj": energy + place, "cost": {"lut": 3, **entry.cost}})
        for place, (name, entry) in enumerate(platform.elementary.items())
    }
    return platform.model_copy(update={"technology": load_technology("ecp5-6"), "elementary": entries})
