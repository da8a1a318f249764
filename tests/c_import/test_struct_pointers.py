"""A filter whose state and coefficients are structs by pointer: gcc's values, call after call."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import numpy as np
import pytest
from beside_gcc import Arrays, compiled

from arrayol import api
from arrayol.c_import.import_c import Choices, import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

BIQUAD = """\
typedef struct { float z1, z2; } state_t;
typedef struct { float b[3], a[2]; struct { float lo, hi; } ends; } factors_t;
void biquad(state_t *s, const factors_t *c, const float *x, float *y, int n) {
  while (n--) {
    float v = *x++, o = c->b[0] * v + s->z1;
    s->z1 = c->b[1] * v - c->a[0] * o + s->z2;
    s->z2 = c->b[2] * v - c->a[1] * o;
    *y++ = o < c->ends.lo ? c->ends.lo : o > c->ends.hi ? c->ends.hi : o;
  }
}
"""


class _State(ctypes.Structure):
    _fields_ = [("z1", ctypes.c_float), ("z2", ctypes.c_float)]


class _Factors(ctypes.Structure):
    _fields_ = [("b", ctypes.c_float * 3), ("a", ctypes.c_float * 2), ("ends", ctypes.c_float * 2)]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_filter_keeps_its_state(tmp_path: Path) -> None:
    imported = import_source(SourceFile("biquad.c", BIQUAD), Choices({"n": "24"}))
    function = compiled(BIQUAD, tmp_path).biquad
    b, a, ends = ([0.2, 0.4, 0.2], [-0.5, 0.25], [-0.75, 0.75])
    state, factors = _State(), _Factors((ctypes.c_float * 3)(*b), (ctypes.c_float * 2)(*a), (ctypes.c_float * 2)(*ends))
    ours: Arrays = {"s_z1_in": np.array(0, "f4"), "s_z2_in": np.array(0, "f4")}
    for frame in range(3):
        x = np.random.default_rng(frame).uniform(-1, 1, 24).astype("f4")
        y = np.zeros(24, "f4")
        arrays = (one.ctypes.data_as(ctypes.c_void_p) for one in (x, y))
        function(ctypes.byref(state), ctypes.byref(factors), *arrays, 24)
        given = {**ours, "c_b": np.array(b, "f4"), "c_a": np.array(a, "f4"), "x": x}
        given |= {"c_ends_lo": np.array(ends[0], "f4"), "c_ends_hi": np.array(ends[1], "f4")}
        found = api.run(imported.spec, given, top="biquad")
        assert np.array_equal(found["y"], y)
        assert [float(found["s_z1"]), float(found["s_z2"])] == [state.z1, state.z2]
        ours = {"s_z1_in": found["s_z1"], "s_z2_in": found["s_z2"]}
    assert any(stage.delays for stage in imported.stages)


IMAGES = """\
#include <stdint.h>
typedef struct { int w, h; int16_t gain; uint8_t *data; } image_t;
static int at(const image_t *image, int r, int c) { return image->data[r * image->w + c] * image->gain; }
void sloped(const image_t *src, image_t *dst) {
  image_t own = *dst;
  for (int r = 1; r < src->h; r++)
    for (int c = 0; c < src->w; c++)
      own.data[r * dst->w + c] = (uint8_t)((at(src, r, c) - at(src, r - 1, c)) >> 4);
}
"""


SIZES = {"src_w": "80", "src_h": "24", "dst_w": "80"}


class _Image(ctypes.Structure):
    _fields_ = [("w", ctypes.c_int), ("h", ctypes.c_int), ("gain", ctypes.c_int16), ("data", ctypes.c_void_p)]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_images_are_structs_with_sizes_and_a_pointer(tmp_path: Path) -> None:
    imported = import_source(SourceFile("images.c", IMAGES), Choices(SIZES, function="sloped"))
    pixels = np.random.default_rng(0).integers(0, 256, (24, 80), np.uint8)
    before = np.random.default_rng(1).integers(0, 256, (24, 80), np.uint8)
    gain, after = np.array(-7, np.int16), before.copy()
    src, dst = (_Image(80, 24, int(gain), one.ctypes.data) for one in (pixels, after))
    compiled(IMAGES, tmp_path).sloped(ctypes.byref(src), ctypes.byref(dst))
    given = {"src_data": pixels, "src_gain": gain, "dst_data_in": before}
    assert np.array_equal(api.run(imported.spec, given, top="sloped")["dst_data"], after)
    assert not any(stage.is_body for stage in imported.stages)


def test_a_size_in_a_struct_is_asked_for() -> None:
    with pytest.raises(ArrayolError, match="'src_h' is a size without a value") as refused:
        import_source(SourceFile("images.c", IMAGES), Choices({"src_w": "80", "dst_w": "80"}, function="sloped"))
    assert "give --set src_h=8" in str(refused.value.diagnostics[0].hint)
    with pytest.raises(ArrayolError, match="there is no const 'src_x' to set"):
        import_source(SourceFile("images.c", IMAGES), Choices({**SIZES, "src_x": "1"}, function="sloped"))
