"""Archives of arrays, sequences of images, data made on the spot, and comparisons."""

from __future__ import annotations

import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from many_cases import case_count
from numpy.typing import NDArray
from PIL import Image

from arrayol.errors import ArrayolError
from arrayol.execute.environment import DTYPES
from arrayol.execute.inputs import FileSource, InputArray, noise, ramp, read_array
from arrayol.execute.outputs import Difference, Target, check_targets, compare, find_difference, write_arrays
from arrayol.ir.spec import Port
from arrayol.ir.types import NUMPY_TYPES, ElementType
from arrayol.source import SourceFile, Span


def port(element: str, *shape: int | None, name: str = "p") -> Port:
    text = f"{name}: {element}[H, W]"
    return Port(name, ElementType(element), shape, Span(SourceFile("t.aol", text), 0, len(text)))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(name: str, wanted: Port, frames: int | None = None, **constants: int) -> InputArray:
    path, _, member = name.partition(":")
    return read_array(FileSource(Path(path), member or None), wanted, constants, frames)


def refused(name: str, wanted: Port, frames: int | None = None) -> str:
    return told(lambda: read(name, wanted, frames))


def told(action: Callable[[], Any]) -> str:
    with pytest.raises(ArrayolError) as caught:
        action()
    return str(caught.value)


def write(*named: tuple[str, Port, NDArray[Any]], bits: int | None = None) -> Any:
    targets = []
    for name, one, _ in named:
        path, _, member = name.partition(":")
        targets.append(Target(Path(path), one, member or None))
    check_targets(targets)
    return write_arrays(targets, {one.name: array for _, one, array in named}, bits)


@settings(max_examples=case_count(40), deadline=None)
@given(st.data())
def test_every_array_comes_back_bit_for_bit(data: st.DataObject) -> None:
    element = data.draw(st.sampled_from(sorted(NUMPY_TYPES)))
    shape = data.draw(arrays.array_shapes(min_dims=0, max_dims=3, max_side=4))
    array = data.draw(arrays.arrays(DTYPES[element], shape))
    wanted = port(element, *shape)
    with TemporaryDirectory() as folder, chdir(folder):
        write(("a.npy", wanted, array), ("a.npz", wanted, array), ("a.npz:other", wanted, array))
        for name in ("a.npy", "a.npz", "a.npz:p", "a.npz:other"):
            found = read(name, wanted).array
            assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
            assert compare(wanted, array, FileSource(Path(name.partition(":")[0]), None), {}) is None


@settings(max_examples=case_count(25), deadline=None)
@given(st.data())
def test_every_image_comes_back(data: st.DataObject) -> None:
    element = data.draw(st.sampled_from([ElementType.BOOL, ElementType.U8, ElementType.U16]))
    shape = data.draw(arrays.array_shapes(min_dims=2, max_dims=2, max_side=9))
    frames = data.draw(st.integers(1, 4))
    array = data.draw(arrays.arrays(DTYPES[element], (shape[0], frames, shape[1])))
    wanted = port(element, shape[0], None, shape[1])
    with TemporaryDirectory() as folder, chdir(folder):
        write(("a-%03d.png", wanted, array))
        assert np.array_equal(read("a-*.png", wanted).array, array)
        assert np.array_equal(read("a-*.png", wanted, frames=1).array, array[:, :1])
        assert compare(wanted, array, FileSource(Path("a-*.png")), {}) is None


def test_archives_of_others_are_read() -> None:
    a, b = np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6, dtype=">i2").reshape(2, 3))
    np.savez_compressed("a.npz", p=a, q=b)
    np.savez("one.npz", b)
    assert np.array_equal(read("a.npz", port("f64", 2, 3)).array, a)
    assert np.array_equal(read("a.npz:q", port("f32", 2, 3)).array, b)
    assert np.array_equal(read("one.npz", port("i64", 2, 3)).array, b)
    with np.load("a.npz") as mine:
        assert set(mine.files) == {"p", "q"}


