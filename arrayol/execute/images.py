"""PNG images: grey of 1 to 16 bits as (row, column), 8-bit colour with its channels as the last axis; never scaled.

Several images are the frames of an infinite dimension.
"""

from __future__ import annotations

import re
import struct
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from arrayol.errors import error
from arrayol.execute.arrays import blocks
from arrayol.files import MOST_DATA_BYTES, opened, read_bytes
from arrayol.ir.spec import Port
from arrayol.ir.types import ElementType, Kind

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY, _RGB, _PALETTE, _GREY_ALPHA, _RGBA = 0, 2, 3, 4, 6  # colour types of the PNG standard
_CHANNELS = {_RGB: 3, _PALETTE: 3, _GREY_ALPHA: 2, _RGBA: 4}
_MODES = {_RGB: "RGB", _PALETTE: "RGB", _GREY_ALPHA: "LA", _RGBA: "RGBA"}
_WRITTEN_CHANNELS = (3, 4)


@dataclass(frozen=True, slots=True)
class _Header:
    width: int
    height: int
    bits: int
    colour: int


def read_png(path: Path, rank: int, check: Callable[[tuple[int, ...]], None]) -> tuple[NDArray[Any], int | None]:
    """The pixels of an image, and the bits of each where it is grey.

    A bilevel image gives bool, other grey ones u8 or u16 (of 2 and 4 bits: 0 to 3 and 0 to 15). An array of three
    axes takes the channels of a colour image as its last. `check` is called with the shape before anything is
    decoded. Raises ArrayolError (`cannot-read`, `colour-image`); OSError where the system refuses.
    """
    header = _header(path)
    is_grey = header.colour == _GREY
    if not is_grey and rank != 3:
        raise error(
            "colour-image",
            "this image has colour or an alpha channel, and the port takes grey values",
            file=str(path),
            hint="convert it to grey first, or give the port a last axis for the channels",
        )
    if not is_grey and header.bits == 16:
        message = "this is a colour image of 16 bits for each channel, which is not read"
        raise error("colour-image", message, file=str(path), hint="save the array as .npy instead")
    check((header.height, header.width, *(() if is_grey else (_CHANNELS[header.colour],))))
    pixels = _decode(path, None if is_grey else _MODES[header.colour])
    return (_unscaled(pixels, header.bits), header.bits) if is_grey else (pixels, None)


def _header(path: Path) -> _Header:
    with opened(path) as file:
        start = file.read(26)
    if start[:8] != _SIGNATURE or len(start) < 26 or start[12:16] != b"IHDR":
        raise error("cannot-read", "this is damaged, or no PNG image", file=str(path))
    return _Header(*struct.unpack(">IIBB", start[16:26]))


