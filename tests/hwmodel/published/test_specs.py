"""Whole tables of shipped specifications, on the platforms beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol.checks.check import load_checked
from arrayol.ir.network import flatten
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.design import Fusion
from hwmodel.platform import check_against, find_platform
from hwmodel.published.group import PublishedDesign
from hwmodel.published.model import PublishedModel

SPECS = Path(__file__).resolve().parents[3] / "specs"


def shipped(name: str) -> PublishedModel:
    path = SPECS / f"{name}.aol"
    spec = load_checked(path)
    platform, _ = find_platform(path, None)
    check_against(platform, spec)
    return PublishedModel(flatten(spec, spec.tops[0]), platform)


@pytest.fixture(scope="module")
def lpsf() -> PublishedModel:
    return shipped("lpsf")


@pytest.fixture(scope="module")
def thumbnail() -> PublishedModel:
    """On the platform beside it, with cycles per datum for its tasks: C of the columns is above their input."""
    model = shipped("thumbnail")
    rows, columns = (ElementaryEntry(initiation_interval=cycles) for cycles in (1, 4))
    given = {"row_filter": rows, "column_filter": columns, "contrast": rows}
    return PublishedModel(model.network, model.platform.model_copy(update={"elementary": given}))


def priced(model: PublishedModel, sizes: tuple[int, ...]) -> PublishedDesign:
    """The fusion of a chain whose groups have these numbers of processes."""
    names = tuple(model.network.processes)
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    groups = tuple(names[start : start + count] for start, count in zip(starts, sizes, strict=True))
    found = model.evaluate(Fusion(groups))
    assert isinstance(found, PublishedDesign)
    return found


# Every filter: k = 4/4 = 1, C = 1.  g groups: N_k = 2 g.  All N_cu: 4 (m, or ceil(4 * 1 * 1 / 1)).
# X_out = 4 * 2 g * 30 = 240 g = x_in.  IM = 4 processors * 2 * 4 * 240 g = 7680 g, and 1920 * 1080 = 2073600 more
# where VFTD (from the top left) and HFRL (from the bottom right) are fused: the one pair whose scans disagree.
# AL = 2073600 g.
@pytest.mark.parametrize(
    ("sizes", "latency", "memory", "block"),
    [
        ((4,), 2073600, 7680 + 2073600, 240),
        ((3, 1), 4147200, 15360 + 2073600, 480),
        ((2, 2), 4147200, 15360, 480),
        ((1, 3), 4147200, 15360 + 2073600, 480),
        ((2, 1, 1), 6220800, 23040, 720),
        ((1, 2, 1), 6220800, 23040 + 2073600, 720),
        ((1, 1, 2), 6220800, 23040, 720),
        ((1, 1, 1, 1), 8294400, 30720, 960),
    ],
)
def test_lpsf(lpsf: PublishedModel, sizes: tuple[int, ...], latency: int, memory: int, block: int) -> None:
    design = priced(lpsf, sizes)
    assert (design.latency_cycles, design.internal_memory_elements) == (latency, memory)
    assert design.internal_memory_bits == 32 * memory
    assert [processor.units for processor in design.processors] == [4] * 4
    assert [processor.block for processor in design.processors] == [block] * 4
    assert design.flows == 2 * len(sizes)


# The thumbnail: frame u8[1080, 1920] -> narrow f32[1080, 720] -> soft f32[480, 720] -> small f32[480, 720].
#   hfilter: 11 -> 3,  k = 11/3, C = max(1, 11/3) = 11/3
#   vfilter: 14 -> 4,  k = 7/2,  C = max(4, 7/2) = 4
#   sharpen:  3 -> 1,  k = 3,    C = max(1, 3) = 3
# m = 128 bits // 32 bits = 4, L = 30. All scans go forwards. |narrow| = 777600, |soft| = |small| = 345600.
# Units asked by eq. 6 per unit of the consumer: of hfilter C_h k_v / C_v = (11/3)(7/2)/4 = 77/24; of vfilter
# C_v k_s / C_s = 4 * 3 / 3 = 4.
#
# [3]: N_k = 2, N_k L = 60.
#   N: sharpen 4; vfilter 4 * 4 = 16; hfilter ceil(16 * 77/24) = ceil(51.33) = 52.
#   X: sharpen 4 * 60 / 3 = 80; vfilter max(16 * 60 / 4, 3 * 80) = 240;
#      hfilter max(ceil(52 * 60 * 3/11) = ceil(850.91) = 851, 7/2 * 240 = 840) = 851.
#   x: hfilter ceil(11/3 * 851) = ceil(3120.33) = 3121; vfilter 851; sharpen 240.
#   IM = 2 (52 * 3121 + 16 * 851 + 4 * 240) = 2 (162292 + 13616 + 960) = 353736.
#   bits = 2 (162292 * 8 + 14576 * 32) = 2 (1298336 + 466432) = 3529536.  AL = 345600.
# [2, 1]: N_k = 4, N_k L = 120.
#   N: sharpen 4; vfilter writes outside: 4; hfilter ceil(4 * 77/24) = ceil(12.83) = 13.
#   X: sharpen 4 * 120 / 3 = 160; vfilter 4 * 120 / 4 = 120;
#      hfilter max(ceil(13 * 120 * 3/11) = ceil(425.45) = 426, 7/2 * 120 = 420) = 426.
#   x: hfilter 11/3 * 426 = 1562; vfilter 426; sharpen 3 * 160 = 480.
#   IM = 2 (13 * 1562 + 4 * 426 + 4 * 480) = 2 (20306 + 1704 + 1920) = 47860.
#   bits = 2 (20306 * 8 + 3624 * 32) = 2 (162448 + 115968) = 556832.  AL = 2 * 345600.
# [1, 2]: N_k = 4, N_k L = 120.
#   N: hfilter writes outside: 4; sharpen 4; vfilter 16.
#   X: hfilter ceil(4 * 120 * 3/11) = ceil(130.91) = 131; sharpen 160; vfilter max(16 * 120 / 4, 3 * 160) = 480.
#   x: hfilter ceil(11/3 * 131) = ceil(480.33) = 481; vfilter 7/2 * 480 = 1680; sharpen 480.
#   IM = 2 (4 * 481 + 16 * 1680 + 4 * 480) = 2 (1924 + 26880 + 1920) = 61448.
#   bits = 2 (1924 * 8 + 28800 * 32) = 2 (15392 + 921600) = 1873984.  AL = 777600 + 345600.
# [1, 1, 1]: N_k = 6, N_k L = 180, all N = 4.
#   X: hfilter ceil(4 * 180 * 3/11) = ceil(196.36) = 197; vfilter 4 * 180 / 4 = 180; sharpen 4 * 180 / 3 = 240.
#   x: ceil(11/3 * 197) = ceil(722.33) = 723; 7/2 * 180 = 630; 3 * 240 = 720.
#   IM = 2 * 4 * (723 + 630 + 720) = 16584.  bits = 8 (723 * 8 + 1350 * 32) = 391872.  AL = 777600 + 2 * 345600.
@pytest.mark.parametrize(
    ("sizes", "latency", "memory", "bits", "units", "blocks"),
    [
        ((3,), 345600, 353736, 3529536, [52, 16, 4], [851, 240, 80]),
        ((2, 1), 691200, 47860, 556832, [13, 4, 4], [426, 120, 160]),
        ((1, 2), 1123200, 61448, 1873984, [4, 16, 4], [131, 480, 160]),
        ((1, 1, 1), 1468800, 16584, 391872, [4, 4, 4], [197, 180, 240]),
    ],
)
def test_thumbnail(
    thumbnail: PublishedModel,
    sizes: tuple[int, ...],
    latency: int,
    memory: int,
    bits: int,
    units: list[int],
    blocks: list[int],
) -> None:
    design = priced(thumbnail, sizes)
    assert [processor.units for processor in design.processors] == units
    assert [processor.block for processor in design.processors] == blocks
    assert (design.latency_cycles, design.internal_memory_elements) == (latency, memory)
    assert design.internal_memory_bits == bits


def test_the_thumbnails_words_are_divided_by_the_widest_element(thumbnail: PublishedModel) -> None:
    assert thumbnail.data_per_word == 4
    assert thumbnail.remarks == ("4 elements per word: memory.word_bits = 128, the widest element is f32 ('small')",)