def test_others_read_our_archives_and_the_bytes_are_the_same_each_time() -> None:
    x, file = np.arange(3, dtype=np.uint8), np.float32(1.5)
    named = [("a.npz", port("u8", 3, name="x"), x), ("a.npz", port("f32", name="file"), np.asarray(file))]
    write(*named)
    with np.load("a.npz") as found:
        assert {name: found[name].tolist() for name in found.files} == {"x": [0, 1, 2], "file": 1.5}
    before = Path("a.npz").read_bytes()
    write(*named)
    assert Path("a.npz").read_bytes() == before


def test_what_an_archive_does_not_hold() -> None:
    np.savez("a.npz", image=np.zeros(2), mask=np.zeros(2))
    np.savez("none.npz")
    some = port("f64", 2)
    assert refused("a.npz", some) == (
        "a.npz: error[no-such-array]: there is no array 'p' in this file\n"
        "  hint: it holds image, mask; name one, as in a.npz:image"
    )
    assert refused("a.npz:imag", some).endswith("no array 'imag' in this file\n  hint: did you mean 'image'?")
    assert refused("a.npz:x", some).endswith("no array 'x' in this file\n  hint: it holds image, mask")
    assert refused("none.npz", some).endswith("no array 'p' in this file\n  hint: it holds no array")
    assert refused("a.npz:mask", port("f64", 3)).startswith(
        "a.npz: error[shape-mismatch]: expected 3 (port p: f64[3]), found 2"
    )
    assert refused("gone.npz", some) == "gone.npz: error[cannot-read]: there is no such file"


def test_damaged_archives() -> None:
    np.savez("a.npz", p=np.zeros(100))
    whole = Path("a.npz").read_bytes()
    flipped = bytearray(whole)
    flipped[300] ^= 1
    with zipfile.ZipFile("text.npz", "w") as archive:
        archive.writestr("p.npy", b"no array")
    np.savez("object.npz", p=np.array([{}], dtype=object))
    Path("cut.npz").write_bytes(whole[:-40])
    Path("flip.npz").write_bytes(flipped)
    Path("empty.npz").write_bytes(b"")
    for name in ("text.npz", "object.npz", "cut.npz", "flip.npz", "empty.npz"):
        wanted = port("f64", 1) if name == "object.npz" else port("f64", 100)
        assert refused(name, wanted) == f"{name}: error[cannot-read]: this is damaged, or no .npz file of numbers"


def test_frames_are_taken_by_name_and_from_the_start() -> None:
    for number in (2, 10, 1):
        Image.fromarray(np.full((2, 3), number, np.uint8)).save(f"f{number:02}.png")
    wanted = port("i16", None, 2, 3)
    assert read("f*.png", wanted).array[:, 0, 0].tolist() == [1, 2, 10]
    assert read("f0?.png", wanted).array[:, 0, 0].tolist() == [1, 2]
    assert read("f*.png", wanted, frames=2).array[:, 0, 0].tolist() == [1, 2]
    assert read("f*.png", wanted).bits == 8
    assert refused("f*.png", wanted, frames=4) == (
        "f*.png: error[too-few-frames]: --frames 4 asks for more frames than the 3 here of input 'p'\n"
        "  hint: without --frames all of them are taken"
    )
    assert refused("g*.png", wanted) == "g*.png: error[cannot-read]: no file has such a name"
    assert refused("f*.png", port("i16", 3, 2, 3)) == (
        "f*.png: error[no-frames-here]: several images are the frames of a dimension *, and port p: i16[3, 2, 3] "
        "has none\n  hint: name a single file"
    )


def test_every_frame_has_the_shape_of_the_port() -> None:
    Image.fromarray(np.zeros((2, 3), np.uint8)).save("f1.png")
    Image.fromarray(np.zeros((2, 4), np.uint8)).save("f2.png")
    assert refused("f*.png", port("u8", None, 2, 3)).startswith(
        "f2.png: error[shape-mismatch]: expected * x 2 x 3 (port p: u8[*, 2, 3]), found 2 x 2 x 4"
    )