def _decode(path: Path, mode: str | None) -> NDArray[Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # its size is what the port asks for
            data = BytesIO(
                read_bytes(path, MOST_DATA_BYTES)
            )  # of a file, Pillow would make room for what a damaged length says
            with Image.open(data, formats=["PNG"]) as image:
                pixels: NDArray[Any] = np.array(image if mode is None else image.convert(mode))
                return pixels
    except Image.DecompressionBombError:
        message = "this image is larger than is decoded"
        raise error("cannot-read", message, file=str(path), hint="save the array as .npy instead") from None
    except (OSError, SyntaxError, ValueError, EOFError, struct.error) as reason:
        # Pillow raises OSError without a number for a damaged file, others for what its decoder trips over.
        if isinstance(reason, OSError) and reason.errno is not None:
            raise
        raise error("cannot-read", "this PNG image is damaged", file=str(path)) from None


def _unscaled(pixels: NDArray[Any], bits: int) -> NDArray[Any]:
    """Pillow stretches 2 and 4 bits to 0..255, and may give 16 bits as i32."""
    if bits == 16:
        return pixels.astype(np.uint16, copy=False)
    levels: NDArray[Any] = pixels // (255 // (2**bits - 1)) if bits in (2, 4) else pixels
    return levels


def check_writable(path: Path, element: ElementType, shape: tuple[int | None, ...]) -> None:
    """Raises ArrayolError (`no-image`) for an array that is no image."""
    grey, colour = len(shape) == 2, len(shape) == 3 and shape[2] in _WRITTEN_CHANNELS
    if element.kind is Kind.COMPLEX or not (grey or colour):
        what = "complex numbers" if element.kind is Kind.COMPLEX else f"an array of rank {len(shape)}"
        raise error("no-image", f"{what} cannot be written as an image", file=str(path), hint="write an .npy file")


def bits_for(element: ElementType, rank: int, input_bits: int | None) -> int:
    """Bits of a pixel: bool 1, u8 and i8 8, u16 16; others 16 where an input image had 16, else 8. Colour has 8."""
    if rank == 3:
        return 8
    if element is ElementType.BOOL:
        return 1
    if element.stored_bits == 8:
        return 8
    is_wide = element.kind is Kind.UNSIGNED and element.stored_bits == 16
    return 16 if is_wide or input_bits == 16 else 8


def pixels_of(array: NDArray[Any], bits: int) -> tuple[NDArray[Any], int, int]:
    """Pixels, rounded half to even and clipped to their range, the number clipped, and that of NaN (written as 0)."""
    if array.dtype == bool:
        return (array, 0, 0) if bits == 1 else (array.astype(np.uint8), 0, 0)
    top, clipped, missing = 2**bits - 1, 0, 0
    pixels = np.empty(array.shape, np.uint16 if bits == 16 else np.uint8)
    for _, index in blocks(array.shape):
        part = array[index]
        rounded = np.rint(part) if array.dtype.kind == "f" else part
        unknown = np.isnan(rounded)
        clipped += int(np.count_nonzero((rounded < 0) | (rounded > top)))
        missing += int(np.count_nonzero(unknown))
        pixels[index] = np.where(unknown, 0, np.clip(rounded, 0, top))
    return pixels, clipped, missing


def write_png(path: Path, pixels: NDArray[Any]) -> None:
    """Write pixels: bool, u8 or u16 as grey, u8 with three or four channels as colour."""
    Image.fromarray(np.ascontiguousarray(pixels)).save(path, format="PNG")


# Frames of an infinite dimension as PNG images, one file each.

_NUMBER = re.compile(r"%(0[1-9])?d")


def is_pattern(path: Path) -> bool:
    """Whether a name stands for several images to read: it has *, ? or [ and is no file's own name."""
    return path.suffix.lower() == ".png" and any(sign in path.name for sign in "*?[") and not path.exists()


def is_numbered(path: Path) -> bool:
    """Whether a name stands for several images to write: it has one place for the number of a frame, as %04d."""
    return path.suffix.lower() == ".png" and len(_NUMBER.findall(path.name)) == 1


def matching(pattern: Path) -> list[Path]:
    """The files of a pattern, sorted by name. Raises ArrayolError (`cannot-read`) where there is none."""
    paths = sorted(path for path in pattern.parent.glob(pattern.name) if not path.name.startswith("."))
    if not paths:
        raise error("cannot-read", "no file has such a name", file=str(pattern))
    return paths


def numbered(path: Path, count: int) -> list[Path]:
    """The files of a numbered name, for frames 0 to count - 1."""
    place = _NUMBER.search(path.name)
    assert place is not None
    before, after = path.name[: place.start()], path.name[place.end() :]
    return [path.with_name(f"{before}{place[0] % frame}{after}") for frame in range(count)]


def frame_axis(path: Path, port: Port, shown: str) -> int:
    """The infinite dimension of a port. Raises ArrayolError (`no-frames-here`) where it has none."""
    if None not in port.shape:
        message = f"several images are the frames of a dimension *, and port {shown} has none"
        raise error("no-frames-here", message, file=str(path), hint="name a single file")
    return port.shape.index(None)


def without_axis(shape: Sequence[int | None], axis: int) -> tuple[int | None, ...]:
    """A shape without one of its dimensions."""
    return (*shape[:axis], *shape[axis + 1 :])
