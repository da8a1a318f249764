"""Buffers in banks, every access through a bank and a port in its cycle; each mistake in them stops by its rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import pytest
from judging import local_of
from memory_mutants import fewer
from shipped import SMALL

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.enumerated.plan import plan_group
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import BankLayout, Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.local_memory.addresses import BankAddresses, BankedMemory, BankedWords, Box, BufferWords, Words
from hwmodel.local_memory.bank_functions import Linear, Residues
from hwmodel.local_words import local_width
from hwmodel.platform import load_platform
from hwmodel.simulator.group import LocalMemories
from hwmodel.simulator.schedule.plan import SimulatorError
from hwmodel.simulator.simulate import run_groups


@dataclass(frozen=True)
class Bench:
    """A design of one task for each group, and its local memories."""

    model: MachineModel
    design: Design

    @staticmethod
    def of(
        name: str,
        units: int,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        consts: Mapping[str, float] | None = None,
    ) -> Bench:
        spec = load_checked(shipped_folder() / f"{name}.aol", consts or SMALL[name])
        model = MachineModel(flatten(spec, choose_top(spec, None)), load_platform(shipped_folder() / f"{name}.toml"))
        chosen = shapes or {task: model.accesses.extents(task) for task in model.network.processes}
        groups = tuple(
            GroupDesign((Processor(task, units),), Blocks(shape, row_major(len(shape))))
            for task, shape in chosen.items()
        )
        return Bench(model, Design(groups))

    @cached_property
    def local(self) -> list[LocalMemories]:
        return local_of(self.model, self.design, self.model.evaluate(self.design))

    def stopped(self, group: int, wrong: LocalMemories) -> SimulatorError | None:
        """What stops the design with other local memories of one group."""
        local = [*self.local[:group], wrong, *self.local[group + 1 :]]
        try:
            run_groups(self.model.accesses, self.model.platform, self.design, local)
        except SimulatorError as error:
            return error
        return None

    def with_memory(self, group: int, array: str, memory: BankedMemory) -> SimulatorError | None:
        """The same with one other memory in banks, each datum where its function puts it."""
        own = self.local[group]
        plan = plan_group(self.model.accesses, self.model.platform, self.design.groups[group])
        words = plan.buffers[array].contents.in_banks(memory.function)
        memory = replace(memory, depth=words.depth)
        return self.stopped(group, replace(own, words={**own.words, array: words}, banks={**own.banks, array: memory}))

    def memories(self) -> Iterator[tuple[int, str, BankedMemory]]:
        for group, own in enumerate(self.local):
            for array, memory in own.banks.items():
                yield group, array, memory


@pytest.fixture(scope="module", params=[1, 2, 4])
def convolution(request: pytest.FixtureRequest) -> Bench:
    """Rows of 34 elements hold a word of 16."""
    return Bench.of("conv3x3", request.param, {"filter": (3, 32), "threshold": (7, 32)}, {"H": 9, "W": 34})


def test_designs_run_in_their_banks(convolution: Bench) -> None:
    assert list(convolution.memories())
    assert convolution.stopped(0, convolution.local[0]) is None


def test_one_bank_fewer_is_a_conflict(convolution: Bench) -> None:
    """Whatever the function: where a cycle needs them all, fewer do not do."""
    found = 0
    for group, array, memory in convolution.memories():
        for function in fewer(memory.function) if memory.function.banks == largest(convolution, array, memory) else ():
            error = convolution.with_memory(group, array, replace(memory, function=function))
            assert error is not None
            assert error.rule == "bank"
            assert f"of '{array}'" in str(error)
            found += 1
    assert found


def largest(bench: Bench, array: str, memory: BankedMemory) -> int:
    """The data of a word, or the places that a window or a pattern takes in a cycle, if that are as many as banks."""
    fresh = [len(reader.window.fresh) for reader in memory.readers.values() if reader.window is not None]
    size = bench.model.network.arrays[array].type.bytes
    return max(*(local_width(bench.model.platform, size, write=write) for write in (False, True)), *fresh)


def test_a_conflict_names_repetition_bank_and_cycle() -> None:
    bench = Bench.of("conv3x3", 1, {"filter": (3, 11), "threshold": (4, 7)})
    memory = bench.local[0].banks["image"]
    error = bench.with_memory(0, "image", replace(memory, function=Residues((1, 1))))
    assert "repetition (" in str(error)
    assert "of 'filter' touches 2 words of bank 0 of 'image' in cycle " in str(error)
    assert error is not None
    assert error.rule == "bank"


LAYOUTS = [((1, 3), 9, 1), ((0, 1), 3, 1), ((1, 0), 2, 1), ((1, 1), 4, 2), ((2, 2), 4, 3), ((-1, 1), 5, 1)]


@pytest.mark.parametrize(("vector", "banks", "block"), LAYOUTS)
def test_a_bank_layout_has_addresses(vector: tuple[int, ...], banks: int, block: int) -> None:
    """Of three units each has its banks; no word is written over, and one bank alone would serve one datum a cycle."""
    bench = with_layout(BankLayout("image", banks, vector, block), 3)
    own = bench.local[0]
    memory, words = own.layouts["image"], own.words["image"]
    assert words.size == banks * memory.depth
    assert bench.stopped(0, own) is None
    image = next(use for use in bench.model.evaluate(bench.design).groups[0].memories if use.name == "image")
    assert image.organisation is not None
    rows, columns = bench.model.accesses.shape("image")
    of_a_word = [  # 16 elements that follow each other in a row
        [(vector[0] * row + vector[1] * (column + place)) // block % banks for place in range(16)]
        for row in range(rows)
        for column in range(columns - 15)
    ]
    writers = max(max(map(word.count, word)) for word in of_a_word)
    assert (image.organisation.copies, image.organisation.banks) == (3 * writers, banks)
    assert (memory.ports, memory.writers, image.organisation.depth) == (3, writers, memory.depth)
    interval = bench.model.evaluate(bench.design).groups[0].processors[0].interval
    reading = most_units_at_a_bank(vector, banks, block, -(-9 // interval), (rows, columns))
    for wrong, what in (
        (replace(memory, ports=reading - 1), f"is read through {reading} ports in cycle"),
        (replace(memory, writers=writers - 1), f"is written through {writers} ports in cycle"),
    ):
        error = bench.stopped(0, replace(own, layouts={"image": wrong}))
        assert error is not None
        assert error.rule == "port"
        assert what in str(error)
    one = replace(own, layouts={"image": replace(memory, function=Linear((0, 0), 1), depth=words.size)})
    error = bench.stopped(0, one)
    if interval == 9:
        assert error is None or "is written through 16 ports" in str(error), "units read a datum a cycle"
    else:
        assert error is not None
        assert error.rule == "bank"
        assert f"touches {-(-9 // interval)} words of bank 0 of 'image' in cycle " in str(error)


def most_units_at_a_bank(vector: tuple[int, ...], banks: int, block: int, each: int, shape: tuple[int, ...]) -> int:
    """Of three units, side by side along blocks of 29 columns, how many read one bank at once, `each` data a cycle."""
    found = [1]
    for row, start, first in product(range(shape[0] - 2), range(0, shape[1] - 2, 29), range(0, 9, each)):
        for column in range(start, min(start + 29, shape[1] - 2), 3):
            reads = [
                {
                    (vector[0] * (row + at // 3) + vector[1] * (column + unit + at % 3)) // block % banks
                    for at in range(first, min(first + each, 9))
                }
                for unit in range(min(3, shape[1] - 2 - column))
            ]
            found += [sum(bank in own for own in reads) for bank in range(banks)]
    return max(found)


def with_layout(layout: BankLayout, units: int) -> Bench:
    bench = Bench.of("conv3x3", units, {"filter": (3, 29), "threshold": (4, 7)})
    (first, second), local = bench.design.groups, bench.model.platform.local
    platform = bench.model.platform.model_copy(update={"local": local.model_copy(update={"banks": 9})})
    model = MachineModel(bench.model.network, platform)
    return Bench(model, Design((replace(first, layouts=(layout,)), second)))


def test_two_ports_to_read_halve_the_accesses_to_a_bank() -> None:
    """Of nine places three are in each of three banks: three cycles through one port, two through two."""
    bench = with_layout(BankLayout("image", 3, (0, 1)), 1)
    local = bench.model.platform.local.model_copy(update={"ports": "1w2r"})
    model = MachineModel(bench.model.network, bench.model.platform.model_copy(update={"local": local}))
    wide = Bench(model, bench.design)
    intervals = [own.model.evaluate(own.design).groups[0].processors[0].interval for own in (bench, wide)]
    assert intervals == [3, 2]
    assert wide.stopped(0, wide.local[0]) is None


def test_messages_name_repetition_bank_and_cycle() -> None:
    """In exact words."""
    bench = Bench.of("conv3x3", 4, {"filter": (3, 32), "threshold": (7, 32)}, {"H": 9, "W": 34})
    own = bench.local[0]
    image, sums = own.banks["image"], own.banks["sums"]
    wrong = {
        "a bank": bench.with_memory(0, "image", replace(image, function=Residues((1, 1)))),
        "a port": bench.with_memory(0, "image", replace(image, ports=0)),
        "a writer": bench.with_memory(0, "sums", replace(sums, writers=0)),
        "a fill": bench.stopped(0, replace(own, fills={})),
        "a word": bench.with_memory(0, "image", replace(image, function=Residues((3, 4)))),
    }
    assert {kind: error.diagnostics[0].message for kind, error in wrong.items() if error is not None} == {
        "a bank": "repetition (0, 0) of 'filter' touches 2 words of bank 0 of 'image' in cycle 78, with its neighbours",
        "a port": "bank 0 of 'image' is read through 1 port in cycle 78, where it has 0: repetition (0, 0) of 'filter'",
        "a writer": "bank 0 of 'sums' is written through 1 port in cycle 84, where it has 0: "
        "repetition (0, 0) of 'filter'",
        "a fill": "repetition (0, 0) of 'filter' starts in cycle 78, before its window on 'image' is full",
        "a word": "the loader writes 4 words of bank 0 of 'image' in cycle 30 of step 0, through 1 port",
    }
    (wrong_words, *_) = too_small(in_banks(own.words["image"]))
    error = bench.stopped(0, replace(own, words={**own.words, "image": wrong_words}))
    assert error is not None
    assert error.diagnostics[0].message == (
        "step 1 overwrites live data in the buffer of 'image' at address 0 of bank 7: the loader writes over what "
        "repetition (0, 11) of 'filter' needs"
    )


def test_a_port_fewer_is_used_twice() -> None:
    """What a task makes is read by two others at once, or by one while it is stored."""
    found = 0
    for name in ("sobel", "harris"):
        bench = fused(name)
        for group, array, memory in bench.memories():
            if memory.ports > 1:
                error = bench.with_memory(group, array, replace(memory, ports=memory.ports - 1))
                found += error is not None
                assert error is None or (error.rule == "port" and f"of '{array}'" in str(error))
    assert found


def test_a_copy_fewer_is_used_twice() -> None:
    """Four rows are written at once, so the four data of a word lie in one bank, and are read from four copies."""
    bench = Bench.of("lpsf", 1)
    stored = [(group, memory) for group, array, memory in bench.memories() if array == "p2" and not memory.readers]
    assert stored
    for group, memory in stored:
        copies = replace(memory, function=Residues((4, 1)), ports=4, storing=4)
        assert bench.with_memory(group, "p2", copies) is None
        error = bench.with_memory(group, "p2", replace(copies, storing=3))
        assert error is not None
        assert error.rule == "bank"
        text = "the storer reads 4 words of bank 0 of 'p2' in cycle 204 of step 2, through 3 ports"
        assert text in str(error)


@pytest.mark.parametrize("units", [1, 4])
def test_a_table_is_read_through_the_ports_of_its_copies(units: int) -> None:
    """A ROM of 4,096 words at places that follow from data."""
    spec = load_checked(shipped_folder() / "camera.aol", SMALL["camera"])
    model = MachineModel(flatten(spec, choose_top(spec, None)), load_platform(shipped_folder() / "camera.toml"))
    shapes = {
        task: tuple(min(8, extent) for extent in model.accesses.extents(task)) for task in model.network.processes
    }
    bench = Bench.of("camera", units, shapes)
    found = 0
    for group, own in enumerate(bench.local):
        assert bench.stopped(group, own) is None
        for pair, memory in own.residents.items():
            ((name, reader),) = memory.readers.items()
            if reader.random:
                less = replace(memory, readers={name: replace(reader, ports=reader.ports - 1)})
                error = bench.stopped(group, replace(own, residents={**own.residents, pair: less}))
                assert error is not None
                assert error.rule == "port"
                found += 1
    assert found


def fused(name: str, units: int = 1) -> Bench:
    """All tasks in one group."""
    bench = Bench.of(name, 1)
    last = bench.design.groups[-1]
    processors = tuple(Processor(task, units) for task in bench.model.network.processes)
    shape = tuple(min(side, extent) for side, extent in zip((4, 8), last.blocks.shape, strict=True))
    return Bench(bench.model, Design((GroupDesign(processors, Blocks(shape, row_major(len(shape)))),)))


def test_a_modulus_one_too_small_is_an_overwrite(convolution: Bench) -> None:
    found = 0
    for group, array, _ in convolution.memories():
        own = convolution.local[group]
        words = own.words[array]
        assert isinstance(words, BankedWords)
        for wrong in too_small(words):
            error = convolution.stopped(group, replace(own, words={**own.words, array: wrong}))
            assert error is not None
            assert error.rule in ("overwrite", "address")
            found += 1
    assert found


def in_banks(words: Words) -> BankedWords:
    assert isinstance(words, BankedWords)
    return words


def too_small(words: BankedWords) -> Iterator[BankedWords]:
    """The same with one modulus less in all banks."""
    assert isinstance(words.in_bank, BufferWords)
    for place, piece in enumerate(words.in_bank.pieces):
        addresses = piece.addresses
        assert isinstance(addresses, BankAddresses)
        sizes = {part.form.size for own in addresses.banks.values() for part in own.parts}
        if max(sizes) > 1:
            banks = {
                bank: replace(own, parts=tuple(replace(part, form=less(part.form, max(sizes))) for part in own.parts))
                for bank, own in addresses.banks.items()
            }
            pieces = list(words.in_bank.pieces)
            pieces[place] = replace(piece, addresses=replace(addresses, banks=banks))
            yield replace(words, in_bank=replace(words.in_bank, pieces=tuple(pieces)))


def less(form: object, greatest: int) -> object:
    if isinstance(form, Box):
        one = replace(form, inner=form.inner - 1) if form.inner > 1 else replace(form, outer=max(1, form.outer - 1))
        return one if form.size == greatest else form
    return replace(form, size=form.size - 1) if form.size == greatest else form  # type: ignore[type-var]


def windowed() -> Iterator[tuple[Bench, int, str, BankedMemory]]:
    for name in ("conv3x3", "fir", "jacobi"):
        bench = Bench.of(name, 2)
        for group, array, memory in bench.memories():
            if any(reader.window is not None for reader in memory.readers.values()):
                yield bench, group, array, memory


def test_a_window_without_its_fill_or_with_a_place_too_few() -> None:
    found = 0
    for bench, group, array, memory in windowed():
        own = bench.local[group]
        error = bench.stopped(group, replace(own, fills={}))
        assert error is not None
        assert error.rule == "window"
        for name, reader in memory.readers.items():
            if reader.window is not None:
                window = replace(reader.window, fresh=reader.window.fresh[1:])
                readers = {**memory.readers, name: replace(reader, window=window)}
                error = bench.with_memory(group, array, replace(memory, readers=readers))
                assert error is not None
                assert error.rule == "window"
                found += 1
    assert found >= 2


def test_a_window_that_reads_late_is_stopped() -> None:
    """Eight units take five places of nine each in the first of two cycles: more than half of those that are fresh."""
    bench = Bench.of("conv3x3", 8)
    first, *others = bench.design.groups
    slow = replace(first, processors=tuple(replace(one, interval=2) for one in first.processors))
    bench = Bench(bench.model, Design((slow, *others)))
    own, late = bench.local[0], 0
    assert bench.stopped(0, own) is None
    for array, memory in own.banks.items():
        for name, reader in memory.readers.items():
            if reader.window is not None:
                assert (len(reader.window.fresh), reader.window.each) == (24, 15)
                window = replace(reader.window, each=reader.window.each - 1)
                readers = {**memory.readers, name: replace(reader, window=window)}
                error = bench.with_memory(0, array, replace(memory, readers=readers))
                assert error is not None
                assert error.rule == "window"
                assert "before it is read for its window" in error.diagnostics[0].message
                late += 1
    assert late


def test_classes_banks_windows_and_wrapped_axes_in_one_machine() -> None:
    """All of harris in one group, which wraps: nine parts of a buffer with several readers, windows, and banks."""
    parts, banks = set[int](), set[int]()
    for units in (1, 2):
        bench = fused("harris", units)
        (own,) = bench.local
        assert bench.stopped(0, own) is None
        ((run, _),) = run_groups(bench.model.accesses, bench.model.platform, bench.design, bench.local)
        assert run.lengths == bench.model.step_cycles(bench.design.groups[0])  # where it wraps lines end, windows fill
        assert any(reader.window for memory in own.banks.values() for reader in memory.readers.values())
        for array, memory in own.banks.items():
            words = own.words[array]
            assert isinstance(words, BankedWords)
            if isinstance(words.in_bank, BufferWords):
                found = [piece.addresses for piece in words.in_bank.pieces]
                parts |= {
                    len(one.parts) for each in found if isinstance(each, BankAddresses) for one in each.banks.values()
                }
            banks.add(memory.function.banks)
    assert max(parts) == 9
    assert max(banks) > 8