def test_a_file_may_have_the_signs_of_a_pattern_in_its_name() -> None:
    Image.fromarray(np.zeros((2, 3), np.uint8)).save("f[1].png")
    assert read("f[1].png", port("u8", 2, 3)).array.shape == (2, 3)


def test_the_first_frames_of_arrays() -> None:
    np.save("a.npy", np.arange(12.0).reshape(2, 6))
    assert read("a.npy", port("f64", 2, None), frames=2).array.tolist() == [[0, 1], [6, 7]]
    assert read("a.npy", port("f64", None, 6), frames=1).array.tolist() == [[0, 1, 2, 3, 4, 5]]
    assert "too-few-frames" in refused("a.npy", port("f64", None, 6), frames=3)


def test_frames_written_and_other_outputs_keep_their_own_files() -> None:
    array = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    done = write(("o%d.png", port("u8", None, 2, 3), array), ("a.npy", port("u8", None, 2, 3), array))
    assert [(one.files, one.bits) for one in done] == [(2, 8), (None, None)]
    assert np.array_equal(np.array(Image.open("o1.png")), array[1])
    before = sorted(Path().iterdir())
    both = ("o%d.png", port("u8", None, 2, 3), array), ("o1.png", port("u8", 2, 3, name="q"), array[0])
    assert told(lambda: write(*both)) == (
        "o1.png: error[same-file]: outputs 'p' and 'q' would both be written to this file\n"
        "  hint: give each its own file"
    )
    twice = ("a.npz", port("u8", name="x"), array[0, 0, 0]), ("./a.npz:x", port("u8", name="y"), array[0, 0, 0])
    assert "outputs 'x' and 'y' would both be written to this file" in told(lambda: write(*twice))
    assert "no-frames-here" in told(lambda: write(("o%d.png", port("u8", 2, 3), array[0])))
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("third", ["gone/c.npy", "folder"])
def test_nothing_is_written_when_the_third_of_three_cannot_be(third: str) -> None:
    Path("folder.npy").mkdir()
    Path("a.npy").write_bytes(b"before")
    name = third if third.endswith(".npy") else "folder.npy"
    some = np.zeros(2, np.uint8)
    named = [(file, port("u8", 2, name=letter), some) for file, letter in (("a.npy", "a"), ("b.npz", "b"), (name, "c"))]
    assert "error[cannot-write]" in told(lambda: write(*named))
    assert Path("a.npy").read_bytes() == b"before"
    assert sorted(path.name for path in Path().iterdir()) == ["a.npy", "folder.npy"]


