"""The port to the external memory: cycles of each step's loads and stores (docs/machine.md, section 4).

Without `[memory.rows]` the cycles of a burst depend only on the number of its data, so counts by step are enough, and
the front end by counts needs no addresses (`MemoryPort.burst_cycles`). With rows they depend on which rows earlier
bursts have left open: each step's bursts, maximal runs of consecutive addresses, are timed in their order by
`hwmodel.external_memory`. Runs of `burst = "run"` are requests (`requests`). Their cycles follow from the number of
runs in a step, the longest of them, and where in a row they start (`MemoryPort.requested`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.network import Network
from hwmodel.accesses import Accesses
from hwmodel.channels import channel_numbers, has_frames_apart, placements, shape_at_port
from hwmodel.cost_model.memory_port.requests import ElementRuns, Requested, Requests, local_words
from hwmodel.external_memory import Bursts, joined, port_time
from hwmodel.local_words import LocalWord, local_word
from hwmodel.platform import Platform


@dataclass(frozen=True, eq=False)
class Transfer:
    """Elements of one array that are loaded or stored (`write`), and the step of each."""

    array: str
    element: IntArray
    step: IntArray
    write: bool


@dataclass(frozen=True, eq=False)
class PortCycles:
    """By step: cycles of its loads and of its stores, and of the port as a whole; of several channels the busiest.

    `late` are the cycles of those loads that wait until readers have left (of single buffers). An arbiter serves a step
    within a `turn`.
    """

    loads: IntArray
    stores: IntArray
    late: IntArray
    shared: bool
    turn: int = 0

    @property
    def busy(self) -> IntArray:
        """Cycles in which the port is busy with a step: the sum of all bursts, or the longer side of separate ports."""
        return self.loads + self.stores if self.shared else np.maximum(self.loads, self.stores)

    @property
    def cycles(self) -> IntArray:
        """Cycles until a step is served that waits for its turn; 0 if it neither loads nor stores."""
        busy = self.busy
        return np.where(busy > 0, np.maximum(busy, self.turn), 0) if self.turn else busy

    def of_structure(self, number: int | IntArray) -> PortCycles:
        """One row of a table of several structures, or some steps."""
        return replace(self, loads=self.loads[number], stores=self.stores[number], late=self.late[number])


@dataclass(frozen=True)
class Service:
    """How arrays are served: each channel has a port, or two, and serves its arrays one after another.

    `numbers` has by array its channel. What is stored in a step is requested from cycle `stores_from` on.
    """

    channels: int
    shared: bool
    turn: int = 0
    numbers: Mapping[str, int] = field(default_factory=dict)
    stores_from: int = 0

    def of(self, arrays: Iterable[str]) -> Service:
        """The service of some arrays alone, whose sides take less room where channels are open."""
        return self

    def nothing(self, *shape: int) -> IntArray:
        """No cycles of loads and of stores of each channel, in steps of a shape: (channels, 2, ...)."""
        return np.zeros((self.channels, 2, *shape), np.int64)

    def cycles(self, sides: IntArray, late: IntArray | None = None) -> PortCycles:
        """Cycles of the busiest channel in each step, on separate ports of each side; shapes as `nothing` has them.

        `late` are by channel the cycles of loads of single buffers among them, (channels, ...).
        """
        sides = _with_waits(sides, sides[:, 0] if self.shared else 0, self.stores_from)
        if self.shared and self.channels > 1:
            busiest = sides.sum(axis=1).argmax(axis=0)
            loads, stores = np.take_along_axis(sides, busiest[None, None], axis=0)[0]
        else:
            loads, stores = sides.max(axis=0)
        longest = np.zeros_like(loads) if late is None else late.max(axis=0)
        return PortCycles(loads, stores, longest, self.shared, self.turn)


def _with_waits(sides: IntArray, loads: IntArray | int, stores_from: int) -> IntArray:
    """Sides (n, 2, ...) of which the stores wait until a cycle, unless the `loads` before them take as long."""
    if not stores_from:
        return sides
    waits = np.where(sides[:, 1] > 0, np.maximum(0, stores_from - loads), 0)
    return np.stack([sides[:, 0], sides[:, 1] + waits], axis=1)


@dataclass(frozen=True)
class OpenService(Service):
    """Arrays whose channels are open: each step takes as if they were placed best for it, on so many `ports`.

    No placement takes less in any step, so that times are lower bounds of those of all placements, and the times of one
    if no group moves more arrays than there are channels. Here each array counts as a channel of its own.
    """

    ports: int = 1

    def of(self, arrays: Iterable[str]) -> Service:
        """The service of some arrays alone."""
        numbers = {name: number for number, name in enumerate(dict.fromkeys(arrays))}
        return replace(self, channels=max(1, len(numbers)), numbers=numbers)

    def cycles(self, sides: IntArray, late: IntArray | None = None) -> PortCycles:
        """The fewest cycles of each step; what of a shared port counts as loads are as many of these as may be."""
        longest = np.zeros_like(sides[0, 0]) if late is None else late.max(axis=0)
        if not self.shared:
            nothing = np.zeros_like(sides[:, 0])
            loads = least_makespan(np.stack([sides[:, 0], nothing], axis=1), self.ports)
            stores = least_makespan(np.stack([nothing, sides[:, 1]], axis=1), self.ports, self.stores_from)
            return PortCycles(loads, stores, longest, self.shared, self.turn)
        busy = least_makespan(sides, self.ports, self.stores_from)
        loads = np.minimum(sides[:, 0].sum(axis=0), busy)
        return PortCycles(loads, busy - loads, longest, self.shared, self.turn)


def least_makespan(sides: IntArray, ports: int, stores_from: int = 0) -> IntArray:
    """The least that the busiest of some ports can have (...), where arrays (n, 2, ...) go to one each as a whole.

    An array has cycles of loads and of stores, which wait until cycle `stores_from`. Of more than `MOST_PLACED` arrays
    that are not 0 everywhere it is a lower bound: the largest, or an equal share.
    """
    own = sides[sides.reshape(len(sides), -1).any(axis=1)]
    largest = _with_waits(own, own[:, 0], stores_from).sum(axis=1).max(axis=0, initial=0)
    total = own.sum(axis=(0, 1))
    if len(own) <= ports or len(own) > MOST_PLACED:
        bound: IntArray = largest if len(own) <= ports else np.maximum(largest, -(-total // ports))
        return bound
    least: IntArray | None = None
    for numbers in placements(len(own), ports):
        placed = np.zeros((max(numbers) + 1, *own.shape[1:]), np.int64)
        np.add.at(placed, np.array(numbers), own)
        busiest = _with_waits(placed, placed[:, 0], stores_from).sum(axis=1).max(axis=0)
        least = busiest if least is None else np.minimum(least, busiest)
    assert least is not None, "there is a placement"
    return least


MOST_PLACED = 6  # arrays of a group, of which all placements are tried in each step


def _service(accesses: Accesses, platform: Platform) -> Service:
    (channel,) = platform.channels
    shared, numbers = channel.port == "shared", channel_numbers(accesses, platform)
    if accesses.channels is not None or channel.channels == 1:
        return Service(channel.channels, shared, channel.turn, numbers)
    each = {name: number for number, name in enumerate(numbers)}
    return OpenService(max(1, len(each)), shared, channel.turn, each, ports=channel.channels)


class MemoryPort:
    """The bursts of steps on the channels of a platform, which are alike."""

    def __init__(self, accesses: Accesses, platform: Platform) -> None:
        self.accesses = accesses
        self.network: Network = accesses.network
        self.platform = platform
        (self.channel,) = platform.channels
        self.service = _service(accesses, platform)
        self._bases = _array_bases(accesses, self.channel.rows.row_bytes) if self.channel.rows else {}

    def element_bytes(self, array: str) -> int:
        """Bytes of an element in the external memory and on the port."""
        return self.network.arrays[array].type.bytes

    def words(self, array: str, data: IntArray) -> IntArray:
        """Words of bursts with so many data of an array; the last word of a burst moves whole."""
        memory = self.channel
        if memory.data_per_word is not None:
            return -(-data // memory.data_per_word)
        return -(-data * self.element_bytes(array) * 8 // (memory.word_bits or 1))

    def word_bits(self, array: str) -> int:
        """Bits of a word of an array on the port."""
        memory = self.channel
        if memory.data_per_word is not None:
            return memory.data_per_word * self.element_bytes(array) * 8
        return memory.word_bits or 1

    def burst_cycles(self, array: str, data: IntArray, local: int | IntArray = 0) -> IntArray:
        """Cycles of bursts with so many data of an array on a platform without rows; 0 for a burst of none.

        The local memory takes or gives so many `local` words of each burst.
        """
        words = np.maximum(self.words(array, data), local)
        return np.where(data > 0, (self.channel.latency or 0) + words, 0)

    def local_word(self, array: str, *, write: bool) -> LocalWord | None:
        """The word that the local memory takes, or (`write`) gives, in a cycle; None if it keeps pace with the port."""
        shape = shape_at_port(self.accesses, self.platform, array)
        return local_word(self.platform, self.element_bytes(array), shape, write=write)

    def requested(self, array: str, *, write: bool) -> Requested:
        """The parameters by which an array is requested run by run."""
        local, memory = self.local_word(array, write=write), self.channel
        apart = has_frames_apart(self.accesses, self.platform, array)
        return Requested(self.accesses.shape(array), self.element_bytes(array), memory, local, apart)

    def bytes_of_words(self, array: str, words: IntArray) -> IntArray:
        """The bytes of so many words of an array, rounded up."""
        whole, remainder = divmod(self.word_bits(array), 8)
        return words * whole - (-words * remainder // 8)

    def moved_words(self, transfer: Transfer) -> int:
        """All words that the port moves for a transfer, in its requests or bursts."""
        if self.by_run:
            requests = self._requests(transfer, int(transfer.step.max(initial=0)) + 1)
            return int((requests.number * requests.words).sum())
        if self.channel.rows is not None:
            data = self._runs(transfer)[1].data if len(transfer.element) else transfer.element
        else:
            data = np.bincount(transfer.step)
        return int(self.words(transfer.array, data).sum())

    def whole_arrays(self, arrays: Sequence[str]) -> int:
        """Cycles in which the port loads arrays whole, one after another in the network's order."""
        names = [name for name in self.network.arrays if name in arrays]
        if self.channel.rows is None:
            whole = ((name, np.arange(self.accesses.size(name))) for name in names)
            loads = [Transfer(name, element, 0 * element, write=False) for name, element in whole]
            return int(self.by_step(loads, 1).loads.sum())
        data = np.array([self.accesses.size(name) for name in names], np.int64)
        size = data * np.array([self.element_bytes(name) for name in names], np.int64)
        address = np.array([self._bases.get(name, 0) for name in names], np.int64)
        runs = (
            self._words_of_runs(name, 0 * data_of, data_of, write=False)
            for name, data_of in zip(names, data, strict=True)
        )
        local = np.array(list(runs), np.int64)
        bursts = Bursts(address, size, data, np.zeros(len(names), np.bool_), local)
        return int(port_time(self.platform, bursts).cycles.sum())

    def by_step(
        self, transfers: Sequence[Transfer], steps: int, single_buffers: frozenset[str] = frozenset()
    ) -> PortCycles:
        """Port cycles of each of `steps` steps, which transfers count from 0; with rows there are no single buffers."""
        if self.channel.rows is not None:
            return self._rows_by_step(transfers, steps)
        service = self.service.of(transfer.array for transfer in transfers)
        sides = service.nothing(steps)
        late = np.zeros_like(sides[:, 0])
        for transfer in transfers:
            if self.by_run:
                cycles = self.request_cycles(self._requests(transfer, steps))
            else:
                cycles = self._burst_cycles(transfer, steps)
            number = service.numbers[transfer.array]
            sides[number, int(transfer.write)] += cycles
            late[number] += cycles if transfer.array in single_buffers and not transfer.write else 0
        return service.cycles(sides, late)

    @property
    def by_run(self) -> bool:
        """Whether a step's data of an array are requested run by run; with rows they are bursts anyway."""
        return self.channel.burst == "run" and self.channel.rows is None

    def request_cycles(self, requests: Requests) -> IntArray:
        """The cycles of the requests of an array in each step."""
        return requests.cycles(self.channel.latency or 0, self.channel.outstanding)

    def _requests(self, transfer: Transfer, steps: int) -> Requests:
        return self.requested(transfer.array, write=transfer.write).by_step(transfer.element, transfer.step, steps)

    def _burst_cycles(self, transfer: Transfer, steps: int) -> IntArray:
        local, words = self.local_word(transfer.array, write=transfer.write), np.zeros(steps, np.int64)
        if local is not None:
            runs = ElementRuns.of(transfer.element, transfer.step, self.accesses.shape(transfer.array))
            np.add.at(words, runs.step, local_words(local, runs.data))
        return self.burst_cycles(transfer.array, np.bincount(transfer.step, minlength=steps), words)

    def _rows_by_step(self, transfers: Sequence[Transfer], steps: int) -> PortCycles:
        """Port cycles of each step with the row model."""
        order = {name: place for place, name in enumerate(self.network.arrays)}
        in_order = sorted(transfers, key=lambda transfer: (transfer.write, order[transfer.array]))
        runs = [self._runs(transfer) for transfer in in_order if len(transfer.element)]
        sides = np.zeros((2, steps), np.int64)
        if runs:
            step = np.concatenate([steps_of for steps_of, _ in runs])
            bursts = joined(part for _, part in runs)
            for number in np.unique(step).tolist():
                chosen = bursts.only(step == number)
                cycles = port_time(self.platform, chosen).cycles
                sides[0, number] = int(cycles[~chosen.write].sum())
                sides[1, number] = int(cycles[chosen.write].sum())
        return self.service.cycles(sides[None])

    def _runs(self, transfer: Transfer) -> tuple[IntArray, Bursts]:
        """Maximal runs of consecutive elements within a step: the step of each, and the bursts."""
        order = np.lexsort((transfer.element, transfer.step))
        element, step = transfer.element[order], transfer.step[order]
        heads = (np.diff(step, prepend=-1) != 0) | (np.diff(element, prepend=-2) != 1)
        starts = np.flatnonzero(heads)
        data = np.diff(np.append(starts, len(element)))
        size = self.element_bytes(transfer.array)
        address = self._bases[transfer.array] + element[starts] * size
        local = self._words_of_runs(transfer.array, element[starts], data, write=transfer.write)
        return step[starts], Bursts(address, data * size, data, np.full(len(starts), transfer.write), local)

    def _words_of_runs(self, array: str, start: IntArray, data: IntArray, *, write: bool) -> IntArray:
        """The local words of runs of consecutive elements; each row that a run touches begins a new one."""
        local = self.local_word(array, write=write)
        if local is None:
            return 0 * data
        first = np.minimum(data, local.row - start % local.row)
        whole, last = np.divmod(data - first, local.row)
        ends: IntArray = -(-first // local.width) - (-last // local.width)
        words: IntArray = ends + whole * -(-local.row // local.width)
        return words


def _array_bases(accesses: Accesses, row: int) -> dict[str, int]:
    """The address of each array in bytes: one after another in the network's order, each at the start of a row."""
    bases, end = {}, 0
    for name, array in accesses.network.arrays.items():
        if not accesses.lies_outside(name):
            continue
        bases[name] = end
        size = accesses.size(name) * array.type.bytes
        end += -(-size // row) * row
    return bases
