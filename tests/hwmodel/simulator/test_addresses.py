"""Buffers as memories of words: every datum at its address, and what goes wrong stops by its rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from judging import local_of, words_of

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import POLICIES, Blocks, Design, GroupDesign, Policy, Processor, row_major
from hwmodel.local_memory.addresses import Box, BufferWords, Form, LinearForm, Ring, Words, placed
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory
from hwmodel.simulator.memories.memories import Buffer
from hwmodel.simulator.schedule.plan import SimulatorError
from hwmodel.simulator.simulate import run_groups


@pytest.fixture(scope="module")
def model() -> MachineModel:
    spec = load_checked(shipped_folder() / "conv3x3.aol", {"H": 9, "W": 11})
    platform = Platform(technology="ecp5-6", clock_mhz=100.0, memory=ExternalMemory(latency=1, data_per_word=4))
    return MachineModel(flatten(spec, choose_top(spec, None)), platform)


def design_of(model: MachineModel, shape: tuple[int, ...], policy: Policy) -> Design:
    processors = tuple(Processor(task) for task in model.network.processes)
    return Design((GroupDesign(processors, Blocks(shape, row_major(len(shape))), policy=policy),))


def stopped(model: MachineModel, design: Design, words: Mapping[str, Words]) -> SimulatorError | None:
    (local,) = local_of(model, design, model.evaluate(design))
    try:
        run_groups(model.accesses, model.platform, design, [replace(local, words=words, banks={})])
    except SimulatorError as error:
        return error
    return None


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (3, 11)])
def test_every_policy_runs_at_its_addresses(model: MachineModel, shape: tuple[int, ...], policy: Policy) -> None:
    design = design_of(model, shape, policy)
    assert stopped(model, design, words_of(model.accesses, model.platform, design.groups[0])) is None


@pytest.mark.parametrize("policy", POLICIES)
def test_a_modulus_one_too_small_is_an_overwrite(model: MachineModel, policy: Policy) -> None:
    design = design_of(model, (2, 3), policy)
    words = words_of(model.accesses, model.platform, design.groups[0])
    for array, own in words.items():
        assert isinstance(own, BufferWords)
        for wrong in too_small(own):
            error = stopped(model, design, {**words, array: wrong})
            assert error is not None
            assert error.rule == "overwrite"
            assert f"the buffer of '{array}' at address" in str(error)


def too_small(words: BufferWords) -> Iterator[BufferWords]:
    """The same with one modulus of one part of a piece one less."""
    for place, piece in enumerate(words.pieces):
        for number, part in enumerate(piece.addresses.parts):
            for form in smaller(part.form):
                parts, pieces = list(piece.addresses.parts), list(words.pieces)
                parts[number] = replace(part, form=form)
                pieces[place] = replace(piece, addresses=replace(piece.addresses, parts=placed(tuple(parts))))
                yield replace(words, pieces=tuple(pieces))


def smaller(form: Form) -> list[Form]:
    """The same with one of its moduli one less."""
    if isinstance(form, Box):
        moduli = [replace(form, outer=form.outer - 1), replace(form, inner=form.inner - 1)]
        return [box for box in moduli if box.size]
    assert isinstance(form, LinearForm | Ring)
    return [replace(form, size=form.size - 1)] if form.size > 1 else []


def rule(buffer: Buffer, step: int, data: list[int], *, read: bool = False) -> str:
    wanted = np.array(data)
    with pytest.raises(SimulatorError) as caught:
        buffer.read(step, wanted, lambda row: f"reader {row}") if read else buffer.bring(step, wanted, wanted)
    return f"{caught.value.rule}: {caught.value}"


class Numbers:
    """Data called by their numbers."""

    def brings(self, datum: int) -> str:
        return f"who brings {datum}"

    def uses(self, datum: int) -> str:
        return f"who uses {datum}"


def memory(words: list[int], size: int) -> Buffer:
    return Buffer("a", 4, size, np.array(words), Numbers())


def test_an_address_beyond_the_memory() -> None:
    assert "address 3 of the buffer of 'a', which has 3 words" in rule(memory([0, 1, 3], 3), 5, [1, 2])


def test_two_data_of_one_step_at_one_address() -> None:
    text = "in the buffer of 'a' at address 1: who brings 2 writes over what who uses 1 needs"
    assert f"overwrite: error[simulation-overwrite]: step 5 overwrites live data {text}" in rule(
        memory([0, 1, 1], 3), 5, [1, 2]
    )


def test_a_live_datum_is_overwritten() -> None:
    buffer = memory([0, 1, 0], 3)
    buffer.bring(0, np.array([0]), np.array([7]))
    text = "in the buffer of 'a' at address 0: who brings 2 writes over what who uses 0 needs"
    assert f"step 1 overwrites live data {text}" in rule(buffer, 1, [2])


def test_a_word_is_free_after_its_last_step() -> None:
    buffer = memory([0, 1, 0], 3)
    buffer.bring(0, np.array([0]), np.array([7]))
    assert buffer.read(1, np.array([0]), str).tolist() == [7]
    buffer.release(1, np.array([0]))
    buffer.bring(2, np.array([2]), np.array([9]))
    assert buffer.read(3, np.array([2]), str).tolist() == [9]


def test_a_read_in_the_step_of_the_write() -> None:
    buffer = memory([0], 1)
    buffer.bring(0, np.array([0]), np.array([7]))
    text = "in step 0 reader 0 reads a datum of 'a' that is not in its buffer"
    assert text in rule(buffer, 0, [0], read=True)
