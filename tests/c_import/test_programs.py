"""C as engineers write it: gcc's program and the specification that is imported from it give the same bits."""

from __future__ import annotations

import shutil
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from drawn_programs import Program, program
from judged_programs import library_of, problem_of
from many_cases import case_count

from arrayol.c_import.import_c import import_source
from arrayol.source import SourceFile

pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed"),
    pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value", "ignore:divide by zero"),
]
GROUPS = case_count(10)
EACH = 5  # programs of a group, compiled together
FEATURES = 200


@cache
def drawn(group: int) -> list[Program]:
    return [program(f"f{number}", number) for number in range(group * EACH, (group + 1) * EACH)]


@pytest.mark.parametrize("group", range(GROUPS))
def test_drawn_programs(group: int, tmp_path: Path) -> None:
    programs = drawn(group)
    library = library_of(programs, tmp_path)
    for one in programs:
        problem = problem_of(one, library, group)
        assert problem is None, f"{problem}\n{one.text}"


def test_every_feature_is_drawn() -> None:
    programs = [program(f"f{number}", number) for number in range(FEATURES)]
    counts = Counter(feature for one in programs for feature in one.features)
    assert len(counts) > 45
    assert min(counts.values()) >= FEATURES / 20, counts.most_common()[-5:]


def test_what_is_handed_on_becomes_delays() -> None:
    """Scans of scalars, an integral image, a distance, filters in sections have no body around their loops."""
    texts = {
        "sum": "void f(int x[9], int y[9]) { int s = 0; for (int i = 0; i < 9; i++) { s += x[i]; y[i] = s; } }",
        "image": "void f(int x[5][6], int y[5][6]) { for (int i = 0; i < 5; i++) { int s = 0; for (int"
        " j = 0; j < 6; j++)"
        " { s += x[i][j]; y[i][j] = s + (i > 0 ? y[i - 1][j] : 0); } } }",
        "biquad": "void f(float x[9], float y[9]) { float a = 0, b = 0; for (int n = 0; n < 9; n++)"
        " { y[n] = x[n] + a; a = b - 0.5f * y[n]; b = 0.25f * y[n]; } }",
        "distance": "void f(char a[6], char b[5], int d[6][7]) { for (int j = 1; j < 6; j++) for (int i"
        " = 1; i < 7; i++) {"
        " int best = d[j-1][i-1] + (a[i-1] != b[j-1]); if (d[j-1][i] + 1 < best) best = d[j-1][i] + 1;"
        " if (d[j][i-1] + 1 < best) best = d[j][i-1] + 1; d[j][i] = best; } }",
        "sections": "void f(const float x[9], float y[9], const float k[3][2]) { float w[3][2] = {{0}};"
        " for (int n = 0; n < 9; n++) { float v = x[n]; for (int s = 0; s < 3; s++) {"
        " float t = v - k[s][0] * w[s][0] - k[s][1] * w[s][1]; v = t + w[s][1]; w[s][1] = w[s][0]; w[s][0] = t; }"
        " y[n] = v; } }",
        "clamped state": "void f(const short x[9], unsigned char y[9]) { int p = 0, k = 0; for (int n = 0; n < 9; n++)"
        " { int d = x[n] - p; k += d > 0 ? 1 : -1; if (k < 0) k = 0; if (k > 7) k = 7; p += d >> (k & 7);"
        " y[n] = k; } }",
    }
    for name, text in texts.items():
        imported = import_source(SourceFile("f.c", text))
        assert [bool(stage.delays) for stage in imported.stages] == [True], name


def test_a_shift_register_is_a_window() -> None:
    text = """void f(const int x[20], const int c[4], int y[20]) {
      int taps[4] = {0};
      for (int n = 0; n < 20; n++) {
        for (int k = 3; k > 0; k--) taps[k] = taps[k - 1];
        taps[0] = x[n];
        int sum = 0;
        for (int k = 0; k < 4; k++) sum += taps[k] * c[k];
        y[n] = sum;
      }
    }"""
    imported = import_source(SourceFile("f.c", text))
    (stage,) = imported.stages
    assert (len(stage.axes), stage.delays) == (1, {})
    assert "x <- x at origin [-3]  paving [1]  fitting [1] else 0" in imported.text
    assert " if " not in imported.text  # taps that nothing has come to are zeros of the border


def test_ap_int_says_what_it_is_taken_for() -> None:
    text = (
        "#include <ap_int.h>\nvoid f(ap_uint<8> x[4], ap_int<16> y[4]) { for (int i = 0; i < 4; i++) y[i] = x[i] * 3; }"
    )
    imported = import_source(SourceFile("f.cpp", text))
    assert [one.message.partition(":")[0] for one in imported.remarks()] == [
        "ap_int and ap_uint are computed as C's integers of their width"
    ]
