"""C as engineers write it: gcc's program and the specification that is imported from it give the same bits."""

from __future__ import annotations

import shutil
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from beside_gcc import Arrays, compiled, first_difference
from drawn_programs import Program, program
from judged_programs import library_of, problem_of
from many_cases import case_count

from arrayol.c_import.import_c import Choices, import_source
from arrayol.source import SourceFile

pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed"),
    pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value", "ignore:divide by zero"),
]
GROUPS = case_count(10)
EACH = 5  # programs of a group, compiled together
FEATURES = 60

CONSTRUCTS = {  # by name: a function f of x, y (int), u (uint8_t), v (float), each of 12
    "negative quotient": "for (int i = 0; i < 12; i++) y[i] = (x[i] - 50) / 7 + (x[i] - 50) % 7;",
    "quotient by data": "for (int i = 0; i < 12; i++) y[i] = (x[i] - 50) / ((x[i] & 3) - 7);",
    "shift of a negative": "for (int i = 0; i < 12; i++) y[i] = (x[i] - 60) >> 3 | (x[i] - 60) << 2;",
    "small types wrap": "for (int i = 0; i < 12; i++) { u[i] += 200; y[i] = (int8_t)(x[i] * 3); }",
    "unsigned iterator": "for (unsigned i = 0; i < 12; i++) y[i] = x[i] - 50 < i;",
    "downwards": "for (int i = 11; i > 0; i--) y[i] = x[i - 1];",
    "every other": "for (int i = 0; i < 12; i += 2) { y[i] = x[i]; y[i + 1] = -x[i]; }",
    "carried sum": "int s = 3; for (int i = 0; i < 12; i++) { s += x[i]; y[i] = s; }",
    "low-pass": "float z = 0; for (int i = 0; i < 12; i++) { z = 0.5f * z + v[i]; v[i] = z; }",
    "two states": "float a = 0, b = 0; for (int i = 0; i < 12; i++) { float t = v[i] + a; a = b - t *"
    " 0.5f; b = t; v[i] = t; }",
    "largest and where": "int best = x[0], at = 0; for (int i = 1; i < 12; i++) if (x[i] > best) { best"
    " = x[i]; at = i; } y[0] = at;",
    "exchange": "for (int i = 0; i < 11; i++) if (y[i] > y[i + 1]) { int t = y[i]; y[i] = y[i + 1]; y[i + 1] = t; }",
    "border": "for (int i = 0; i < 12; i++) y[i] = (i > 0 ? x[i - 1] : 0) + (i < 11 ? x[i + 1] : 0);",
    "clamped": "for (int i = 0; i < 12; i++) { int p = i - 2 < 0 ? 0 : i - 2; y[i] = x[p]; }",
    "else": "for (int i = 0; i < 12; i++) { if (i == 0 || i == 11) y[i] = 0; else if (x[i] & 1) y[i] ="
    " 1; else y[i] = 2; }",
    "parity": "for (int i = 0; i < 12; i++) { if (i % 3 == 1) y[i / 3] = x[i]; }",
    "rows of one array": "for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) y[i * 4 + j] = x[(2 -"
    " i) * 4 + 3 - j];",
    "pointers": "int *p = x, *q = y + 11; for (int i = 0; i < 12; i++) *q-- = *p++;",
    "counter": "int k = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) y[k++] = x[i * 3 + j];",
    "histogram": "for (int i = 0; i < 12; i++) y[u[i] % 12]++;",
    "table": "static const int t[4] = {3, -1, 4, 0x10}; for (int i = 0; i < 12; i++) y[i] = t[i & 3] * t[u[i] & 3];",
    "registers": "int r[3] = {0}; for (int i = 0; i < 12; i++) { r[2] = r[1]; r[1] = r[0]; r[0] = x[i];"
    " y[i] = r[0] - r[2]; }",
    "sorted three": "int r[3]; for (int i = 1; i < 11; i++) { for (int k = 0; k < 3; k++) r[k] = x[i - 1 + k];"
    " if (r[0] > r[1]) { int t = r[0]; r[0] = r[1]; r[1] = t; } if (r[1] > r[2]) { int t = r[1]; r[1] = r[2]; r[2] = t;"
    " }"
    " if (r[0] > r[1]) { int t = r[0]; r[0] = r[1]; r[1] = t; } y[i] = r[1]; }",
    "kept": "static int n = 5; for (int i = 0; i < 12; i++) { n = n * 3 + x[i]; y[i] = n; }",
    "kept counter": "static unsigned char n; y[0] = n; n += 100;",
    "copies": "memcpy(y, x, sizeof(int) * 12); memset(x, 0, sizeof(int) * 4);",
    "shadowed": "int t = 7; for (int i = 0; i < 12; i++) { int t = x[i]; { int i = t; y[0] = i; } y[i]"
    " = t; } y[1] = t;",
    "conversions": "for (int i = 0; i < 12; i++) { v[i] = x[i] / 3 * 0.5 + u[i]; y[i] = (int)(u[i] * 0.3f); }",
    "nested sums": "for (int i = 0; i < 3; i++) { int s = 0; for (int j = 0; j < 4; j++) for (int k = 0; k < 2; k++)"
    " s += x[i + j] * y[j + k]; u[i] = s; }",
    "extremes": "for (int i = 0; i < 12; i++) v[i] = fmaxf(fminf(v[i], 2.0f), -1.0f) + fabsf(v[i]);",
}
STATES: dict[str, Arrays] = {"kept": {"n": np.array(5, "i4")}, "kept counter": {"n": np.array(0, "u1")}}


def test_constructs(tmp_path: Path) -> None:
    functions = {
        name: f"void f{place}(int x[12], int y[12], uint8_t u[12], float v[12]) {{ {body} }}"
        for place, (name, body) in enumerate(CONSTRUCTS.items())
    }
    head = "#include <stdint.h>\n#include <string.h>\n#include <math.h>\n"
    text = head + "\n".join(functions.values())
    library = compiled(text, tmp_path)
    rng = np.random.default_rng(4)
    data = {
        "x": rng.permutation(100)[:12].astype("i4"),
        "y": rng.permutation(12).astype("i4"),
        "u": rng.integers(0, 256, 12).astype("u1"),
        "v": rng.uniform(-3, 3, 12).astype("f4"),
    }
    found = {}
    for place, name in enumerate(functions):
        imported = import_source(SourceFile("f.c", text), Choices(function=f"f{place}"))
        found[name] = first_difference(library, f"f{place}", imported, data, STATES.get(name, {}))
    assert {name: text for name, text in found.items() if text} == {}


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
    """Scans of scalars, an integral image and a distance have no body around their loops."""
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
    }
    for name, text in texts.items():
        imported = import_source(SourceFile("f.c", text))
        assert [bool(stage.delays) for stage in imported.stages] == [True], name
