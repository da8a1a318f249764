"""The memories of a group in hardware: banks and words, and how counters address a word.

A word of a memory is a bank and an address in it: word w is at address w modulo `depth` of bank floor(w / `depth`).
Counters give both: one for each *digit* of the bank, with one modulus of the bank function each, and one for the
position in a *section*. Sections are the parts of a buffer (docs/machine.md, section 5). Each has a size of its own, so
a regular movement through it is a counter that wraps at this size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from arrayol.text import counted
from hwmodel.emit.schedule.bits import not_emitted
from hwmodel.local_memory.addresses import Addresses, BankAddresses, BufferWords, ElementBox, Words
from hwmodel.local_memory.bank_functions import BankFunction, Residues
from hwmodel.local_memory.shared_ports import ports_of_lanes


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive words of each bank, used cyclically."""

    base: int
    size: int


@dataclass(frozen=True)
class Memory:
    """A memory by name: the data of `array`, of `width` bits each, in as many banks as the product of `moduli`.

    Each bank has `depth` words. Each reader has a copy of all banks; with `copy_each`, each reading lane has one. With
    `own_copies`, of an array with a bank layout, so many copies are there for each unit that reads, and the storer has
    `storing` of them. With `registers` all words can be read at once. For an array that is there before the frame,
    `elements` has the word of each element, and if it is never written, `content` has the bits of each word. The words
    of a `fifo` are written and read in turn. With `turns` above 1 each bank has so many equal parts, and each frame
    uses the next one; words are numbered as in the first part. With `reads_next` a frame writes its part and reads the
    one after it, the oldest one.
    """

    name: str
    array: str
    width: int
    moduli: tuple[int, ...]
    depth: int
    sections: tuple[Section, ...]
    registers: bool = False
    copy_each: bool = False
    own_copies: int = 0
    storing: int = 1
    elements: tuple[int, ...] | None = None
    content: tuple[int, ...] | None = None
    fifo: bool = False
    turns: int = 1
    reads_next: bool = False

    @property
    def part(self) -> int:
        """The words of a bank that a frame uses."""
        return self.depth // self.turns

    @property
    def banks(self) -> int:
        """The banks of one copy."""
        return math.prod(self.moduli)

    @property
    def size(self) -> int:
        """The words of all banks of one copy."""
        return self.banks * self.depth

    def copies_of(self, words: IntArray, units: int, most: int) -> tuple[tuple[int, ...], ...]:
        """The lanes that share a copy, of lanes that read these words (rows, lanes), -1 for none, equally many a unit.

        Empty where all share one. With `own_copies` no two that share one ever read different words of a bank at once.
        Raises ArrayolError (`not-emitted`) where a unit needs more than `most` copies then.
        """
        lanes, bank, shared = words.shape[1], words // max(1, self.depth), list[list[int]]()
        if self.copy_each:
            return tuple((lane,) for lane in range(lanes))
        if not self.own_copies:
            return ()
        for unit in np.split(np.arange(lanes), units):
            meet = np.zeros((len(unit), len(unit)), np.bool_)
            for number, lane in enumerate(unit):
                there = (words[:, unit] >= 0) & (words[:, [lane]] >= 0) & (bank[:, unit] == bank[:, [lane]])
                meet[number] = (there & (words[:, unit] != words[:, [lane]])).any(axis=0)
            ports = ports_of_lanes(meet)
            own = [unit[ports == port].tolist() for port in range(1 + ports.max(initial=-1))]
            if len(own) > most:
                text = f"'{self.array}' has a bank layout of which {counted(len(own), 'copy', 'copies')} would be read"
                hint = "take a design with another layout of it, or without"
                raise not_emitted(f"{text} at a time, where the model has {most}", hint)
            shared += own
        return tuple(map(tuple, shared))

    def digits(self, words: IntArray) -> list[IntArray]:
        """The digits of the bank of each word, one array for each modulus."""
        remainder, digits = words // self.depth, list[IntArray]()
        for modulus in reversed(self.moduli):
            digits.append(remainder % modulus)
            remainder = remainder // modulus
        return digits[::-1]

    def sections_of(self, words: IntArray) -> IntArray:
        """The index of the section of each word."""
        bases = np.array([section.base for section in self.sections])
        return np.searchsorted(bases, words % self.depth, side="right") - 1


def in_turn(elements: IntArray, banks: int, depth: int) -> IntArray:
    """The words of elements that lie in banks of `depth` words in turn."""
    return elements % banks * depth + elements // banks


def moduli_of(function: BankFunction | None) -> tuple[int, ...]:
    """The moduli of the digits of a bank, without those that are 1."""
    if function is None:
        return ()
    moduli = function.moduli if isinstance(function, Residues) else (function.banks,)
    return tuple(modulus for modulus in moduli if modulus > 1)


def sections_of(words: Words, depth: int) -> tuple[Section, ...]:
    """The sections of a bank of `depth` words."""
    inner = getattr(words, "in_bank", words)
    if isinstance(inner, ElementBox) or not isinstance(inner, BufferWords):
        return (Section(0, depth),)
    sections, base = list[Section](), 0
    for piece in inner.pieces:
        sections += [Section(base + start, size) for start, size in _parts(piece.addresses)]
        base += piece.size
    return tuple(sections) or (Section(0, depth),)


def _parts(addresses: Addresses | BankAddresses) -> Sequence[tuple[int, int]]:
    """The start and the size of each part of a piece in a bank, the largest over all banks."""
    if isinstance(addresses, Addresses):
        return _own_parts([addresses])
    return _own_parts(addresses.banks.values())


def _own_parts(several: Iterable[Addresses]) -> Sequence[tuple[int, int]]:
    """The start and the size of each part, the largest of several layouts."""
    parts: dict[int, int] = {}
    for addresses in several:
        for part in addresses.parts:
            start = part.base * addresses.free
            parts[start] = max(parts.get(start, 0), part.form.size * addresses.free)
    return sorted((start, size) for start, size in parts.items() if size)
