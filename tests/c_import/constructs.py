"""Constructs of C, each in a function f of x and y (int), u (uint8_t) and v (float), all of 12 elements.

A text before `|||` stands in front of the function.
"""

from __future__ import annotations

import numpy as np
from beside_gcc import Arrays

HEAD = """\
#include <stdint.h>
#include <string.h>
#include <math.h>
"""
CONSTRUCTS = {
    "macro with arguments": ("#define SQ(a) ((a) * (a))\n|||for (int i = 0; i < 12; i++) y[i] = SQ(x[i] + 1);"),
    "macro of any number of arguments": (
        "#define SET(place, ...) place = __VA_ARGS__\n|||SET(y[0], x[1]); SET(y[1], x[2] + 1);"
    ),
    "macro of several statements": (
        "#define SWAP(a, b) do { int t_ = (a); (a) = (b); (b) = t_; } while (0)\n"
        "|||if (x[0] > x[1]) SWAP(y[0], y[1]); else SWAP(y[2], y[3]);"
    ),
    "macro that asks its arguments twice": (
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
        "|||int k = 0; for (int i = 0; i < 12; i++) { y[i] = MIN(x[i], 50); k += MIN(i, 3); } y[0] = k;"
    ),
    "pasted names": ("#define FIELD(a, n) a##_##n\n|||int v_1 = x[0], v_2 = x[1]; y[0] = FIELD(v, 1) - FIELD(v, 2);"),
    "conditions of the preprocessor": (
        "#define N 12\n"
        "#if N > 8 && defined(N)\n"
        "#define K 3\n"
        "#else\n"
        "#define K 4\n"
        "#endif\n"
        "|||for (int i = 0; i < N; i++) y[i] = x[i] * K;"
    ),
    "typedef": ("typedef short sample_t;\n|||for (int i = 0; i < 12; i++) { sample_t s = x[i] * 1000; y[i] = s; }"),
    "enumerators in extents": (
        "enum { ROWS = 3, COLS = 4, LAST = ROWS * COLS - 1 };\n"
        "|||int t[ROWS][COLS]; for (int i = 0; i < ROWS; i++) for (int j = 0; j < COLS; j++) t[i][j] = "
        "x[i * COLS + j]; for (int j = 0; j < COLS; j++) y[LAST - j] = t[1][j];"
    ),
    "const int in extents": (
        "static const int N = 12;\n"
        "|||int t[N]; for (int i = 0; i < N; i++) t[i] = x[N - 1 - i]; for (int i = 0; i < N; i++) y[i] "
        "= t[i];"
    ),
    "typed enum": ("enum mode { OFF, ON = 5 };\n|||enum mode m = x[0] > 50 ? ON : OFF; y[0] = m == ON;"),
    "bool": (
        "#include <stdbool.h>\n"
        "|||for (int i = 0; i < 12; i++) { bool big = x[i] & 4; y[i] = big + !big * 2 + (_Bool)0.5; }"
    ),
    "all integer types": (
        "|||for (int i = 0; i < 12; i++) { int8_t a = x[i] * 3; uint16_t b = a; int16_t c = b; uint32_t "
        "d = c; int64_t e = d; uint64_t g = e - 1; y[i] = a + b + c + d + e + (g >> 60); }"
    ),
    "sizes and differences as types": (
        "#include <stddef.h>\n|||size_t n = 12; ptrdiff_t back = -1; for (size_t i = 1; i < n; i++) y[i] = x[i + back];"
    ),
    "volatile, register, inline": (
        "static inline int twice(register int a) { return 2 * a; }\n|||volatile int t = x[0]; y[0] = twice(t);"
    ),
    "hexadecimal floats": "|||for (int i = 0; i < 12; i++) v[i] = v[i] * 0x1.8p-1f;",
    "character constants": "|||y[0] = 'a' + '\\n' + '\\377'; y[1] = x[1] == '0';",
    "literals with suffixes": (
        "|||y[0] = 0xFFFFFFFF > x[0]; y[1] = -1 < 1u; y[2] = 017; y[3] = 3000000000 / 1000; y[4] = 1LL << 40 >> 38;"
    ),
    "for with several steps": "|||for (int i = 0, j = 11; i < 12; i++, j--) y[i] = x[j];",
    "for downwards": "|||for (int i = 11; i >= 0; i -= 3) y[i] = x[i];",
    "for until equal": "|||for (int i = 2; i != 12; i += 5) y[i] = x[i];",
    "for with a doubling step": "|||for (int s = 1; s < 12; s *= 2) for (int i = 0; i + s < 12; i++) y[i] += x[i + s];",
    "for of a halving step": "|||for (int s = 8; s; s >>= 1) y[s] = x[s] + s;",
    "for with a bound that depends on an outer loop": (
        "|||for (int i = 0; i < 12; i++) for (int j = i; j < 12 && j < i + 3; j++) y[i] += x[j];"
    ),
    "condition on data in a for": (
        "|||int n = 0; for (int i = 0; i < 12 && x[i] < 80; i++) { y[i] = 1; n++; } y[11] = n;"
    ),
    "while that counts": "|||int i = 0; while (i < 12) { y[i] = x[i] + 1; i += 2; }",
    "while that counts down": "|||int n = 4; int *p = y; while (n--) *p++ = 7; y[11] = n;",
    "do that counts": "|||int i = 0; do { y[i] += x[i]; i++; } while (i < 12);",
    "while that depends on data": "|||int n = x[0]; while (n > 1) { n = n / 2; y[0]++; }",
    "bound that depends on data": "|||for (int i = 0; i < x[0] % 12; i++) y[i] = 1;",
    "start that depends on data": "|||for (int i = x[0] % 12; i < 12; i++) y[i] = 1;",
    "bound by data, counted in full": "|||for (int i = 0; i < 12; i++) { if (i >= x[0] % 12) break; y[i] = 1; }",
    "start by data, counted in full": "|||for (int i = 0; i < 12; i++) { if (i < x[0] % 12) continue; y[i] = 1; }",
    "continue": (
        "|||for (int i = 0; i < 12; i++) { if (x[i] < 40) continue; y[i] = x[i]; if (i == 5) continue; y[i]++; }"
    ),
    "break": "|||int i; for (i = 0; i < 12; i++) { if (x[i] > 80) break; y[i] = x[i]; } y[11] = i;",
    "break of an inner loop": (
        "|||for (int i = 0; i < 4; i++) { for (int j = 0; j < 3; j++) { if (x[i * 3 + j] & 1) break; y[i "
        "* 3 + j] = 5; } y[i] += 2; }"
    ),
    "goto": "|||for (int i = 0; i < 12; i++) { if (x[i] > 80) goto end; y[i] = 1; } end: y[0] = 2;",
    "switch": (
        "|||for (int i = 0; i < 12; i++) { switch (x[i] & 3) { case 0: y[i] = 1; break; case 1: case 2: "
        "y[i] = 2; default: y[i] += 3; } }"
    ),
    "switch inside a loop with continue": (
        "|||for (int i = 0; i < 12; i++) { switch (u[i] & 3) { case 0: continue; case 3: if (x[i] > 30) "
        "break; y[i] = 9; } y[i]++; }"
    ),
    "return in a loop": (
        "static int find(const int *t, int wanted) { for (int i = 0; i < 12; i++) if (t[i] == wanted) "
        "return i; return -1; }\n"
        "|||y[0] = find(x, x[5]); y[1] = find(x, 1000);"
    ),
    "early return": (
        "static int sign(int a) { if (a > 50) return 1; else if (a < 20) return -1; return 0; }\n"
        "|||for (int i = 0; i < 12; i++) y[i] = sign(x[i]);"
    ),
    "function with pointers": (
        "static void order(int *a, int *b) { if (*a > *b) { int t = *a; *a = *b; *b = t; } }\n"
        "|||for (int i = 0; i + 1 < 12; i++) order(&y[i], &y[i + 1]); int p = x[0], q = x[1]; order(&p, "
        "&q); y[0] = p;"
    ),
    "function with rows": (
        "static int total(int row[4]) { int s = 0; for (int i = 0; i < 4; i++) s += row[i]; return s; }\n"
        "|||int m[3][4]; for (int i = 0; i < 12; i++) m[i / 4][i % 4] = x[i]; for (int i = 0; i < 3; "
        "i++) y[i] = total(m[i]);"
    ),
    "pointer to an array of rows": (
        "static int corner(int (*m)[4], int n) { return m[0][0] + m[n - 1][3]; }\n"
        "|||int m[3][4]; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) m[i][j] = x[i + j]; "
        "y[0] = corner(m, 3);"
    ),
    "function that calls itself": (
        "static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }\n|||y[0] = fact(x[0]);"
    ),
    "pointer to a function": "|||int (*g)(int) = 0; y[0] = x[0];",
    "walking pointers": "|||int *p = x, *q = y + 11; for (int i = 0; i < 12; i++) *q-- = *p++;",
    "pointers that change places": (
        "|||int a[12], b[12]; for (int i = 0; i < 12; i++) a[i] = b[i] = x[i]; int *p = a, *q = b; for "
        "(int t = 0; t < 3; t++) { for (int i = 1; i < 12; i++) q[i] = p[i] + p[i - 1]; int *s = p; p = "
        "q; q = s; } for (int i = 0; i < 12; i++) y[i] = p[i];"
    ),
    "pointer that depends on a choice": "|||int *p = x[0] > 50 ? x : y; y[0] = p[1];",
    "pointers that are compared": "|||for (int *p = x; p < x + 12; p++) y[0] += *p;",
    "flattened rows": "|||for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) y[i * 4 + j] = x[(2 - i) * 4 + j];",
    "subscript by data": "|||for (int i = 0; i < 12; i++) y[i] = x[u[i] % 12];",
    "histogram": "|||for (int i = 0; i < 12; i++) y[u[i] % 12]++;",
    "histogram under a condition": "|||for (int i = 0; i < 12; i++) if (u[i] < 100) y[u[i] / 10] += x[i];",
    "table by data": (
        "static const uint8_t lut[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};\n"
        "|||for (int i = 0; i < 12; i++) u[i] = lut[u[i] >> 4];"
    ),
    "table of rows": (
        "static const int8_t k[2][3] = {{1, 2, 1}, {-1, -2, -1}};\n"
        "|||for (int i = 0; i < 10; i++) for (int r = 0; r < 2; r++) for (int j = 0; j < 3; j++) y[i] += "
        "k[r][j] * x[i + j];"
    ),
    "table without an extent": (
        "static const float w[] = {0.5f, 0.25f, 2.0f};\n"
        "|||for (int i = 0; i < 10; i++) for (int j = 0; j < 3; j++) v[i] += w[j] * v[i + j];"
    ),
    "values at named places": (
        "static const int t[5] = {[1] = 7, [3] = 9};\n|||for (int i = 0; i < 5; i++) y[i] = t[i];"
    ),
    "pointer to a scalar in a loop": "|||int s = 0; int *p = &s; for (int i = 0; i < 12; i++) *p += x[i]; y[0] = s;",
    "values of named fields": (
        "typedef struct { int re, im; } pair;\n|||pair p = {.im = x[0], .re = x[1]}; y[0] = p.re - p.im;"
    ),
    "values in braces for an object": (
        "typedef struct { int re, im; } pair;\n"
        "static int norm(pair p) { return p.re * p.re + p.im * p.im; }\n"
        "|||y[0] = norm((pair){x[0], x[1]});"
    ),
    "array of structs": (
        "typedef struct { int key, value; } item;\n"
        "|||item t[6]; for (int i = 0; i < 6; i++) { t[i].key = x[i]; t[i].value = x[i + 6]; } for (int "
        "i = 0; i < 6; i++) y[i] = t[5 - i].value - t[i].key;"
    ),
    "array of structs of several types": (
        "typedef struct { int key; float value; } item;\n"
        "|||item t[6]; for (int i = 0; i < 6; i++) { t[i].key = x[i]; t[i].value = v[i]; } for (int i = "
        "0; i < 6; i++) v[i] = t[5 - i].value + t[i].key;"
    ),
    "struct by pointer": (
        "typedef struct { int lo, hi; } range;\n"
        "static void widen(range *r, int a) { if (a < r->lo) r->lo = a; if (a > r->hi) r->hi = a; }\n"
        "|||range r = {1000, -1000}; for (int i = 0; i < 12; i++) widen(&r, x[i]); y[0] = r.lo; y[1] = "
        "r.hi;"
    ),
    "struct with an array": (
        "typedef struct { int n; int taps[3]; } filter;\n"
        "|||filter f; f.n = 3; for (int i = 0; i < 3; i++) f.taps[i] = x[i]; y[0] = f.taps[0] + "
        "f.taps[2] * f.n;"
    ),
    "struct in a struct": (
        "typedef struct { int a, b; } in_t;\n"
        "typedef struct { in_t p, q; } out_t;\n"
        "|||out_t o; o.p.a = x[0]; o.p.b = x[1]; o.q = o.p; y[0] = o.q.a - o.q.b;"
    ),
    "struct that is returned": (
        "typedef struct { int q, r; } result;\n"
        "static result divide(int a, int b) { result d; d.q = a / b; d.r = a % b; return d; }\n"
        "|||for (int i = 0; i < 12; i++) { result d = divide(x[i], 7); y[i] = d.q * 10 + d.r; }"
    ),
    "union": ("union view { int i; float f; };\n|||union view w; w.i = x[0]; y[0] = w.i;"),
    "bit-fields": (
        "struct flags { unsigned a : 3; unsigned b : 5; };\n"
        "|||struct flags f; f.a = x[0]; f.b = x[1]; y[0] = f.a + f.b;"
    ),
    "complex numbers": (
        "#include <complex.h>\n"
        "|||float complex s = 0; for (int i = 0; i < 12; i++) { s += v[i] * (v[11 - i] + x[i] * I); "
        "y[i] = (int)crealf(s * conjf(s)) + (int)cimagf(-s) + (s != 0); }"
    ),
    "long double": "|||long double t = x[0]; y[0] = t;",
    "static scalar": "|||static int calls = 3; calls += x[0]; y[0] = calls;",
    "static array": (
        "|||static int line[3]; for (int i = 2; i > 0; i--) line[i] = line[i - 1]; line[0] = x[0]; y[0] "
        "= line[0] - line[2];"
    ),
    "static array with values": "|||static int line[2] = {5, 6}; y[0] = line[1]; line[1] = line[0]; line[0] = x[0];",
    "variable of the file": ("static int total;\n|||total += x[0]; y[0] = total;"),
    "shift register": (
        "|||int r[3] = {0}; for (int i = 0; i < 12; i++) { r[2] = r[1]; r[1] = r[0]; r[0] = x[i]; y[i] = r[0] - r[2]; }"
    ),
    "shift register by a loop": (
        "|||int r[4] = {0}; for (int i = 0; i < 12; i++) { for (int k = 3; k > 0; k--) r[k] = r[k - 1]; "
        "r[0] = x[i]; int s = 0; for (int k = 0; k < 4; k++) s += r[k] * (k + 1); y[i] = s; }"
    ),
    "sliding sum": "|||int s = x[0] + x[1]; for (int i = 2; i < 12; i++) { s += x[i]; y[i] = s; s -= x[i - 2]; }",
    "running sum": "|||int s = 0; for (int i = 0; i < 12; i++) { s += x[i]; y[i] = s; }",
    "recursive filter": "|||float z = 0; for (int i = 0; i < 12; i++) { z = 0.5f * z + v[i]; v[i] = z; }",
    "largest and its place": (
        "|||int best = x[0], at = 0; for (int i = 1; i < 12; i++) if (x[i] > best) { best = x[i]; at = "
        "i; } y[0] = at; y[1] = best;"
    ),
    "median of three": (
        "|||for (int i = 1; i < 11; i++) { int a = x[i - 1], b = x[i], c = x[i + 1], t; if (a > b) { t = "
        "a; a = b; b = t; } if (b > c) { t = b; b = c; c = t; } if (a > b) { t = a; a = b; b = t; } y[i] "
        "= b; }"
    ),
    "loop in time": (
        "|||for (int t = 0; t < 3; t++) { for (int i = 1; i < 11; i++) y[i] = x[i - 1] + x[i + 1]; for "
        "(int i = 1; i < 11; i++) x[i] = y[i]; }"
    ),
    "guarded read": "|||for (int i = 0; i < 12; i++) y[i] = (i > 0 ? x[i - 1] : 0) + (i < 11 ? x[i + 1] : 0);",
    "clamped subscript": (
        "|||for (int i = 0; i < 12; i++) { int p = i - 2 < 0 ? 0 : i - 2; y[i] = x[p] + x[i + 1 > 11 ? 11 : i + 1]; }"
    ),
    "clamp by macros": (
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
        "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
        "|||for (int i = 0; i < 12; i++) y[i] = x[MIN(MAX(i - 3, 0), 11)] - 2 * x[MAX(0, MIN(11, i + 2))];"
    ),
    "clamp by a function": (
        "static int inside(int a, int low, int high) { if (a < low) return low; return a > high ? high : a; }\n"
        "|||for (int i = 0; i < 12; i++) y[i] = x[inside(i + 1, 0, 11)] + x[inside(i - 1, 2, 9)];"
    ),
    "clamped rows of one array": (
        "|||for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) { int s = 0; for (int a = -1; a <= 1; a++) for "
        "(int b = -1; b <= 1; b++) { int p = i + a, q = j + b; if (p < 0) p = 0; if (p >= 3) p = 2; if (q < 0) q = 0; "
        "if (q >= 4) q = 3; s += (2 * a + b) * x[p * 4 + q]; } y[i * 4 + j] = s; }"
    ),
    "clamp of a local array": (
        "|||int t[12]; for (int i = 0; i < 12; i++) t[i] = 3 * x[i]; for (int i = 0; i < 12; i++) y[i] = t[i < 2 ? 0 : "
        "i - 2] + t[i > 9 ? 11 : i + 2];"
    ),
    "register of clamped elements": (
        "|||int p = 0, q = 0; for (int i = 0; i < 12; i++) { y[i] = p + 3 * q; q = p; p = i == 0 ? 0 : x[i > 10 ? 11 : "
        "i + 1]; }"
    ),
    "register of wrapped elements": (
        "|||int p = 0, q = 0; for (int i = 0; i < 12; i++) { y[i] = p + 3 * q; q = p; p = i < 1 ? 0 : "
        "x[(i + 5) % 12]; }"
    ),
    "mirrored in a local array": (
        "|||int t[12]; for (int i = 0; i < 12; i++) t[i] = 3 * x[i]; for (int i = 0; i < 12; i++) y[i] = t[i < 2 ? 2 - "
        "i : i - 2] + t[i > 9 ? 21 - i : i + 2];"
    ),
    "mirrored at a border": (
        "|||for (int i = 0; i < 12; i++) { int p = i - 2, q = i + 2; if (p < 0) p = -p; y[i] = x[p] + 3 * x[q > 11 ? "
        "23 - q : q]; }"
    ),
    "wrapped subscript": (
        "#define N 12\n"
        "|||for (int i = 0; i < N; i++) y[i] = x[(i + N - 1) % N] + 2 * x[(i + 2) % N] + 4 * x[i ? i - 1 : N - 1];"
    ),
    "parity": "|||for (int i = 0; i < 12; i++) { if (i & 1) y[i / 2] = x[i]; else y[6 + i / 2] = x[i]; }",
    "choice on data": (
        "|||for (int i = 0; i < 12; i++) { if (x[i] > 50 && x[i] % 2) y[i] = 1; else if (x[i] < 10) y[i] = 2; }"
    ),
    "comma": "|||for (int i = 0; i < 12; i++) y[i] = (x[i]++, x[i] * 2);",
    "chain of assignments": "|||y[0] = y[1] = y[2] = x[0] + 1;",
    "compound assignments": (
        "|||for (int i = 0; i < 12; i++) { y[i] += x[i]; y[i] <<= 2; y[i] ^= 0x55; y[i] %= 37; y[i] |= "
        "8; u[i] -= 100; u[i] >>= 1; }"
    ),
    "steps inside expressions": "|||int k = 0; for (int i = 0; i < 6; i++) { y[k++] = x[i]; y[k++] = -x[i]; }",
    "a step beside a call": (
        "static int limited(int v, int k) { return v < k ? v : k; }\n"
        "|||int k = 0; for (int i = 0; i < 12; i++) y[k++] = limited(x[i], 50);"
    ),
    "a step beside a call, and its variable again": (
        "static int same(int k) { return k; }\n|||int k = 0; for (int i = 0; i < 9; i++) y[k++] = same(x[i]) + x[k];"
    ),
    "sizeof": (
        "|||y[0] = sizeof(x[0]) * 3 + sizeof(uint16_t); for (unsigned i = 0; i < 48 / sizeof(int); i++) y[i] += 1;"
    ),
    "memcpy and memset": (
        "|||int t[12]; memset(t, 0, sizeof(t)); memcpy(t, x, 6 * sizeof(int)); for (int i = 0; i < 12; "
        "i++) y[i] = t[i];"
    ),
    "saturation": (
        "static int16_t sat16(int32_t a) { return a > 32767 ? 32767 : a < -32768 ? -32768 : (int16_t)a; "
        "}\n"
        "|||for (int i = 0; i < 12; i++) y[i] = sat16((x[i] - 50) * 1000);"
    ),
    "fixed point with rounding": (
        "|||for (int i = 0; i < 12; i++) y[i] = ((int64_t)(x[i] - 50) * 26214 + (1 << 14)) >> 15;"
    ),
    "rotation of bits": (
        "|||for (int i = 0; i < 12; i++) { uint32_t a = x[i] * 2654435761u; y[i] = (a << 7) | (a >> 25); }"
    ),
    "shift by data": "|||for (int i = 0; i < 12; i++) y[i] = x[i] << (u[i] & 7);",
    "shift that is not defined": "|||for (int i = 0; i < 12; i++) y[i] = x[i] << x[i];",
    "division towards zero": "|||for (int i = 0; i < 12; i++) y[i] = (x[i] - 50) / 7 * 100 + (x[i] - 50) % 7;",
    "float to integer": "|||for (int i = 0; i < 12; i++) y[i] = (int)(v[i] * 10.0f);",
    "functions of math.h": (
        "|||for (int i = 0; i < 12; i++) v[i] = fmaxf(sqrtf(fabsf(v[i])), floorf(v[i])) + fminf(v[i], 1.0f);"
    ),
    "roundings of math.h": (
        "|||for (int i = 0; i < 12; i++) { float h = x[i] * 0.5f - 20; y[i] = lrintf(h) + 100 * (int)roundf(h) + "
        "10000 * (int)truncf(-h); v[i] = nearbyintf(v[i]) + round(-v[i]); }"
    ),
    "whole powers and roots": "|||for (int i = 0; i < 12; i++) v[i] = powf(fabsf(v[i]), 0.5f) + powf(v[i], 1.0f);",
    "tables that loops fill": (
        "|||uint8_t lut[256]; double c[4][4]; int q[4][4]; "
        "for (int i = 0; i < 256; i++) lut[i] = (uint8_t)(255.0 * pow(i / 255.0, 1 / 2.2) + 0.5); "
        "for (int a = 0; a < 4; a++) for (int b = 0; b < 4; b++) c[a][b] = cos((2 * b + 1) * a * 0.39269908169872414); "
        "for (int a = 0; a < 4; a++) for (int b = 0; b < 4; b++) q[a][b] = lround(c[b][a] * 4096); "
        "for (int i = 0; i < 12; i++) y[i] = lut[u[i]] * q[i & 3][i / 3] + lut[i];"
    ),
    "table of which each step in time takes an element": (
        "|||double w[3], a[12], b[12]; for (int t = 0; t < 3; t++) w[t] = sqrt(t + 2.0); "
        "for (int i = 0; i < 12; i++) { a[i] = x[i]; b[i] = 0; } "
        "for (int t = 0; t < 3; t++) { for (int i = 1; i < 11; i++) b[i] = w[t] * (a[i - 1] + a[i + 1]); "
        "for (int i = 1; i < 11; i++) a[i] = b[i] * 0.25; } for (int i = 0; i < 12; i++) v[i] = a[i];"
    ),
    "power that varies": "|||for (int i = 0; i < 12; i++) v[i] = powf(v[i], x[i]);",
    "other functions of math.h": "|||for (int i = 0; i < 12; i++) v[i] = cbrtf(v[i]);",
    "pointers that are asked whether they are null": (
        "#include <stddef.h>\n|||if (!x || y == NULL) return; int *p = x; "
        "for (int i = 0; p && i < 12; i++) y[i] = p[i] + 1;"
    ),
    "parameters that walk": ("|||for (int i = 0; i < 6; i++) { int a = *x++, b = *x++; *y++ = a + b; *y++ = a - b; }"),
    "struct of constants": (
        "typedef struct { int gain; int taps[3]; struct { float lo, hi; } ends; } config;\n"
        "static const config c = {2, {1, 5, 2}, {.hi = 1.5f}};\n"
        "|||static const config d = {.taps = {[1] = 7}}; for (int i = 0; i < 10; i++) { int a = 0; "
        "for (int k = 0; k < 3; k++) a += c.taps[k] * x[i + k] + d.taps[k]; y[i] = a * c.gain; "
        "v[i] = v[i] < c.ends.lo ? c.ends.lo : v[i] > "
        "c.ends.hi ? c.ends.hi : v[i]; }"
    ),
    "struct that keeps its fields": (
        "|||static struct { int a, b; } s; for (int i = 0; i < 12; i++) { y[i] = s.a + s.b; s.b = s.a; s.a = x[i]; }"
    ),
    "blocks of an array": (
        "|||int t[4][6]; for (int a = 0; a < 4; a += 2) for (int b = 0; b < 6; b += 3) for (int c = 0; c < 2; c++) "
        "for (int d = 0; d < 3; d++) { int s = 0; for (int e = 0; e < 2; e++) s += x[(a + e) % 12] * (c + 1) + d; "
        "t[a + c][b + d] = s; } for (int i = 0; i < 12; i++) y[i] = t[i / 3][i % 3] + t[i / 3][3];"
    ),
    "elements in turn": ("|||for (int i = 0; i < 6; i++) { y[2 * i] = x[i]; y[2 * i + 1] = x[i] + x[6 + i]; }"),
    "every second element": "|||for (int i = 0; i < 6; i++) y[2 * i] += x[i]; "
    "for (int i = 0; i < 6; i++) y[2 * i + 1] -= y[2 * i];",
    "last values of counters at the top": (
        "|||int i, j, k; for (i = 0; i < 4; i++) { if (i == 2) { y[i] = 0; continue; } k = 0; for (j = 0; j < 3; j++) "
        "k += x[3 * i + j]; y[i] = k; }"
    ),
    "printing": ('#include <stdio.h>\n|||y[0] = x[0]; printf("%d", y[0]);'),
    "assertion": ("#include <assert.h>\n|||assert(x[0] >= 0); y[0] = x[0];"),
    "memory from the heap": (
        "#include <stdlib.h>\n|||int *t = malloc(12 * sizeof(int)); int (*q)[4] = (int (*)[4])calloc(3, sizeof *q); "
        "if (!t) return; for (int i = 0; i < 12; i++) t[i] = x[i] * 2; for (int i = 0; i < 6; i++) q[i / 4][i % 4] = i;"
        " for (int i = 0; i < 12; i++) y[i] = t[11 - i] + q[i / 4][i % 4]; free(t); free(q);"
    ),
    "memory of a size that data say": "#include <stdlib.h>\n|||int *t = malloc(x[0]); y[0] = x[0];",
    "array of variable size": (
        "|||int n = 12; int t[n]; for (int i = 0; i < n; i++) t[i] = x[i]; for (int i = 0; i < n; i++) "
        "y[i] = t[n - 1 - i];"
    ),
    "names that are words of the language": (
        "|||int in = x[0], where = x[1], repeat = x[2], task = 3; y[0] = in + where * repeat - task;"
    ),
    "shadowed names": (
        "|||int t = 7; for (int i = 0; i < 12; i++) { int t = x[i]; { int i = t; y[0] = i; } y[i] = t; } y[1] = t;"
    ),
    "labels and pragmas": ("|||outer: for (int i = 0; i < 12; i++) {\n#pragma HLS unroll factor=2\ny[i] = x[i]; }"),
    "negative quotient": "|||for (int i = 0; i < 12; i++) y[i] = (x[i] - 50) / 7 + (x[i] - 50) % 7;",
    "quotient by data": "|||for (int i = 0; i < 12; i++) y[i] = (x[i] - 50) / ((x[i] & 3) - 7);",
    "shift of a negative": "|||for (int i = 0; i < 12; i++) y[i] = (x[i] - 60) >> 3 | (x[i] - 60) << 2;",
    "small types wrap": "|||for (int i = 0; i < 12; i++) { u[i] += 200; y[i] = (int8_t)(x[i] * 3); }",
    "unsigned iterator": "|||for (unsigned i = 0; i < 12; i++) y[i] = x[i] - 50 < i;",
    "every other": "|||for (int i = 0; i < 12; i += 2) { y[i] = x[i]; y[i + 1] = -x[i]; }",
    "two states": (
        "|||float a = 0, b = 0; for (int i = 0; i < 12; i++) { float t = v[i] + a; a = b - t * 0.5f; b = t; v[i] = t; }"
    ),
    "else": (
        "|||for (int i = 0; i < 12; i++) { if (i == 0 || i == 11) y[i] = 0; else if (x[i] & 1) y[i] = 1; "
        "else y[i] = 2; }"
    ),
    "parity (2)": "|||for (int i = 0; i < 12; i++) { if (i % 3 == 1) y[i / 3] = x[i]; }",
    "rows of one array": (
        "|||for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) y[i * 4 + j] = x[(2 - i) * 4 + 3 - j];"
    ),
    "sorted three": (
        "|||int r[3]; for (int i = 1; i < 11; i++) { for (int k = 0; k < 3; k++) r[k] = x[i - 1 + k]; if "
        "(r[0] > r[1]) { int t = r[0]; r[0] = r[1]; r[1] = t; } if (r[1] > r[2]) { int t = r[1]; r[1] = "
        "r[2]; r[2] = t; } if (r[0] > r[1]) { int t = r[0]; r[0] = r[1]; r[1] = t; } y[i] = r[1]; }"
    ),
    "conversions": "|||for (int i = 0; i < 12; i++) { v[i] = x[i] / 3 * 0.5 + u[i]; y[i] = (int)(u[i] * 0.3f); }",
    "nested sums": (
        "|||for (int i = 0; i < 3; i++) { int s = 0; for (int j = 0; j < 4; j++) for (int k = 0; k < 2; "
        "k++) s += x[i + j] * y[j + k]; u[i] = s; }"
    ),
    "extremes": "|||for (int i = 0; i < 12; i++) v[i] = fmaxf(fminf(v[i], 2.0f), -1.0f) + fabsf(v[i]);",
    "static scalar of a small type": "|||static unsigned char n; y[0] = n; n += 100;",
    "recurrence of a static scalar": (
        "|||static int n = 5; for (int i = 0; i < 12; i++) { n = n * 3 + x[i]; y[i] = n; }"
    ),
    "counter of elements": (
        "|||int k = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) y[k++] = x[i * 3 + j];"
    ),
    "exchange of neighbours": (
        "|||for (int i = 0; i < 11; i++) if (y[i] > y[i + 1]) { int t = y[i]; y[i] = y[i + 1]; y[i + 1] = t; }"
    ),
    "place in a ring (mask)": (
        "|||int p = 0; for (int i = 0; i < 12; i++) { y[i] = x[p]; p = (p + 1) & 3; } u[0] = p;"
    ),
    "place in a ring (rest)": (
        "|||int p = 0; for (int i = 0; i < 12; i++) { y[i] = x[p]; p = (p + 2) % 5; } u[0] = p;"
    ),
    "place in a ring (end)": (
        "|||int p = 0; for (int i = 0; i < 12; i++) { y[i] = x[p]; if (++p == 5) p = 0; } u[0] = p;"
    ),
    "place in a ring (downwards)": (
        "|||int p = 0; for (int i = 0; i < 12; i++) { y[i] = x[p]; p = p == 0 ? 6 : p - 1; } u[0] = p;"
    ),
    "place in a ring (below)": (
        "|||int p = 0; for (int i = 0; i < 12; i++) { y[i] = x[p]; p -= 2; if (p < 0) p += 7; } u[0] = p;"
    ),
    "place in a ring (beyond)": (
        "|||int p = 0; for (int i = 0; i < 12; i++) { y[i] = x[p]; p += 3; if (p >= 7) p -= 7; } u[0] = p;"
    ),
    "type that is a ring": (
        "|||uint8_t p = 250, q = 3; for (int i = 0; i < 12; i++) { y[i] = p; p += 2; u[i] = q; q = (q + 100) & 255; }"
    ),
    "place that starts outside its ring": (
        "|||int p = 9; for (int i = 0; i < 12; i++) { y[i] = x[p]; p = (p + 1) % 5; }"
    ),
    "float sums at places that data choose": (
        "|||float t[4] = {0}; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) "
        "t[x[i * 4 + j] & 3] += v[4 * i + j]; for (int i = 0; i < 4; i++) v[i] = t[i];"
    ),
    "counts in a loop that reads them": (
        "|||int t[4] = {0}; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) { t[x[i * 4 + j] & 3]++; "
        "y[i * 4 + j] = t[0]; }"
    ),
    "counts of two loops, some of them": (
        "|||int t[4] = {1, 2}; for (int i = 0; i < 3; i++) for (int j = i; j < 4; j++) t[x[i * 4 + j] & 3] += y[j]; "
        "for (int i = 0; i < 4; i++) y[i] = t[i];"
    ),
    "counter of elements that has no sign": (
        "|||unsigned k = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) y[k++] = x[i * 3 + j];"
    ),
    "counts at places that counts choose": (
        "|||for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) u[u[x[i * 4 + j] % 12] % 12] += 200;"
    ),
    "ring that outer iterations fill": (
        "|||int z[2], p = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) { "
        "y[i * 4 + j] = i > 0 || j > 1 ? z[p] : 0; z[p] = x[i * 4 + j]; p = (p + 1) & 1; }"
    ),
    "elements that data choose": (
        "|||int t[4] = {5, 6, 7}; for (int i = 0; i < 12; i++) { t[x[i] & 3] = i; y[i] = t[1] + t[u[i] & 3]; }"
    ),
    "window that starts at an iterator": (
        "|||for (int i = 1; i < 11; i++) { int s = 0; for (int k = i - 1; k <= i + 1; k++) s += x[k] * k; y[i] = s; }"
    ),
    "bounds that are the greater and the smaller": (
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
        "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
        "|||for (int i = 0; i < 12; i++) { int n = 0, s = 0, k; for (k = MAX(i - 2, 0); k <= MIN(i + 1, 11); k++) "
        "{ s += x[k] * ++n; } y[i] = s / n; }"
    ),
    "counter behind two bounds": (
        "|||for (int i = 0; i < 12; i++) { int k, s = 0; for (k = i; k < 12 && k < i + 4; k++) s += x[k];"
        " y[i] = s + k; }"
    ),
    "stages of halves": (
        "|||for (int h = 1; h < 4; h *= 2) for (int i = 0; i < 12; i += 2 * h) for (int j = i; j < i + h;"
        " j++) if (j + h < 12) { int a = y[j], b = y[j + h]; y[j] = a + b; y[j + h] = a - b; }"
    ),
    "step that an iterator shifts": (
        "|||for (int s = 1; s <= 2; s++) { int m = 1 << s; for (int k = 0; k < 12; k += m) y[k] += x[k + "
        "(m >> 1)] * m; }"
    ),
    "buffer that a loop fills anew": (
        "|||int t[3]; for (int i = 1; i < 11; i++) { int n = 0; for (int k = -1; k <= 1; k++) t[n++] = "
        "x[i + k]; if (t[0] > t[1]) { int h = t[0]; t[0] = t[1]; t[1] = h; } if (t[1] > t[2]) { int h = "
        "t[1]; t[1] = t[2]; t[2] = h; } y[i] = t[1]; }"
    ),
}
STATES: dict[str, Arrays] = {  # what variables that keep their values start with
    "static scalar": {"calls": np.array(3, "i4")},
    "static array": {"line": np.zeros(3, "i4")},
    "static array with values": {"line": np.array([5, 6], "i4")},
    "variable of the file": {"total": np.array(0, "i4")},
    "static scalar of a small type": {"n": np.array(0, "u1")},
    "recurrence of a static scalar": {"n": np.array(5, "i4")},
    "struct that keeps its fields": {"s_a": np.array(0, "i4"), "s_b": np.array(0, "i4")},
}


def text_of(name: str, function: str = "f") -> str:
    """The file of a construct, with a function of this name."""
    before, inside = CONSTRUCTS[name].split("|||")
    return f"{HEAD}{before}void {function}(int x[12], int y[12], uint8_t u[12], float v[12]) {{ {inside} }}\n"
