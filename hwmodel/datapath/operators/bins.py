"""Memories in a unit, to whose words sums are added at places that data say, and their nodes (docs/cost.md)."""

from __future__ import annotations

from dataclasses import dataclass

BIN_ADD, BINS_FULL, BIN_READ = "bin_add", "bins_full", "bin_read"
BIN_NODES = frozenset({BIN_ADD, BINS_FULL, BIN_READ})
WRITTEN = 3  # cycles from the one in which a number is added to that in which its word may be read again
READ = 5  # cycles in which a word is read, two of which it waits for the last sum


@dataclass(frozen=True, slots=True)
class Bins:
    """The memory of the output `port`: `words` of so many `bits`, each of which is `start` before anything is added."""

    port: str
    words: int
    bits: int
    start: int

    @property
    def address_bits(self) -> int:
        """The bits of an address of a word."""
        return max(1, (self.words - 1).bit_length())


def bins_in(operator: str, detail: object) -> Bins | None:
    """The memory of a node with an operator and a detail: (Bins, number) of sums and reads; None of other nodes."""
    if operator not in BIN_NODES:
        return None
    bins = detail[0] if isinstance(detail, tuple) else detail
    assert isinstance(bins, Bins), "a node of a memory"
    return bins
