"""The page of the published model: the readings of its section 7, with the matrices of the paper's example 2."""

from __future__ import annotations

import re
from math import ceil

import numpy as np
import pytest
from manual import read
from paper_a import design, example_1, filters, one_unit_and_two_flows

from arrayol.arrays import IntArray

M, LATENCY = 4, 30
UNITS = 4
PLACES = 6  # x_0 to x_5: what each filter reads and writes; what goes through the external memory stands twice


def unit(*places: tuple[int, int]) -> IntArray:
    """Ones at these rows and columns."""
    found = np.zeros((PLACES, PLACES), np.int64)
    for place in places:
        found[place] = 1
    return found


I_MEM = unit((2, 2), (5, 5))
I_COM = unit((1, 1), (4, 4))
K = unit((0, 1), (1, 2), (3, 4), (4, 5))
K_MEM = unit((0, 1), (3, 4))


def test_the_matrices_are_those_of_the_links() -> None:
    """Where a fused link, a link from outside and an array written outside stand in the paper's design."""
    k_mem, i_com, i_mem = unit(), unit(), unit()
    k = unit()
    place = 0  # of the input of the filter
    for processor in design().processors:
        (link,) = processor.inputs
        out = place + 1
        rate = link.block // processor.block
        k[place, out] = rate
        (k_mem if link.from_outside else i_com)[(place, out) if link.from_outside else (place, place)] = rate
        group = next(group for group in design().fusion.groups if processor.process in group)
        if processor.process == group[-1]:
            i_mem[out, out] = 1
            out += 1  # the next group reads it from outside
        place = out
    for found, printed in ((k_mem, K_MEM), (k, K), (i_mem, I_MEM), (i_com, I_COM)):
        assert found.tolist() == printed.tolist()


def criterion_1(block: int) -> IntArray:
    """The left side as printed, with C = 1, for equal blocks."""
    left = K_MEM / UNITS**2 - np.ones((PLACES, PLACES)) @ (K_MEM + I_MEM) / M
    found: IntArray = left @ np.full(PLACES, block)
    return found


@pytest.mark.parametrize("block", [1, 60, 479, 480, 481, 10_000])
def test_criterion_1_as_printed_bounds_nothing(block: int) -> None:
    assert (criterion_1(block) <= design().flows * LATENCY).all()
    assert not (criterion_1(block) >= design().flows * LATENCY).any()
    assert criterion_1(block)[[0, 3]].tolist() == [block / 16 - block] * 2
    assert (block / UNITS >= design().flows * LATENCY) == (block >= 480)


def test_equation_5_as_printed_has_no_solution() -> None:
    latency = design().flows * LATENCY
    assert not any(UNITS * (latency + block / M) < block / UNITS for block in range(1, 100_000, 7))


def test_equation_4_as_printed_excludes_the_example() -> None:
    assert {one.units for one in design().processors} == {M}


def test_the_determinant_is_a_trace() -> None:
    height, width = filters().arrays["p0"].shape
    assert height
    assert width
    assert np.linalg.det(I_MEM) == 0
    assert height * width * int(np.trace(I_MEM)) == design().latency_cycles == 4_147_200


def test_sixty_data_are_those_of_one_unit_and_two_flows() -> None:
    assert one_unit_and_two_flows() == 2 * LATENCY == 60
    assert {one.block for one in design().processors} == {480}


@pytest.mark.parametrize("m", [1, 2, 4])
def test_the_units_of_example_1(m: int) -> None:
    units = {name: units for name, (units, _) in example_1(m).items()}
    assert units == {"k": m, "l": ceil(m * 3 * 3 / 6)}
    assert f"{units['l']} for {units['k']}" in " ".join(read("published.md").split())


FUSION = re.compile(r"\[([\d, ]+)\] \| ([\d,]+) \| ([\d,]+) \|")


def test_the_table_of_fusions() -> None:
    """Section 6: latency and internal memory of all eight."""
    found = FUSION.findall(read("published.md"))
    assert len(found) == 8
    for lengths, latency, memory in found:
        priced = design(lengths.replace(", ", "+"))
        assert f"{priced.latency_cycles:,}" == latency
        assert f"{priced.internal_memory_elements:,}" == memory
