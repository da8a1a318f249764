"""Where the arrays of a frame lie: in the external memory, and small inputs in registers.

Software writes an input of a few bytes through AXI4-Lite, so that it needs no memory for it. The design asks for it as
for any other array, and `register_reads.v` answers in place of the external memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import lcm, prod
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
    `channel` of the external memory. An array in registers has its first byte at `register` of the slave's addresses
    too.
    `once`: it is read before the first frame after a reset, and not again. Frame n has copy n modulo `copies`, which
    begins `stride` bytes after the one before; in registers it begins with a register of its own. Start s is that of
    frame s + `ahead`, of outputs also for an `ahead` below 0. `again`: the design reads it in later frames too.
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
    copies: int
    stride: int
    channel: int
    ahead: int
    again: bool
    register: int | None = None

    @property
    def bytes(self) -> int:
        """The bytes that the elements of a copy take."""
        return self.slot * prod(self.shape)

    @property
    def register_stride(self) -> int:
        """The bytes from a copy in registers to the next one."""
        return -(-self.stride // REGISTER) * REGISTER


@dataclass(frozen=True)
class OutsideLayout:
    """The arrays of a design outside, in the order in which they lie there, as a port of `word` bytes sees them.

    `sizes` are the bytes of each channel, 0 for one that no group moves data of, and that so has no port.
    """

    word: int
    sizes: tuple[int, ...]
    arrays: tuple[ExternalArray, ...]
    overlap: int  # frames that may be started before the outputs of the first of them are taken

    @cached_property
    def frames(self) -> int:
        """The frames after which all arrays are in their first copies again."""
        return lcm(*(array.copies for array in self.arrays))

    @property
    def before(self) -> int:
        """The frames of inputs that come before the first start, beside that of the start."""
        return max((array.ahead for array in self.arrays), default=0)

    @cached_property
    def registered(self) -> tuple[ExternalArray, ...]:
        """The arrays in registers, in their order."""
        return tuple(array for array in self.arrays if array.register is not None)

    def held(self, channel: int) -> tuple[tuple[int, int, int], ...]:
        """The inputs in registers, of a channel: by copy its first word outside, its words, its first word there."""
        return tuple(
            (
                (array.first + copy * array.stride) // self.word,
                array.stride // self.word,
                ((array.register or 0) - FIRST_VALUE + copy * array.register_stride) // self.word,
            )
            for array in self.registered
            if array.channel == channel
            for copy in range(array.copies)
        )

    @cached_property
    def register_words(self) -> int:
        """The words that are held in registers, of all arrays and their copies."""
        return sum(array.copies * array.register_stride for array in self.registered) // self.word

    @property
    def registers(self) -> int:
        """The registers of 32 bits that hold them, 1 at least."""
        return max(1, -(-self.register_words * self.word // REGISTER))


def layout_of(design: HardwareDesign) -> OutsideLayout:
    """The arrays of a design. Inputs of up to 256 bytes, with copies, are in registers, 1 KiB of them at most."""
    network, addresses = design.network, design.addresses
    once = {array for group in design.groups for array in group.once}
    overlap = 1 if design.periods is None else design.periods.groups + 1
    arrays, held = list[ExternalArray](), 0
    for name, first in addresses.first.items():
        array = network.arrays[name]
        if array.earlier is not None:  # it lies where another array does
            continue
        shape = tuple(extent for extent in array.shape if isinstance(extent, int))
        slot = addresses.slots[name]
        role: Role = "input" if name in network.inputs else "output" if name in network.outputs else "between"
        kind, where = array.type.container.numpy_name, first * addresses.word_bytes
        own = str(array.type), array.type.bits, kind, shape
        copies, stride = addresses.copies.get(name, 1), addresses.sizes[name] * addresses.word_bytes
        ahead = design.buffers.ahead.get(name, 0) if design.buffers is not None else 0
        again = bool(network.taken_later(name)) or (design.periods is None and copies > 1)
        place = addresses.channels[name], ahead, again
        outside = ExternalArray(name, *own, where, slot, role, name in once, copies, stride, *place)
        needed = copies * outside.register_stride
        if role == "input" and needed <= SMALL and held + needed <= REGISTER_BYTES:
            outside, held = replace(outside, register=FIRST_VALUE + held), held + needed
        arrays.append(outside)
    used = {engine.channel for group in design.groups for engine in group.engines}
    sizes = (words * addresses.word_bytes * (channel in used) for channel, words in enumerate(addresses.words))
    return OutsideLayout(addresses.word_bytes, tuple(sizes), tuple(arrays), overlap)
