"""Small kernels for the whole way: import, run, explore, simulate, Verilog, transfers; and what stops each of them."""

from __future__ import annotations

from dataclasses import dataclass

_HEAD = "#include <stdint.h>\n#include <math.h>\n"


@dataclass(frozen=True)
class Kernel:
    """A function `f`; `explore` and `verilog` are what the commands refuse it with, by code and a part of the text."""

    text: str
    explore: tuple[str, str] | None = None
    verilog: tuple[str, str] | None = None


def _kernel(text: str, *, explore: tuple[str, str] | None = None, verilog: tuple[str, str] | None = None) -> Kernel:
    return Kernel(_HEAD + text, explore, verilog)


KERNELS = {
    "gamma": _kernel(
        "static const uint8_t curve[16] = {0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120};\n"
        "void f(const uint8_t *x, uint8_t *y) { for (int i = 0; i < 24; i++) y[i] = curve[x[i] >> 4]; }"
    ),
    "taps": _kernel(
        "void f(const float x[40], const float h[4], float y[37]) {\n"
        "  for (int n = 0; n < 37; n++) {\n"
        "    float sum = 0;\n"
        "    for (int k = 0; k < 4; k++) sum += h[k] * x[n + 3 - k];\n"
        "    y[n] = sum;\n"
        "  }\n"
        "}"
    ),
    "running total": _kernel(
        "int f(const int16_t x[30], int y[30]) {\n"
        "  int total = 0;\n"
        "  for (int i = 0; i < 30; i++) { total += x[i]; y[i] = total; }\n"
        "  return total;\n"
        "}"
    ),
    "cheapest path": _kernel(
        "void f(const uint8_t cost[6 * 8], int best[6 * 8]) {\n"
        "  for (int i = 0; i < 6; i++)\n"
        "    for (int j = 0; j < 8; j++) {\n"
        "      int up = i > 0 ? best[(i - 1) * 8 + j] : 9999, left = j > 0 ? best[i * 8 + j - 1] : 9999;\n"
        "      best[i * 8 + j] = cost[i * 8 + j] + (i + j == 0 ? 0 : up < left ? up : left);\n"
        "    }\n"
        "}"
    ),
    "low-pass with state": _kernel(
        "void f(const float x[20], float y[20]) {\n"
        "  static float kept = 0;\n"
        "  for (int i = 0; i < 20; i++) { kept = 0.75f * kept + x[i]; y[i] = kept; }\n"
        "}"
    ),
    "sorted fours": _kernel(
        "#define ORDER(p, q) if (p > q) { int t = p; p = q; q = t; }\n"
        "void f(int a[6][4]) {\n"
        "  for (int i = 0; i < 6; i++) {\n"
        "    ORDER(a[i][0], a[i][1]) ORDER(a[i][2], a[i][3]) ORDER(a[i][0], a[i][2])\n"
        "    ORDER(a[i][1], a[i][3]) ORDER(a[i][1], a[i][2])\n"
        "  }\n"
        "}"
    ),
    "pixels": _kernel(
        "typedef struct { uint8_t r, g, b; } pixel;\n"
        "#define GREY(p) ((77 * (p).r + 150 * (p).g + 29 * (p).b) >> 8)\n"
        "void f(const pixel in[5][8], uint8_t out[5][8]) {\n"
        "  for (int y = 0; y < 5; y++) for (int x = 0; x < 8; x++) out[y][x] = GREY(in[y][x]);\n"
        "}"
    ),
    "smoothed to the edges": _kernel(
        "void f(const uint8_t x[6][8], uint8_t y[6][8]) {\n"
        "  for (int i = 0; i < 6; i++) for (int j = 0; j < 8; j++) {\n"
        "    int sum = 8;\n"
        "    for (int a = -1; a <= 1; a++) for (int b = -1; b <= 1; b++) {\n"
        "      int p = i + a < 0 ? 0 : i + a >= 6 ? 5 : i + a, q = j + b < 0 ? 0 : j + b >= 8 ? 7 : j + b;\n"
        "      sum += x[p][q] << (2 - a * a - b * b);\n"
        "    }\n"
        "    y[i][j] = sum >> 4;\n"
        "  }\n"
        "}"
    ),
    "smoothed rows of one array": _kernel(
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
        "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
        "void f(const uint8_t *x, int *y) {\n"
        "  for (int i = 0; i < 5; i++) for (int j = 0; j < 7; j++) {\n"
        "    int sum = 0;\n"
        "    for (int a = -2; a <= 2; a++) for (int b = -2; b <= 2; b++)\n"
        "      sum += (3 * a + b) * x[MIN(MAX(i + a, 0), 4) * 7 + MIN(MAX(j + b, 0), 6)];\n"
        "    y[i * 7 + j] = sum;\n"
        "  }\n"
        "}"
    ),
    "two stages": _kernel(
        "void f(const int16_t x[8][10], int y[8]) {\n"
        "  int t[8][10];\n"
        "  for (int i = 0; i < 8; i++) for (int j = 0; j < 10; j++) t[i][j] = x[i][j] * x[i][j];\n"
        "  for (int i = 0; i < 8; i++) { y[i] = 0; for (int j = 0; j < 10; j++) y[i] += t[i][j]; }\n"
        "}"
    ),
    "counts": _kernel("void f(const uint8_t x[12], int hist[4]) { for (int i = 0; i < 12; i++) hist[x[i] & 3]++; }"),
    "heat": _kernel(
        "void f(float a[10], float b[10]) {\n"
        "  for (int t = 0; t < 3; t++) {\n"
        "    for (int i = 1; i < 9; i++) b[i] = 0.25f * (a[i - 1] + 2 * a[i] + a[i + 1]);\n"
        "    for (int i = 1; i < 9; i++) a[i] = b[i];\n"
        "  }\n"
        "}",
        explore=("not-canonical", "explore one repetition of it, as --top f_0_step"),
    ),
    "turned": _kernel(
        "void f(const float x[9], float y[9]) { for (int i = 0; i < 9; i++) y[i] = cosf(x[i]) + expf(-x[i]); }",
        verilog=("not-in-hardware", "'cos.f32' has no circuit"),
    ),
    "quotients": _kernel(
        "void f(const double x[9], double y[9]) { for (int i = 0; i < 9; i++) y[i] = 1.0 / (1.0 + x[i]); }"
    ),
    "gathered": _kernel(
        "void f(const int x[256], const uint8_t at[12], int y[12]) {\n"
        "  for (int i = 0; i < 12; i++) y[i] = x[at[i]];\n"
        "}"
    ),
}
