"""Designs that a report tells more of: those that were asked for, the knee, and the best in each objective.

Opened again with specification and platform, they have what their memories are built of, how these are organised, and
Verilog. For a whole front it would be too much to work out and to hold.

Formulas are those of docs/machine.md, sections 5 and 13, as the model, the simulated machine and Verilog take them.
x0, x1 are subscripts of an array; u and v number the indices of the outer and the inner line of a piece, w the places
of its free axes, n the fetches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from arrayol.errors import ArrayolError
from arrayol.text import counted
from dse.output.open_design import StoredDesign
from dse.output.report.sources import Origin, Timelines
from dse.results.designs import Design
from dse.results.schema import Result
from dse.space.objectives import grows
from hwmodel.cost_model.enumerated.plan import EnumeratedPlan, plan_group
from hwmodel.cost_model.estimate import MemoryUse
from hwmodel.cost_model.model import MachineModel
from hwmodel.local_memory.addresses import (
    Addresses,
    BankAddresses,
    BankedWords,
    Box,
    BufferWords,
    ElementBox,
    Form,
    LinearForm,
    Part,
    PieceWords,
    Words,
)
from hwmodel.local_memory.bank_functions import BankFunction, Residues
from hwmodel.local_memory.lines import CLASSES
from hwmodel.memory_kinds import kind_named
from hwmodel.platform import Platform


def best_designs(designs: Sequence[Design], objectives: Sequence[str], knee: str | None) -> list[Design]:
    """The knee, if any, then the best design in each objective, the first of equal ones."""
    chosen = [one for one in designs if one.id == knee] + [_best(designs, name) for name in objectives]
    return list({one.id: one for one in chosen}.values())


def _best(designs: Sequence[Design], name: str) -> Design:
    return min(designs, key=lambda one: -one.objectives[name] if grows(name) else one.objectives[name])


def opened_designs(designs: Sequence[Design], result: Result, origin: Origin) -> Iterator[StoredDesign]:
    """The designs as they were explored; without those that take too long or are of files that have changed."""
    timelines = Timelines(origin.models)
    for design in designs:
        opened = _opened(design, result, origin, timelines)
        if opened is not None:
            yield opened


def _opened(design: Design, result: Result, origin: Origin, timelines: Timelines) -> StoredDesign | None:
    decisions, model = design.decisions, origin.models[design.choice]
    if not all(timelines.affordable(group, decisions.choice) for group in decisions.groups):
        return None
    try:
        estimate = model.evaluate(decisions)
    except (ArrayolError, ValueError, KeyError):  # specification or platform are not those of the result
        return None
    found = [[(use.kind, use.name, use.bits) for use in group.memories] for group in estimate.groups]
    known = [[(use.kind, use.name, use.bits) for use in mapping.memories] for mapping in design.mappings]
    spec, top = origin.specs[design.splits], result.top
    opened = StoredDesign(
        design, spec, top, model.accesses, model.platform, result.platform, decisions, estimate, result.device
    )
    return opened if found == known else None


def organised(opened: StoredDesign, *, addresses: bool = True) -> list[dict[str, Any]]:
    """A row for each memory of a design's groups, in the order of its estimate; addresses take the longest.

    `words` of `width` bits are in each of `banks`, of which there are `copies`; `window` are registers beside them.
    `bank` is the formula of the bank of a datum, None where there is one; `address` says where in the bank it lies.
    """
    rows: list[dict[str, Any]] = []
    for number, (group, estimate) in enumerate(zip(opened.design.groups, opened.estimate.groups, strict=True), 1):
        is_planned = addresses and group.stream is None
        plan = plan_group(opened.accesses, opened.platform, group) if is_planned else None
        rows += [_row(number, use, plan) for use in estimate.memories]
    return rows


def _row(group: int, use: MemoryUse, plan: EnumeratedPlan | None) -> dict[str, Any]:
    one = use.organisation
    sizes = (1, 1, use.addressed, use.width, 0)  # without a technology
    if one is not None:
        sizes = (one.banks, one.copies, one.depth, one.width, one.window_bits // one.width)
    row = dict(zip(("banks", "copies", "words", "width", "window"), sizes, strict=True))
    kind = kind_named(use.kind)
    function = one.function if one is not None and kind.has_subscripts else None
    bank = bank_formula(function) if function is not None and function.banks > 1 else None
    address = [kind.address] if kind.address else []
    if plan is not None and use.name in plan.buffers and not address:
        contents = plan.buffers[use.name].contents
        address = list(_addresses(contents.words if function is None else contents.in_banks(function)))
    return {"group": group, "kind": use.kind, "name": use.name, **row, "bank": bank, "address": address}


def bank_formula(function: BankFunction) -> str:
    """The bank of a datum by its subscripts, as "2 (x0 mod 3) + x1 mod 2"."""
    if isinstance(function, Residues):
        return _mixed([(f"x{axis}", modulus) for axis, modulus in enumerate(function.moduli)])
    terms = [f"{'' if factor == 1 else f'{factor} '}x{axis}" for axis, factor in enumerate(function.alpha) if factor]
    whole = " + ".join(terms) or "0"
    return f"{f'floor(({whole}) / {function.block})' if function.block > 1 else f'({whole})'} mod {function.banks}"


def _addresses(words: Words) -> Iterator[str]:
    """The formulas of the addresses of a buffer's data in their bank, a line for each part."""
    inner = words.in_bank if isinstance(words, BankedWords) else words
    divided = isinstance(words, BankedWords) and words.function.banks > 1
    if isinstance(inner, ElementBox):
        rank = len(inner.shape)
        names = ["n" if number == rank else f"x{number}" for number in inner.order]
        yield f"{_mixed(list(zip(names, inner.moduli, strict=True)))}{', x divided by the banks' if divided else ''}"
    elif isinstance(inner, BufferWords):
        base = 0
        for piece in inner.pieces:
            yield from _piece(piece, base, divided=divided)
            base += piece.size


