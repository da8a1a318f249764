"""Sizes and rates of a network as paper A reads them: k_ij, C, scans and array sizes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from arrayol.errors import error
from arrayol.ir.network import Network, Process
from arrayol.ir.spec import Shape, Tiler
from hwmodel.platform import Platform

Signs = frozenset[int]
Scan = tuple[Signs, ...]  # one set of signs per array axis


def size(shape: Shape) -> int:
    """Data in an array or pattern; an infinite axis counts 1 (one image), a scalar is one datum."""
    return prod(1 if extent is None else extent for extent in shape)


def scan(tiler: Tiler) -> Scan:
    """The signs of paving along each array axis: how the author walks the array."""
    return tuple(frozenset(1 if entry > 0 else -1 for entry in row if entry) for row in tiler.paving)


def scans_agree(written: Scan, read: Scan) -> bool:
    """False where an axis has opposite signs.

    A row without paving agrees with all, one with both signs only with those.
    """
    return all(
        not producer or not consumer or (producer == consumer and len(producer) == 1)
        for producer, consumer in zip(written, read, strict=True)
    )


@dataclass(frozen=True, slots=True)
class InputRate:
    """A link from an array: k_ij data of the array per datum of the largest linked output port."""

    array: str
    rate: Fraction
    scan: Scan


@dataclass(frozen=True, slots=True)
class ProcessRates:
    """A process as the model sees it.

    `initiation` is C in cycles per datum of the largest linked output port; `shares` tells for each array it writes
    the data written there per datum of that port.
    """

    name: str
    initiation: Fraction
    inputs: tuple[InputRate, ...]
    shares: dict[str, Fraction]
    scans: dict[str, frozenset[Scan]]


def process_rates(process: Process, platform: Platform) -> ProcessRates:
    """Raises ArrayolError (`no-output`) for a process that writes no array: it has no block to size."""
    if not process.outputs:
        raise error(
            "no-output",
            f"'{process.name}' writes no array, so the published model has no output block to size",
            hint="link an output port to an array, or leave the task out",
        )
    # k_ij is per datum of one output; with several it is the largest that is linked to an array (delays count nowhere).
    largest = max(size(flow.port.shape) for flow in process.outputs)
    inputs = tuple(
        InputRate(flow.array, Fraction(size(flow.port.shape), largest), scan(flow.tiler)) for flow in process.inputs
    )
    interval = platform.datapath(process.elementary).initiation_interval
    return ProcessRates(
        process.name,
        max((Fraction(interval), *(link.rate for link in inputs))),
        inputs,
        {
            array: Fraction(sum(size(flow.port.shape) for flow in process.outputs if flow.array == array), largest)
            for array in process.writes
        },
        {
            array: frozenset(scan(flow.tiler) for flow in process.outputs if flow.array == array)
            for array in process.writes
        },
    )


def data_per_word(network: Network, platform: Platform) -> tuple[int, str | None]:
    """M of paper A (data per word and cycle), and a remark where it had to be derived from the word's bits.

    One m for all fusions of a network keeps them comparable: the word is divided by its widest element. Raises
    ArrayolError (`word-too-narrow`) where a word does not hold one.
    """
    if platform.memory.data_per_word is not None:
        return platform.memory.data_per_word, None
    bits = platform.memory.word_bits
    assert bits is not None, "a platform has data_per_word or word_bits"
    widest = max(network.arrays.values(), key=lambda array: array.type.bits)
    if bits < widest.type.bits:
        raise error(
            "word-too-narrow",
            f"memory.word_bits is {bits}, but one datum of array '{widest.name}' ({widest.type}) has "
            f"{widest.type.bits} bits; the published model moves at least one datum per cycle",
            hint=f"raise memory.word_bits to {widest.type.bits} or more, or give memory.data_per_word instead",
        )
    m = bits // widest.type.bits
    return m, f"{m} data per word: memory.word_bits = {bits}, the widest element is {widest.type} ('{widest.name}')"


def memory_latency(platform: Platform) -> int:
    """L_m in cycles. Raises ArrayolError (`no-memory-latency`) for a platform that has only the row model."""
    if platform.memory.latency is None:
        raise error(
            "no-memory-latency",
            "the published model needs memory.latency; this platform has only memory.rows",
            hint="add 'latency = ...' under [memory]: the cycles before the first word of a burst",
        )
    return platform.memory.latency


def disagreeing(written: Iterable[Scan], read: Scan) -> bool:
    """Whether any of the producer's links walks the array against the consumer's."""
    return any(not scans_agree(scan_, read) for scan_ in written)
