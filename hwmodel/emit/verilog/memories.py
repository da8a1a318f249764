"""The memories of a group in its module: registers, or for each reader a copy in banks.

A bank can be read once in a cycle, so each reader has a copy of all banks, and writers write all copies. The data of a
lane come two cycles after the row that names the word (library/banked_copy.v).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.verilog.agents import address_bits, code_bits, codes
from hwmodel.emit.verilog.wiring import GroupWiring, lanes_wire, wire

_LONGEST = 16_384  # bits of a number: Icarus Verilog reads none of more than 16,384 digits


def memories(wiring: GroupWiring) -> Iterator[str]:
    """All memories of a group, and the data of lanes, without reads at subscripts of data (lookups.py)."""
    for memory in wiring.schedule.memories:
        readers, writers = wiring.schedule.readers[memory.name], wiring.schedule.writers[memory.name]
        size = f"{memory.banks} x {memory.depth} words of {memory.width} bits"
        yield f"  // {memory.name}: {size}, {_said(memory, len(readers))}"
        for name in (*readers, *writers):
            yield lanes_wire(f"{name}_data", wiring.lanes(name)[1] * memory.width)
        yield from (wire(f"{name}_writes", wiring.lanes(name)[1]) for name in writers)
        if not readers:
            continue
        yield from _turns(wiring, memory, readers, writers)
        if memory.registers and memory.content is None:
            yield from _registers(wiring, memory, readers, writers)
        else:
            for reader in readers:
                for lanes in wiring.copies(reader) or (tuple(range(wiring.lanes(reader)[1])),):
                    yield from _copy(wiring, memory, reader, lanes, writers)


def _turns(wiring: GroupWiring, memory: Memory, readers: Sequence[str], writers: Sequence[str]) -> Iterator[str]:
    """The part of each bank that belongs to this frame, and the addresses in it."""
    if memory.turns == 1:
        return
    bits, last = address_bits(memory), memory.part * (memory.turns - 1)
    yield f"  reg [{bits - 1}:0] {memory.name}_part;  // where that of this frame begins"
    yield "  always @(posedge clk)"
    yield f"    if (reset) {memory.name}_part <= 0;"
    yield f"    else if (last) {memory.name}_part <= {memory.name}_next;"
    again = f"{memory.name}_part == {bits}'d{last} ? {bits}'d0 : {memory.name}_part + {bits}'d{memory.part}"
    yield f"  wire [{bits - 1}:0] {memory.name}_next = {again};"
    for name in (*readers, *writers):
        part = f"{memory.name}_{'next' if memory.reads_next and name in readers else 'part'}"
        lanes = wiring.lanes(name)[1]
        yield lanes_wire(f"{name}_{_address(memory)}", lanes * bits)
        for lane in range(lanes):
            at = f"[{lane * bits} +: {bits}]" if lanes > 1 else ""  # an address of a bit has no parts
            yield f"  assign {name}_{_address(memory)}{at} = {name}_address{at} + {part};"


def _address(memory: Memory) -> str:
    """The nets of addresses in its banks."""
    return "address" if memory.turns == 1 else "placed"


def _said(memory: Memory, readers: int) -> str:
    if memory.content is not None:
        return "never written"
    return "in registers" if memory.registers else f"copies: {readers}"


def _registers(wiring: GroupWiring, memory: Memory, readers: Sequence[str], writers: Sequence[str]) -> Iterator[str]:
    count = sum(wiring.lanes(name)[1] for name in readers)
    yield lanes_wire(f"{memory.name}_words", count * memory.width)
    at = 0
    for name in readers:
        bits = wiring.lanes(name)[1] * memory.width
        yield f"  assign {name}_data = {memory.name}_words[{at} +: {bits}];"
        at += bits
    parameters = f".WIDTH({memory.width}), .DEPTH({memory.depth}), .ADDRESS({address_bits(memory)})"
    lanes = f".WRITERS({_count(wiring, writers)}), .READERS({count})"
    yield f"  registers #({parameters}, {lanes}) {memory.name}_registers ("
    yield f"    .clk(clk), {_writing(wiring, memory, writers, bank=False)},"
    yield f"    .raddress({_joined(readers, 'address')}), .rdata({memory.name}_words)"
    yield "  );"


def _copy(
    wiring: GroupWiring, memory: Memory, reader: str, lanes: Sequence[int], writers: Sequence[str]
) -> Iterator[str]:
    """A copy for some lanes of a reader."""
    bits, own = code_bits(memory), f"_{lanes[0]}" if wiring.copies(reader) else ""
    sizes = {"valid": 1, "bank": bits, "address": address_bits(memory), "data": memory.width}
    nets = {what: f"{reader}_{_address(memory) if what == 'address' else what}" for what in sizes}
    at = {what: _of_lanes(nets[what], lanes, size) for what, size in sizes.items()}
    if wiring.lanes(reader)[1] == 1:
        at |= {what: nets[what] for what, size in sizes.items() if size == 1}
    apart = reader in wiring.schedule.apart
    yield from copy_of(wiring, memory, (f"{memory.name}_for_{reader}{own}", len(lanes)), at, writers, apart=apart)


def _of_lanes(net: str, lanes: Sequence[int], size: int) -> str:
    """The parts of a net for some lanes, ascending, of so many bits each."""
    if lanes[-1] - lanes[0] == len(lanes) - 1:
        return f"{net}[{lanes[0] * size} +: {len(lanes) * size}]"
    return f"{{{', '.join(f'{net}[{lane * size} +: {size}]' for lane in reversed(lanes))}}}"


def copy_of(
    wiring: GroupWiring,
    memory: Memory,
    named: tuple[str, int],
    read: Mapping[str, str],
    writers: Sequence[str],
    *,
    apart: bool = False,
) -> Iterator[str]:
    """A copy by its name and its reading lanes; `read` are their nets: `valid`, `bank`, `address`, `data`.

    They read `apart` where they never read a word in a cycle in which it is written.
    """
    bits, (name, count) = code_bits(memory), named
    known = [f"{bits}'d{code}" for code in reversed(codes(memory))]
    parameters = [
        f".WIDTH({memory.width}), .DEPTH({memory.depth}), .ADDRESS({address_bits(memory)})",
        f".BANKS({memory.banks}), .CODE({bits}), .CODES({{{', '.join(known)}}})",
        f".READERS({count}), .STYLE({wiring.schedule.styles[memory.name]:d})",
    ]
    if memory.content is None:
        kind, writing = "banked_copy", f" {_writing(wiring, memory, writers, bank=True)},"
        parameters.append(f".WRITERS({_count(wiring, writers)}), .APART({int(apart)})")
    else:
        kind, writing = "rom", ""
        parameters.append(f".CONTENT({content_text(memory.content, memory.width)})")
    yield f"  {kind} #(\n    {', '.join(parameters)}\n  ) {name} ("
    yield f"    .clk(clk),{writing}"
    yield f"    .rvalid({read['valid']}), .rbank({read['bank']}), .raddress({read['address']}), .rdata({read['data']})"
    yield "  );"


def _count(wiring: GroupWiring, names: Sequence[str]) -> int:
    return max(1, sum(wiring.lanes(name)[1] for name in names))


def _writing(wiring: GroupWiring, memory: Memory, writers: Sequence[str], *, bank: bool) -> str:
    """The connections of what is written; a lane that never does where nothing is."""
    if not writers:
        nothing = [".wvalid(1'b0)", f".waddress({address_bits(memory)}'d0)", f".wdata({memory.width}'d0)"]
        nothing += [f".wbank({code_bits(memory)}'d0)"] if bank else []
        return ", ".join(nothing)
    own = [f".wvalid({_joined(writers, 'writes')})", f".waddress({_joined(writers, _address(memory))})"]
    own += [f".wbank({_joined(writers, 'bank')})"] if bank else []
    return ", ".join([*own, f".wdata({_joined(writers, 'data')})"])


def _joined(names: Sequence[str], what: str) -> str:
    texts = [f"{name}_{what}" for name in reversed(names)]
    return texts[0] if len(texts) == 1 else "{" + ", ".join(texts) + "}"


def content_text(words: Sequence[int], width: int) -> str:
    """The words of a ROM as one number, the first one lowest; in pieces where it is too long for some tools."""
    each = max(1, _LONGEST // width)
    pieces = [words[start : start + each] for start in range(0, len(words), each)]
    numbers = [
        f"{len(piece) * width}'h{sum(word << number * width for number, word in enumerate(piece)):x}"
        for piece in reversed(pieces)
    ]
    return numbers[0] if len(numbers) == 1 else "{" + ",\n      ".join(numbers) + "}"