def _piece(piece: PieceWords, base: int, *, divided: bool) -> Iterator[str]:
    """The formulas of a piece, whose words begin at `base`."""
    addresses = _deepest(piece.addresses)
    lines = [f"{name} numbers {_axes(axes)}" for name, axes in zip("uvw", piece.axes, strict=True) if axes]
    where = "; ".join([*lines, *(["in the bank"] if divided else [])])
    for part in addresses.parts:
        first, last = base + part.base * addresses.free, base + (part.base + part.form.size) * addresses.free - 1
        yield f"words {first:,} to {last:,}{_classes(part)}: {_word(part.form, first, addresses.free)} ({where})"


def _deepest(addresses: Addresses | BankAddresses) -> Addresses:
    """Addresses in the deepest bank: all banks take the same forms."""
    if isinstance(addresses, Addresses):
        return addresses
    return max(addresses.banks.values(), key=lambda one: one.size)


def _axes(axes: Sequence[int]) -> str:
    return ", ".join(f"x{axis}" for axis in axes)


def _classes(part: Part) -> str:
    """Which indices of both lines lie in a part."""
    if part.classes is None:
        return ""
    outer, inner = (CLASSES[own] for own in part.classes)
    return f", for u {outer} and v {inner}"


def _word(form: Form, first: int, free: int) -> str:
    """The word of a datum: its slot, times the places of the free axes."""
    slot = _slot(form)
    word = slot if free == 1 else "w" if slot == "0" else f"{free:,} ({slot}) + w"
    return word if not first else f"{first:,}" if word == "0" else f"{first:,} + {word}"


def _slot(form: Form) -> str:
    if isinstance(form, Box):
        return _mixed([("u", form.outer), ("v", form.inner)])
    if form.size == 1:
        return "0"
    if isinstance(form, LinearForm):
        row = "u" if form.row == 1 else f"{form.row:,} u"
        return f"({row} {'+' if form.sign > 0 else '-'} v) mod {form.size:,}"
    return f"the number in the order of birth mod {form.size:,}"


def _mixed(digits: Sequence[tuple[str, int]]) -> str:
    """Digits of so many values each, the most significant first, as a number."""
    terms = []
    for place, (name, modulus) in enumerate(digits):
        weight = math.prod(own for _, own in digits[place + 1 :])
        if modulus > 1:
            terms.append(f"{name} mod {modulus:,}" if weight == 1 else f"{weight:,} ({name} mod {modulus:,})")
    return " + ".join(terms) or "0"


def port_document(origin: Origin) -> dict[str, Any] | None:
    """The words of the port, and whether loads and stores share it; None where there is no platform."""
    model = next(iter(origin.models.values()), None)
    if model is None:
        return None
    (channel,) = model.platform.channels
    bits = channel.word_bits
    words = counted(bits, "bit") if bits is not None else f"{channel.data_per_word or 1:,} elements"
    words += f" in each of {channel.channels} channels" if channel.channels > 1 else ""
    return {"word": words, "shared": channel.port == "shared"}


def wider_ports(designs: Sequence[StoredDesign]) -> dict[str, int]:
    """By design its latency in cycles, were the words of the port twice as wide: same decisions, same units."""
    latencies = {}
    for opened in designs:
        try:
            own = opened.accesses
            wider = _wider(opened.platform)
            model = MachineModel(opened.network, wider, dict(own.loads), channels=own.channels)
            latencies[opened.record.id] = model.evaluate(opened.design).latency_cycles
        except ArrayolError:  # of words that wide the model cannot count
            continue
    return latencies


def _wider(platform: Platform) -> Platform:
    """The platform with words of twice the width."""
    (memory,) = platform.channels
    name = "data_per_word" if memory.word_bits is None else "word_bits"
    twice = memory.model_copy(update={name: 2 * (getattr(memory, name) or 1)})
    return platform.model_copy(update={"memory": twice})