@pytest.mark.parametrize("raised", [PermissionError(13, "Permission denied"), KeyboardInterrupt()], ids=repr)
def test_what_was_replaced_comes_back_where_the_third_cannot_be(
    raised: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.npy").write_bytes(b"before")
    Path("c.npy").write_bytes(b"old")
    replace = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if target.name == "c.npy" and "-old" not in self.name:
            raise raised
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    some = np.zeros(2, np.uint8)
    with pytest.raises((ArrayolError, KeyboardInterrupt)):
        write(*((f"{name}.npy", port("u8", 2, name=name), some) for name in "abc"))
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == {"a.npy": b"before", "c.npy": b"old"}


def test_ramps_wrap_as_their_type_does() -> None:
    assert ramp(ElementType.U8, (2, 150)).ravel().tolist() == [*range(256), *range(44)]
    assert ramp(ElementType.I8, (130,)).tolist() == [*range(128), -128, -127]
    assert ramp(ElementType.BOOL, (3,)).tolist() == [False, True, False]
    assert ramp(ElementType.C64, (1, 3)).tolist() == [[0, 1, 2]]
    assert ramp(ElementType.U16, (70_000,))[-1] == 69_999 - 65_536
    assert ramp(ElementType.F64, (600_000,))[-1] == 599_999
    assert ramp(ElementType.I32, ()).tolist() == 0


def test_random_values_are_those_of_the_generators_words() -> None:
    words = np.random.PCG64(7).random_raw(600_000)
    assert np.array_equal(noise(ElementType.F64, (600_000,), 7), np.random.default_rng(7).random(600_000))
    assert np.array_equal(noise(ElementType.F32, (2, 3), 7), ((words[:6] >> 40) / 2**24).reshape(2, 3))
    assert np.array_equal(noise(ElementType.U8, (500,), 7), words[:500] >> 56)
    assert np.array_equal(noise(ElementType.I64, (500,), 7), words[:500] >> 56)
    assert np.array_equal(noise(ElementType.I8, (500,), 7), words[:500] >> 57)
    assert np.array_equal(noise(ElementType.BOOL, (500,), 7), words[:500] >> 63)
    parts = noise(ElementType.C128, (4,), 7)
    assert np.array_equal(np.stack([parts.real, parts.imag], 1).ravel(), np.random.default_rng(7).random(8))
    assert noise(ElementType.U8, (4,), 1).tolist() == [131, 243, 36, 242]


@pytest.mark.parametrize("element", sorted(NUMPY_TYPES))
def test_random_values_fill_their_range(element: ElementType) -> None:
    values = noise(element, (40, 50), 3)
    top = {"bool": 1, "i8": 127}.get(element, 255 if element.is_integer else 1)
    assert values.dtype == DTYPES[element]
    assert values.real.min() < 0.01 * top
    assert 0.99 * top < values.real.max() <= top
    assert abs(values.real.mean() / top - 0.5) < 0.05


NAN = np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)


@pytest.mark.parametrize(
    ("got", "expected", "found"),
    [
        (np.array([1.0, NAN[0]]), np.array([1.0, NAN[1]]), None),
        (np.array([0.0, 2.0]), np.array([-0.0, 2.5]), Difference((0,), 0.0, -0.0, 2, 0.5)),
        (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [9, 0]]), Difference((1, 0), 3, 9, 2, 6)),
        (np.array([-128], "i1"), np.array([127], "i1"), Difference((0,), -128, 127, 1, 255)),
        (np.array([0], "u8"), np.array([2**64 - 1], "u8"), Difference((0,), 0, 2**64 - 1, 1, 2**64 - 1)),
        (np.array([-(2**63)]), np.array([2**63 - 1]), Difference((0,), -(2**63), 2**63 - 1, 1, 2**64 - 1)),
        (np.array([True, False]), np.array([True, True]), Difference((1,), False, True, 1, None)),
        (np.array([1.0, np.nan]), np.array([4.0, 2.0]), Difference((0,), 1.0, 4.0, 2, 3.0)),
        (np.array([2.0, np.nan]), np.array([2.0, 2.0]), Difference((1,), np.nan, 2.0, 1, None)),
        (np.array([1 + 1j, 3 + 4j]), np.array([1 + 1j, 0j]), Difference((1,), 3 + 4j, 0j, 1, 5.0)),
        (np.array([np.inf]), np.array([1.0]), Difference((0,), np.inf, 1.0, 1, np.inf)),
        (np.array(3), np.array(4), Difference((), 3, 4, 1, 1)),
    ],
)
def test_differences(got: NDArray[Any], expected: NDArray[Any], found: Difference | None) -> None:
    assert _same(find_difference(got, expected), found)


def _same(one: Difference | None, other: Difference | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.index, str(one.got), str(one.expected), one.count, one.largest) == (
        other.index,
        str(other.got),
        str(other.expected),
        other.count,
        other.largest,
    )


