"""Software for a design: its layout as data, a driver in Python, a header in C, a bench for cocotb."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from hwmodel.emit.verilog.layout import REGISTER, ExternalArray, OutsideLayout

CONTROLS = {
    "CONTROL": 0x00, "STATUS": 0x04, "INTERRUPT": 0x08, "CYCLES": 0x0C, "BASE_LOW": 0x10, "BASE_HIGH": 0x14,
    "FRAME": 0x18,
}  # fmt: skip
BITS = {
    "START": 1, "CLEAR_DONE": 2, "BUSY": 1, "DONE": 2, "FAULT": 4, "READY": 8, "WHILE_DONE": 1, "WHILE_READY": 2,
}  # fmt: skip
_C_TYPES = {"?": "uint8_t", "f4": "float", "f8": "double", "c8": "float complex", "c16": "double complex"}
CHANNEL_BASES = 0x18  # the address of BASE_LOW of a channel, from 1 on, is 8 times its number more


def library(name: str) -> str:
    """A file that is the same for all designs."""
    return (files("hwmodel.emit.system") / "library" / name).read_text(encoding="utf-8")


def controls_of(layout: OutsideLayout) -> dict[str, int]:
    """The addresses of control registers by name, with those of all channels of the external memory."""
    bases = {
        f"BASE{channel}_{half}": CHANNEL_BASES + 8 * channel + 4 * number
        for channel in range(1, len(layout.sizes))
        for number, half in enumerate(("LOW", "HIGH"))
    }
    return {**CONTROLS, **bases}


def layout_document(layout: OutsideLayout, top: str, clock_mhz: float | None, cycles: int) -> str:
    """The layout as JSON."""
    rows: list[dict[str, Any]] = [
        {
            "name": array.name, "type": array.type, "bits": array.bits, "dtype": array.dtype,
            "shape": list(array.shape), "first": array.first, "slot": array.slot, "role": array.role,
            "once": array.once, "copies": array.copies, "stride": array.stride, "channel": array.channel,
            "ahead": array.ahead, "again": array.again, "register": array.register,
        }
        for array in layout.arrays
    ]  # fmt: skip
    document: dict[str, Any] = {"top": top, "sizes": layout.sizes, "clock_mhz": clock_mhz, "cycles": cycles}
    document |= {"overlap": layout.overlap, "arrays": rows}
    return json.dumps(document, indent=1) + "\n"


def c_name(name: str) -> str:
    """A name with letters, digits and underscores only."""
    return re.sub(r"\W", "_", name)


def c_header(layout: OutsideLayout, name: str, cycles: int) -> str:
    """A header in C99: addresses of registers, where arrays lie, and functions that start a frame and wait for it."""
    own, prefix = c_name(name), c_name(name).upper()
    functions = [*_functions(layout, own, prefix), *_puts(layout, own, prefix)]
    return "\n".join([*_defines(layout, name, prefix, cycles), *functions, "", "#endif", ""])


def _defines(layout: OutsideLayout, name: str, prefix: str, cycles: int) -> Iterator[str]:
    yield f"/* Registers and arrays of '{name}', which takes {cycles:,} cycles a frame on its platform."
    yield "   `registers` is where the slave of AXI4-Lite is mapped. An array that lies in registers is written there;"
    memory = "all others lie in a memory that the design reaches by AXI4, the first byte at its base address."
    if len(layout.sizes) > 1:
        memory = (
            "all others lie in the memory of their CHANNEL, which has a port of AXI4 and a base address of its own."
        )
    yield "\n".join(f"   {line}" for line in (memory, *_overlap(layout))) + " */"
    yield f"#ifndef {prefix}_H"
    yield f"#define {prefix}_H"
    yield "#include <stdint.h>"
    yield ""
    for register, address in controls_of(layout).items():
        yield f"#define {prefix}_{register} 0x{address:02X}u"
    for bit, value in BITS.items():
        yield f"#define {prefix}_{bit} {value}u"
    for channel, size in enumerate(layout.sizes):
        yield f"#define {prefix}_MEMORY{channel if len(layout.sizes) > 1 else ''}_BYTES {size}u"
    for array in (array for array in layout.arrays if array.role != "between"):
        yield ""
        shape = "".join(f"[{extent}]" for extent in array.shape)
        yield f"/* {array.role}: {_c_type(array)} {c_name(array.name)}{shape}{_said(array)} */"
        where, value = ("FIRST", array.first) if array.register is None else ("REGISTER", array.register)
        yield f"#define {prefix}_ARRAY_{c_name(array.name)}_{where} {value}u"
        yield f"#define {prefix}_ARRAY_{c_name(array.name)}_BYTES {array.bytes}u"
        if len(layout.sizes) > 1 and array.register is None:
            yield f"#define {prefix}_ARRAY_{c_name(array.name)}_CHANNEL {array.channel}u"
        if array.copies > 1:
            stride = array.stride if array.register is None else array.register_stride
            yield f"#define {prefix}_ARRAY_{c_name(array.name)}_COPIES {array.copies}u"
            yield f"#define {prefix}_ARRAY_{c_name(array.name)}_STRIDE {stride}u"
        if array.ahead:
            yield f"#define {prefix}_ARRAY_{c_name(array.name)}_AHEAD {array.ahead}"
    yield ""


def _overlap(layout: OutsideLayout) -> Iterator[str]:
    """How frames are started that overlap, as lines of a comment."""
    if layout.overlap > 1:
        yield "Frames overlap: while it is ready, write the inputs of the next frame and start it. When one is done,"
        yield "read its outputs and release it: the design waits for that before it is done with another. Frame n after"
        yield "a reset has copy n modulo COPIES of an array, which begins STRIDE bytes after the one before."
    elif layout.before or any(array.copies > 1 for array in layout.arrays):
        yield "Tasks read several frames: start s after a reset, from 0 on, takes frame s + AHEAD of an input, and"
        yield "before the first start all frames up to that one are written. It makes frame s + AHEAD of an output, if"
        yield "that is 0 or more. Frame n has copy n modulo COPIES of an array, each STRIDE bytes after the one before."


def _c_type(array: ExternalArray) -> str:
    """The type of an element in its slot."""
    kind = array.dtype[0]
    if kind in "ui":
        return f"{'u' * (kind == 'u')}int{8 * array.slot}_t"
    return _C_TYPES.get(array.dtype, "unsigned char")


def _said(array: ExternalArray) -> str:
    said = f", the numbers that hold {array.type}" if "." in array.type else ""
    said += ", the real part first" if array.dtype[0] == "c" else ""
    said += "; read in later frames too, so leave it as it is" if array.again and array.role == "output" else ""
    return f"{said}; read before the first frame after a reset only" if array.once else said


def _functions(layout: OutsideLayout, own: str, prefix: str) -> Iterator[str]:
    yield f"static inline void {own}_write(volatile uint32_t *registers, uint32_t address, uint32_t value) {{"
    yield f"  registers[address / {REGISTER}u] = value;"
    yield "}"
    yield f"static inline uint32_t {own}_read(volatile uint32_t *registers, uint32_t address) {{"
    yield f"  return registers[address / {REGISTER}u];"
    yield "}"
    yield from _set_base(layout, own, prefix)
    yield "/* Whether a frame may be started, and its inputs be written. */"
    yield f"static inline int {own}_ready(volatile uint32_t *registers) {{"
    yield f"  return ({own}_read(registers, {prefix}_STATUS) & {prefix}_READY) != 0;"
    yield "}"
    if layout.overlap > 1:
        yield f"/* The number of the frame that begins next, modulo {layout.frames}. */"
        yield f"static inline uint32_t {own}_frame(volatile uint32_t *registers) {{"
        yield f"  return {own}_read(registers, {prefix}_FRAME);"
        yield "}"
        yield "/* The outputs of the frame that is done are read. */"
        yield f"static inline void {own}_release(volatile uint32_t *registers) {{"
        yield f"  {own}_write(registers, {prefix}_CONTROL, {prefix}_CLEAR_DONE);"
        yield "}"
    yield f"static inline void {own}_start(volatile uint32_t *registers) {{"
    started = f"{prefix}_START" if layout.overlap > 1 else f"{prefix}_START | {prefix}_CLEAR_DONE"
    yield f"  {own}_write(registers, {prefix}_CONTROL, {started});"
    yield "}"
    yield "/* Wait for the end of a frame: 0, or -1 if the memory answered with an error. */"
    yield f"static inline int {own}_wait(volatile uint32_t *registers) {{"
    yield "  uint32_t status;"
    yield "  do {"
    yield f"    status = {own}_read(registers, {prefix}_STATUS);"
    yield f"  }} while (!(status & {prefix}_DONE));"
    yield f"  return status & {prefix}_FAULT ? -1 : 0;"
    yield "}"


def _set_base(layout: OutsideLayout, own: str, prefix: str) -> Iterator[str]:
    """The function that says where the memory lies, or that of a channel."""
    several = len(layout.sizes) > 1
    memory, channel = ("the memory of a channel", "uint32_t channel, ") if several else ("the memory", "")
    yield f"/* Where the design finds {memory}; a multiple of the bytes of a word. */"
    yield f"static inline void {own}_set_base(volatile uint32_t *registers, {channel}uint64_t base) {{"
    low = f"{prefix}_BASE_LOW"
    if several:
        yield f"  const uint32_t low = channel ? {CHANNEL_BASES}u + 8u * channel : {low};"
        low = "low"
    yield f"  {own}_write(registers, {low}, (uint32_t)base);"
    yield f"  {own}_write(registers, {low} + 4u, (uint32_t)(base >> 32));"
    yield "}"


def _puts(layout: OutsideLayout, own: str, prefix: str) -> Iterator[str]:
    """A function for each array in registers, which writes it."""
    for array in layout.registered:
        where = f"{prefix}_ARRAY_{c_name(array.name)}"
        yield f"/* The elements of '{array.name}'{' of a frame' if array.copies > 1 else ''}, in their order. */"
        frame = "uint32_t frame, " if array.copies > 1 else ""
        head = f"{own}_put_{c_name(array.name)}(volatile uint32_t *registers, {frame}const void *elements)"
        yield f"static inline void {head} {{"
        yield "  const unsigned char *bytes = (const unsigned char *)elements;"
        copy = f" + frame % {where}_COPIES * {where}_STRIDE" if array.copies > 1 else ""
        yield f"  const uint32_t first = {where}_REGISTER{copy};"
        yield "  uint32_t at, byte, value;"
        yield f"  for (at = 0; at < {array.bytes}u; at += 4u) {{"
        yield "    value = 0;"
        yield f"    for (byte = 0; byte < 4u && at + byte < {array.bytes}u; byte++)"
        yield "      value |= (uint32_t)bytes[at + byte] << (8u * byte);"
        yield f"    {own}_write(registers, first + at, value);"
        yield "  }"
        yield "}"
