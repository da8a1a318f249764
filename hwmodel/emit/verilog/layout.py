"""Where the arrays of a frame lie: in the external memory, and small inputs in registers.

Software writes an input of a few bytes through AXI4-Lite, so that it needs no memory for it. The design asks for it as
for any other array, and `register_reads.v` answers in place of the external memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal

from hwmodel.emit.schedule.design import HardwareDesign

SMALL = 256  # bytes of an input that goes into registers
REGISTER_BYTES = 1024  # of all of them together
FIRST_VALUE = 0x800  # the address of their first byte, behind the control registers
REGISTER = 4  # bytes of a register

Role = Literal["input", "output", "between"]


@dataclass(frozen=True, slots=True)
class ExternalArray:
    """An array outside of the design: its type, that of NumPy which holds it, its shape for one frame, where it lies.

    Its elements lie row by row, each in a slot of `slot` bytes, sign-extended; the first at byte `first` of the
    external memory. An array in registers has its first byte at `register` of the slave's addresses too.
    `once`: it is read before the first frame after a reset, and not again.
    """

    name: str
    type: str
    bits: int
    dtype: str
    shape: tuple[int, ...]
    first: int
    slot: int
    role: Role
    once: bool
    register: int | None = None

    @property
    def bytes(self) -> int:
        """The bytes that its elements take."""
        return self.slot * prod(self.shape)


@dataclass(frozen=True)
class OutsideLayout:
    """The arrays of a design outside, in the order in which they lie there, as a port of `word` bytes sees them."""

    word: int
    size: int
    arrays: tuple[ExternalArray, ...]

    @cached_property
    def registered(self) -> tuple[ExternalArray, ...]:
        """The arrays in registers, in their order."""
        return tuple(array for array in self.arrays if array.register is not None)

    def words(self, array: ExternalArray) -> int:
        """The words that an array takes."""
        return -(-array.bytes // self.word)

    @cached_property
    def register_words(self) -> int:
        """The words that are held in registers, of all arrays."""
        return sum(self.words(array) for array in self.registered)

    @property
    def registers(self) -> int:
        """The registers of 32 bits that hold them, 1 at least."""
        return max(1, -(-self.register_words * self.word // REGISTER))


def layout_of(design: HardwareDesign) -> OutsideLayout:
    """The arrays of a design. Inputs of up to 256 bytes are in registers, 1 KiB of them at most."""
    network, addresses = design.network, design.addresses
    once = {array for group in design.groups for array in group.once}
    arrays, held = list[ExternalArray](), 0
    for name, first in addresses.first.items():
        array = network.arrays[name]
        shape = tuple(extent for extent in array.shape if isinstance(extent, int))
        slot = addresses.slots[name]
        words = -(-slot * prod(shape) // addresses.word_bytes) * addresses.word_bytes
        role: Role = "input" if name in network.inputs else "output" if name in network.outputs else "between"
        small = role == "input" and words <= SMALL and held + words <= REGISTER_BYTES
        register = FIRST_VALUE + held if small else None
        held += words if small else 0
        kind = array.type.container.numpy_name
        where = first * addresses.word_bytes
        own = str(array.type), array.type.bits, kind, shape
        arrays.append(ExternalArray(name, *own, where, slot, role, name in once, register))
    return OutsideLayout(addresses.word_bytes, addresses.words * addresses.word_bytes, tuple(arrays))