def test_clipped_and_missing_values_are_counted_over_all_parts_and_frames() -> None:
    values = np.zeros((2, 3, 200_000), np.float32)
    values[0, 0, :2], values[0, 2, :3], values[1, 1, :4] = -1, np.nan, 256
    values[1, 0, 0] = values[0, 0, 5] = np.nan
    (done,) = write(("o%d.png", port("f32", None, 3, 200_000), values))
    assert (done.files, done.clipped, done.missing) == (2, 6, 5)


def test_a_difference_far_into_an_array() -> None:
    one = np.zeros((3, 300_000), np.uint8)
    other = one.copy()
    other[1, 299_999], other[2, 5] = 3, 200
    found = find_difference(one, other)
    assert found == Difference((1, 299_999), 0, 3, 2, 200)


def against(name: str, wanted: Port, got: NDArray[Any]) -> str:
    found = compare(wanted, got, FileSource(Path(name)), {})
    return "equal" if found is None else f"{found.file}: {found.code}: {found.message}"


def test_a_comparison_says_the_first_difference() -> None:
    np.save("a.npy", np.array([[1.0, 2.5], [3.0, 4.0]], np.float32))
    got = np.array([[1.0, 2.0], [3.0, 5.0]], np.float32)
    assert against("a.npy", port("f32", 2, 2), got) == (
        "a.npy: output-differs: output 'p' differs at [0, 1]: got 2.0, expected 2.5; 2 of 4 values differ, by at most 1"
    )
    np.save("c.npy", np.float32(0.1))
    assert "got 0.2, expected 0.1; 1 of 1 values differ, by at most 0.1" in against(
        "c.npy", port("f32"), np.array(0.2, "f4")
    )
    np.save("b.npy", np.bool_(True))
    assert against("b.npy", port("bool"), np.array(False)) == (
        "b.npy: output-differs: output 'p' differs: got False, expected True; 1 of 1 values differ"
    )
    assert told(lambda: against("a.npy", port("f32", None, 2), got[:1])) == (
        "a.npy: error[shape-mismatch]: output 'p' is 1 x 2, and this is 2 x 2"
    )


def test_an_image_is_compared_as_it_would_be_written() -> None:
    values = np.array([[0.4, 254.6, 300.0, np.nan]], np.float32)
    wanted = port("f32", 1, 4)
    write(("a.png", wanted, values))
    write(("b.png", wanted, values), bits=16)
    assert against("a.png", wanted, values) == against("b.png", wanted, values) == "equal"
    assert against("b.png", wanted, values - 1) == (
        "b.png: output-differs: output 'p' differs at [0, 1]: got 254, expected 255; 2 of 4 pixels differ, by at most 1"
    )
    ones = np.array([[True, False]])
    write(("c.png", port("bool", 1, 2), ones))
    assert against("c.png", port("bool", 1, 2), ones) == "equal"
    assert "got 255, expected 1" in against("c.png", port("u8", 1, 2), ones * np.uint8(255))


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
@pytest.mark.parametrize("held", ["f4", "u1"])
def test_reading_takes_the_memory_of_one_array(name: str, held: str) -> None:
    array = np.zeros((1000, 2000), held)
    (np.save if name == "a.npy" else lambda path, values: np.savez(path, p=values))(name, array)
    wanted = port("f32", 1000, 2000)
    del array
    peak, found = peak_of(lambda: read(name, wanted).array)
    assert peak < found.nbytes * (1.2 if held == "f4" else 1.7)


def test_writing_an_image_of_floats_takes_little_more_than_its_pixels() -> None:
    values = np.random.default_rng(1).random((1000, 2000)) * 255
    wanted = port("f64", 1000, 2000)
    peak, _ = peak_of(lambda: write(("a.png", wanted, values)))
    assert peak < values.nbytes
    values, wanted = np.zeros((1000, 5000)), port("f64", 1000, 5000)
    peak, _ = peak_of(lambda: write(("a.npy", wanted, values), ("a.npz", wanted, values)))
    assert peak < values.nbytes / 2


def peak_of(action: Callable[[], Any]) -> tuple[int, Any]:
    tracemalloc.start()
    found = action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, found
