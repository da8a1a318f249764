"""Arrays from files and into files."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from arrayol.errors import ArrayolError
from arrayol.execute.inputs import FileSource, InputArray, read_array
from arrayol.execute.outputs import Target, check_targets, write_arrays
from arrayol.ir.spec import Port
from arrayol.ir.types import ElementType
from arrayol.source import SourceFile, Span

TEXT = "p: f32[H, W]"


def port(element: str, *shape: int | None, text: str = TEXT) -> Port:
    return Port("p", ElementType(element), shape, Span(SourceFile("t.aol", text), 0, len(text)))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(name: str, wanted: Port, constants: Mapping[str, int], frames: int | None = None) -> InputArray:
    path, _, member = name.partition(":")
    return read_array(FileSource(Path(path), member or None), wanted, constants, frames)


def refused(name: str, wanted: Port, **constants: int) -> str:
    with pytest.raises(ArrayolError) as caught:
        read(name, wanted, constants)
    return str(caught.value)


def write(element: str, array: NDArray[Any], name: str = "o.png", bits: int | None = None) -> Any:
    return write_arrays([Target(Path(name), port(element, *array.shape))], {"p": array}, bits)[0]


@pytest.mark.parametrize(("element", "top"), [("u8", 255), ("u16", 65535)])
def test_grey_images_come_back(element: str, top: int) -> None:
    array = np.random.default_rng(1).integers(0, top + 1, (5, 7)).astype(f"u{1 if element == 'u8' else 2}")
    done = write(element, array)
    assert (done.bits, done.clipped, done.missing) == (int(element[1:]), 0, 0)
    for wanted in (element, "i32", "f32", "c128"):
        loaded = read("o.png", port(wanted, 5, 7), {})
        assert loaded.bits == done.bits
        assert np.array_equal(loaded.array, array)
        assert loaded.array.dtype.name == {"u8": "uint8", "u16": "uint16", "i32": "int32", "f32": "float32"}.get(
            wanted, "complex128"
        )


def test_truth_values_are_bilevel_images() -> None:
    array = np.arange(15).reshape(3, 5) % 2 == 0
    assert write("bool", array).bits == 1
    assert np.array_equal(read("o.png", port("bool", 3, 5), {}).array, array)


@pytest.mark.parametrize("channels", [3, 4])
def test_colours_are_the_last_axis(channels: int) -> None:
    array = np.random.default_rng(1).integers(0, 256, (4, 6, channels)).astype("u1")
    assert write("u8", array).bits == 8
    loaded = read("o.png", port("f32", 4, 6, channels), {})
    assert loaded.bits is None
    assert np.array_equal(loaded.array, array)


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_grey_levels_of_few_bits_are_not_stretched(bits: int) -> None:
    levels = np.arange(2**bits, dtype=np.uint8)
    packed = np.packbits(((levels[:, None] >> np.arange(bits)[::-1]) & 1).ravel()).tobytes()
    Path("i.png").write_bytes(png(2**bits, 1, bits, 0, b"\0" + packed))
    assert read("i.png", port("u8", 1, 2**bits), {}).array.tolist() == [levels.tolist()]


def png(width: int, height: int, bits: int, colour: int, raw: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def test_values_are_rounded_half_to_even_clipped_and_counted() -> None:
    values = np.array([[-0.5, 0.5, 1.5, 254.5, 255.49], [-0.51, 255.5, 1e30, -np.inf, np.nan]], "f4")
    done = write("f32", values)
    assert (done.bits, done.clipped, done.missing) == (8, 4, 1)
    assert read("o.png", port("u8", 2, 5), {}).array.tolist() == [[0, 0, 2, 254, 255], [0, 255, 255, 0, 0]]


def test_floats_have_16_bits_where_an_input_had() -> None:
    done = write("f64", np.array([[0.0, 300.4, 65535.5, -1.0]]), bits=16)
    assert (done.bits, done.clipped) == (16, 2)
    assert read("o.png", port("u16", 1, 4), {}).array.tolist() == [[0, 300, 65535, 0]]


@pytest.mark.parametrize(("element", "bits"), [("i8", 8), ("i16", 16), ("i32", 16), ("u64", 16), ("u8", 8)])
def test_integers_are_clipped_too(element: str, bits: int) -> None:
    low, high = ElementType(element).integer_range
    array = np.array([[low, 0, 7, high]], f"{element[0]}{int(element[1:]) // 8}")
    done = write(element, array, bits=16)
    assert (done.bits, done.clipped) == (bits, int(low < 0) + int(high > 2**bits - 1))
    assert read("o.png", port("u16", 1, 4), {}).array.tolist() == [[0, 0, 7, min(high, 2**bits - 1)]]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3),
        np.arange(6, dtype=">f4").reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.ones((2, 3), bool),
        np.array([[np.nan, np.inf, -0.0]] * 2),
    ],
)
def test_npy_files_convert_where_nothing_is_lost(array: NDArray[Any]) -> None:
    np.save("a.npy", array)
    loaded = read("a.npy", port("f32", 2, 3), {}).array
    assert loaded.dtype == np.float32
    assert loaded.flags.c_contiguous
    assert np.array_equal(loaded, array, equal_nan=array.dtype.kind == "f")


@pytest.mark.parametrize(
    ("array", "element", "found"),
    [
        (np.array([1.0, 0.1]), "f32", "f64 with the value 0.1, which f32 does not hold"),
        (np.array([1, 256]), "u8", "i64 with the value 256, which u8 does not hold"),
        (np.array([-1, 2]), "u64", "i64 with the value -1, which u64 does not hold"),
        (np.array([1, 2**24 + 1]), "f32", "i64 with the value 16777217, which f32 does not hold"),
        (np.array([1, 2**63 - 1]), "f64", "i64 with the value 9223372036854775807, which f64 does not hold"),
        (np.array([1.0, 2.0]), "i32", "f64"),
        (np.array([1j, 2.0]), "f64", "c128"),
        (np.array(["a", "b"]), "f64", "str32"),
    ],
)
def test_what_would_change_is_refused(array: NDArray[Any], element: str, found: str) -> None:
    np.save("a.npy", array)
    assert refused("a.npy", port(element, 2)) == (
        f"a.npy: error[type-mismatch]: expected {element} (port p: {element}[2]), found {found}\n"
        f"  hint: convert it first, as numpy's astype('{np.dtype(DTYPE[element]).name}') does"
    )


DTYPE = {"f32": "f4", "f64": "f8", "u8": "u1", "u64": "u8", "i32": "i4"}


def test_an_image_with_greater_values_than_the_port_holds() -> None:
    Image.fromarray(np.array([[3, 200]], "u1")).save("i.png")
    assert refused("i.png", port("i8", 1, 2)).startswith(
        "i.png: error[type-mismatch]: expected i8 (port p: i8[1, 2]), "
        "found u8 with the value 200, which i8 does not hold"
    )


def test_another_shape_is_refused_with_the_settings_that_fit() -> None:
    np.save("a.npy", np.zeros((600, 800), "f4"))
    message = "a.npy: error[shape-mismatch]: expected 1080 x 1920 (port p: f32[1080, 1920]), found 600 x 800"
    hint = "\n  hint: to fit the port to this file: --set H=600 --set W=800"
    assert refused("a.npy", port("f32", 1080, 1920), H=1080, W=1920) == message + hint
    assert refused("a.npy", port("f32", 1080, 1920, text="p: f32[H, 2 * H]"), H=1080) == message
    assert refused("a.npy", port("f32", 1080, 1920, text="p: f32[H, H]"), H=1080) == message
    one = port("f32", 600, 1920, text="p: f32[600, W]")
    assert refused("a.npy", one, W=1920).endswith("\n  hint: to fit the port to this file: --set W=800")
    assert refused("a.npy", port("f32", None, 7, 8, text="p: f32[*, 7, 8]")) == (
        "a.npy: error[shape-mismatch]: expected * x 7 x 8 (port p: f32[*, 7, 8]), found 600 x 800"
    )
    assert refused("a.npy", port("f32", text="p: f32")).startswith(
        "a.npy: error[shape-mismatch]: expected a single value (port p: f32), found 600 x 800"
    )


def test_the_shape_is_refused_before_anything_is_decoded() -> None:
    Path("i.png").write_bytes(png(60000, 60000, 16, 0, b""))
    assert "found 60000 x 60000" in refused("i.png", port("u8", 4, 4))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("i.png", b"", "this is damaged, or no PNG image"),
        ("i.png", b"GIF89a" * 20, "this is damaged, or no PNG image"),
        ("i.png", png(4, 4, 8, 0, (b"\0abcd") * 4)[:-30], "this PNG image is damaged"),
        ("a.npy", b"", "this is damaged, or no .npy file of numbers"),
        ("a.npy", b"hello", "this is damaged, or no .npy file of numbers"),
        ("a.npy", b"\x93NUMPY\x01\x00\x06\x00{'a':\n", "this is damaged, or no .npy file of numbers"),
    ],
)
def test_damaged_files(name: str, content: bytes, said: str) -> None:
    Path(name).write_bytes(content)
    assert refused(name, port("u8", 4, 4)) == f"{name}: error[cannot-read]: {said}"


def test_python_objects_and_archives_are_no_arrays() -> None:
    np.save("a.npy", np.array([{}, []], dtype=object), allow_pickle=True)
    assert refused("a.npy", port("u8", 2)) == "a.npy: error[cannot-read]: this is damaged, or no .npy file of numbers"
    np.savez("b.npz", x=np.zeros(2))
    Path("b.npz").rename("a.npy")
    assert refused("a.npy", port("u8", 2)) == "a.npy: error[cannot-read]: this is damaged, or no .npy file of numbers"


def test_a_truncated_array() -> None:
    np.save("a.npy", np.zeros(100))
    Path("a.npy").write_bytes(Path("a.npy").read_bytes()[:-8])
    assert "error[cannot-read]: this is damaged" in refused("a.npy", port("f64", 100))


def test_what_is_no_file() -> None:
    Path("folder.png").mkdir()
    Path("a.npy").write_bytes(b"")
    some = port("u8", 4, 4)
    assert refused("folder.png", some) == "folder.png: error[cannot-read]: this is a folder, not a file"
    assert refused("gone.png", some) == "gone.png: error[cannot-read]: there is no such file"
    assert refused("gone.npy", some) == "gone.npy: error[cannot-read]: there is no such file"
    assert refused("a.npy/b.npy", some) == "a.npy/b.npy: error[cannot-read]: this cannot be read: Not a directory"
    assert refused("i.jpg", some) == (
        "i.jpg: error[unknown-format]: arrays are read from and written to .png, .npy and .npz files, not '.jpg'\n"
        "  hint: numpy.save writes .npy files, and most image programs .png"
    )


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "LA"])
def test_colour_for_a_grey_port(mode: str) -> None:
    Image.new(mode, (4, 4)).save("i.png")
    assert refused("i.png", port("u8", 4, 4)) == (
        "i.png: error[colour-image]: this image has colour or an alpha channel, and the port takes grey values\n"
        "  hint: convert it to grey first, or give the port a last axis for the channels"
    )


def test_colour_of_16_bits() -> None:
    Path("i.png").write_bytes(png(1, 1, 16, 2, b"\0abcdef"))
    assert refused("i.png", port("u8", 1, 1, 3)) == (
        "i.png: error[colour-image]: this is a colour image of 16 bits for each channel, which is not read\n"
        "  hint: save the array as .npy instead"
    )


@pytest.mark.parametrize(
    ("wanted", "what"),
    [
        (port("c64", 4, 4), "complex numbers"),
        (port("f32", 4), "an array of rank 1"),
        (port("f32", 4, 4, 5), "an array of rank 3"),
    ],
)
def test_arrays_that_are_no_images(wanted: Port, what: str) -> None:
    with pytest.raises(ArrayolError) as caught:
        check_targets([Target(Path("o.png"), wanted)])
    assert str(caught.value) == (
        f"o.png: error[no-image]: {what} cannot be written as an image\n  hint: write an .npy file"
    )
