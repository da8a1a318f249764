"""PolyBench's stencils, for reference.py."""

# ruff: noqa: N806  the names of PolyBench

from __future__ import annotations

from linear_algebra import Array, Arrays, zeros


def adi(before: Array, a: Array, b: Array, c: Array, d: Array, e: Array, f: Array) -> Arrays:
    u, n = before.copy(), len(before)
    v, p, q = zeros((n, n)), zeros((n, n)), zeros((n, n))
    for _ in range(3):
        for i in range(1, n - 1):
            v[0, i], p[i, 0], q[i, 0] = 1, 0, 1
            for j in range(1, n - 1):
                p[i, j] = -c / (a * p[i, j - 1] + b)
                known = -d * u[j, i - 1] + (1 + 2 * d) * u[j, i] - f * u[j, i + 1] - a * q[i, j - 1]
                q[i, j] = known / (a * p[i, j - 1] + b)
            v[n - 1, i] = 1
            for j in range(n - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in range(1, n - 1):
            u[i, 0], p[i, 0], q[i, 0] = 1, 0, 1
            for j in range(1, n - 1):
                p[i, j] = -f / (d * p[i, j - 1] + e)
                known = -a * v[i - 1, j] + (1 + 2 * a) * v[i, j] - c * v[i + 1, j] - d * q[i, j - 1]
                q[i, j] = known / (d * p[i, j - 1] + e)
            u[i, n - 1] = 1
            for j in range(n - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]
    return {"u": u, "v": v, "p": p, "q": q}


# From here on whole slices: an element takes its operations in the same order.


def fdtd_2d(ex0: Array, ey0: Array, hz0: Array, fict: Array) -> Arrays:
    ex, ey, hz = ex0.copy(), ey0.copy(), hz0.copy()
    for now in fict:
        ey[0] = now
        ey[1:] = ey[1:] - 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] = ex[:, 1:] - 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] = hz[:-1, :-1] - 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return {"ex": ex, "ey": ey, "hz": hz}


def heat_3d(a: Array, b: Array) -> Arrays:
    A, B = a.copy(), b.copy()
    for _ in range(3):
        for x, y in ((A, B), (B, A)):
            m = x[1:-1, 1:-1, 1:-1]
            i = 0.125 * (x[2:, 1:-1, 1:-1] - 2.0 * m + x[:-2, 1:-1, 1:-1])
            j = 0.125 * (x[1:-1, 2:, 1:-1] - 2.0 * m + x[1:-1, :-2, 1:-1])
            k = 0.125 * (x[1:-1, 1:-1, 2:] - 2.0 * m + x[1:-1, 1:-1, :-2])
            y[1:-1, 1:-1, 1:-1] = i + j + k + m
    return {"A": A, "B": B}


def jacobi_1d(a: Array, b: Array) -> Arrays:
    A, B = a.copy(), b.copy()
    for _ in range(5):
        for x, y in ((A, B), (B, A)):
            y[1:-1] = 0.33333 * (x[:-2] + x[1:-1] + x[2:])
    return {"A": A, "B": B}


def jacobi_2d(a: Array, b: Array) -> Arrays:
    A, B = a.copy(), b.copy()
    for _ in range(4):
        for x, y in ((A, B), (B, A)):
            y[1:-1, 1:-1] = 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1])
    return {"A": A, "B": B}


def seidel_2d(a: Array) -> Arrays:
    A, n = a.copy(), len(a)
    for _ in range(4):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                above, row, below = (A[k, j - 1 : j + 2] for k in (i - 1, i, i + 1))
                A[i, j] = sum([*above[1:], *row, *below], above[0]) / 9.0
    return {"A": A}
