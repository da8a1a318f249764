"""PolyBench's kernels (version 4.2) in plain Python, as their C has them: the loops, the order of operations, in place.

Each takes the inputs of the .aol of its name and gives its outputs. Arrays hold NumPy's f64 or i32, one element at a
time, so that every rounding is C's.
"""

# ruff: noqa: N806  the names of PolyBench

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Arrays = dict[str, Array]
zeros = np.zeros


def gemm(alpha: Array, beta: Array, a: Array, b: Array, c: Array) -> Arrays:
    C = c.copy()
    for i in range(len(C)):
        for j in range(C.shape[1]):
            C[i, j] *= beta
        for k in range(a.shape[1]):
            for j in range(C.shape[1]):
                C[i, j] += alpha * a[i, k] * b[k, j]
    return {"C": C}


def two_mm(alpha: Array, beta: Array, a: Array, b: Array, c: Array, d: Array) -> Arrays:
    tmp, D = zeros((a.shape[0], b.shape[1])), d.copy()
    for i in range(tmp.shape[0]):
        for j in range(tmp.shape[1]):
            for k in range(a.shape[1]):
                tmp[i, j] += alpha * a[i, k] * b[k, j]
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            D[i, j] *= beta
            for k in range(tmp.shape[1]):
                D[i, j] += tmp[i, k] * c[k, j]
    return {"tmp": tmp, "D": D}


def _product(a: Array, b: Array) -> Array:
    found = zeros((a.shape[0], b.shape[1]))
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            for k in range(a.shape[1]):
                found[i, j] += a[i, k] * b[k, j]
    return found


def three_mm(a: Array, b: Array, c: Array, d: Array) -> Arrays:
    E, F = _product(a, b), _product(c, d)
    return {"E": E, "F": F, "G": _product(E, F)}


def atax(a: Array, x: Array) -> Arrays:
    m, n = a.shape
    y, tmp = zeros(n), zeros(m)
    for i in range(m):
        for j in range(n):
            tmp[i] = tmp[i] + a[i, j] * x[j]
        for j in range(n):
            y[j] = y[j] + a[i, j] * tmp[i]
    return {"tmp": tmp, "y": y}


def bicg(a: Array, p: Array, r: Array) -> Arrays:
    n, m = a.shape
    s, q = zeros(m), zeros(n)
    for i in range(n):
        for j in range(m):
            s[j] = s[j] + r[i] * a[i, j]
            q[i] = q[i] + a[i, j] * p[j]
    return {"s": s, "q": q}


def mvt(a: Array, before1: Array, before2: Array, y1: Array, y2: Array) -> Arrays:
    x1, x2, n = before1.copy(), before2.copy(), len(a)
    for i in range(n):
        for j in range(n):
            x1[i] = x1[i] + a[i, j] * y1[j]
    for i in range(n):
        for j in range(n):
            x2[i] = x2[i] + a[j, i] * y2[j]
    return {"x1": x1, "x2": x2}


def gemver(  # noqa: PLR0913, PLR0917  as PolyBench has it
    alpha: Array, beta: Array, a: Array, u1: Array, v1: Array, u2: Array, v2: Array, y: Array, z: Array
) -> Arrays:
    A, n = a.copy(), len(a)
    x, w = zeros(n), zeros(n)
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(n):
        for j in range(n):
            x[i] = x[i] + beta * A[j, i] * y[j]
    for i in range(n):
        x[i] = x[i] + z[i]
    for i in range(n):
        for j in range(n):
            w[i] = w[i] + alpha * A[i, j] * x[j]
    return {"A": A, "x": x, "w": w}


def gesummv(alpha: Array, beta: Array, a: Array, b: Array, x: Array) -> Arrays:
    n = len(a)
    tmp, y = zeros(n), zeros(n)
    for i in range(n):
        for j in range(n):
            tmp[i] = a[i, j] * x[j] + tmp[i]
            y[i] = b[i, j] * x[j] + y[i]
        y[i] = alpha * tmp[i] + beta * y[i]
    return {"tmp": tmp, "y": y}


def symm(alpha: Array, beta: Array, a: Array, b: Array, c: Array) -> Arrays:
    C, temp = c.copy(), zeros(c.shape)
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(i):
                C[k, j] += alpha * b[i, j] * a[i, k]
                temp[i, j] += b[k, j] * a[i, k]
            C[i, j] = beta * C[i, j] + alpha * b[i, j] * a[i, i] + alpha * temp[i, j]
    return {"C": C, "temp": temp}


def syrk(alpha: Array, beta: Array, a: Array, c: Array) -> Arrays:
    C = c.copy()
    for i in range(len(C)):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(a.shape[1]):
            for j in range(i + 1):
                C[i, j] += alpha * a[i, k] * a[j, k]
    return {"C": C}


def syr2k(alpha: Array, beta: Array, a: Array, b: Array, c: Array) -> Arrays:
    C = c.copy()
    for i in range(len(C)):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(a.shape[1]):
            for j in range(i + 1):
                C[i, j] += a[j, k] * alpha * b[i, k] + b[j, k] * alpha * a[i, k]
    return {"C": C}


def trmm(alpha: Array, a: Array, b: Array) -> Arrays:
    B = b.copy()
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            for k in range(i + 1, B.shape[0]):
                B[i, j] += a[k, i] * B[k, j]
            B[i, j] = alpha * B[i, j]
    return {"B": B}


def doitgen(a: Array, c4: Array) -> Arrays:
    A, n = a.copy(), len(c4)
    sums = zeros(n)
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            for p in range(n):
                sums[p] = 0
                for s in range(n):
                    sums[p] += A[r, q, s] * c4[s, p]
            for p in range(n):
                A[r, q, p] = sums[p]
    return {"A": A, "sum": sums}


def cholesky(a: Array) -> Arrays:
    A = a.copy()
    for i in range(len(A)):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i])
    return {"A": A}


def durbin(r: Array) -> Arrays:
    n = len(r)
    y, z = zeros(n), zeros(n - 1)
    y[0], beta, alpha, total = -r[0], np.float64(1), -r[0], np.float64(0)
    for k in range(1, n):
        beta = (1 - alpha * alpha) * beta
        total = np.float64(0)
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return {"y": y, "z": z, "alpha": np.array(alpha), "beta": np.array(beta), "sum": np.array(total)}


def gramschmidt(a: Array) -> Arrays:
    A, (m, n) = a.copy(), a.shape
    Q, R, nrm = zeros((m, n)), zeros((n, n)), np.float64(0)
    for k in range(n):
        nrm = np.float64(0)
        for i in range(m):
            nrm += A[i, k] * A[i, k]
        R[k, k] = np.sqrt(nrm)
        for i in range(m):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, n):
            for i in range(m):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(m):
                A[i, j] = A[i, j] - Q[i, k] * R[k, j]
    return {"A": A, "Q": Q, "R": R, "nrm": np.array(nrm)}


def lu(a: Array) -> Arrays:
    A, n = a.copy(), len(a)
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
    return {"A": A}


def ludcmp(a: Array, b: Array) -> Arrays:
    A, n = a.copy(), len(a)
    y, x, w = zeros(n), zeros(n), np.float64(0)
    for i in range(n):
        for j in range(i):
            w = A[i, j]
            for k in range(j):
                w -= A[i, k] * A[k, j]
            A[i, j] = w / A[j, j]
        for j in range(i, n):
            w = A[i, j]
            for k in range(i):
                w -= A[i, k] * A[k, j]
            A[i, j] = w
    for i in range(n):
        w = b[i]
        for j in range(i):
            w -= A[i, j] * y[j]
        y[i] = w
    for i in range(n - 1, -1, -1):
        w = y[i]
        for j in range(i + 1, n):
            w -= A[i, j] * x[j]
        x[i] = w / A[i, i]
    return {"A": A, "w": np.array(w), "y": y, "x": x}


def trisolv(l: Array, b: Array) -> Arrays:  # noqa: E741  PolyBench's name
    x = zeros(len(b))
    for i in range(len(b)):
        x[i] = b[i]
        for j in range(i):
            x[i] -= l[i, j] * x[j]
        x[i] = x[i] / l[i, i]
    return {"x": x}


def deriche(img: Array, **coefficients: Array) -> Arrays:
    a1, a2, a3, a4, a5, a6, a7, a8, b1, b2, c1, c2 = coefficients.values()
    (w, h), none = img.shape, np.float64(0)
    y1, y2, out = zeros((w, h)), zeros((w, h)), zeros((w, h))
    for i in range(w):
        ym1 = ym2 = xm1 = none
        for j in range(h):
            y1[i, j] = a1 * img[i, j] + a2 * xm1 + b1 * ym1 + b2 * ym2
            xm1, ym2, ym1 = img[i, j], ym1, y1[i, j]
    for i in range(w):
        yp1 = yp2 = xp1 = xp2 = none
        for j in range(h - 1, -1, -1):
            y2[i, j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2
            xp2, xp1, yp2, yp1 = xp1, img[i, j], yp1, y2[i, j]
    out[:] = c1 * (y1 + y2)
    for j in range(h):
        tm1 = ym1 = ym2 = none
        for i in range(w):
            y1[i, j] = a5 * out[i, j] + a6 * tm1 + b1 * ym1 + b2 * ym2
            tm1, ym2, ym1 = out[i, j], ym1, y1[i, j]
    for j in range(h):
        tp1 = tp2 = yp1 = yp2 = none
        for i in range(w - 1, -1, -1):
            y2[i, j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2
            tp2, tp1, yp2, yp1 = tp1, out[i, j], yp1, y2[i, j]
    return {"out": c2 * (y1 + y2), "y1": y1, "y2": y2}


def floyd_warshall(before: Array) -> Arrays:
    path, n = before.copy(), len(before)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])
    return {"path": path}


def nussinov(seq: Array) -> Arrays:
    n = len(seq)
    table = zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
                match = int(seq[i] + seq[j] == 3) if i < j - 1 else 0
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + match)
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return {"table": table}


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


def _means(data: Array, float_n: Array) -> Array:
    mean = zeros(data.shape[1])
    for row in data:
        mean += row
    return mean / float_n


def covariance(before: Array, float_n: Array) -> Arrays:
    mean = _means(before, float_n)
    data = before - mean
    m = len(mean)
    cov = zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            for row in data:
                cov[i, j] += row[i] * row[j]
            cov[i, j] /= float_n - 1.0
            cov[j, i] = cov[i, j]
    return {"data": data, "cov": cov, "mean": mean}


def correlation(before: Array, float_n: Array) -> Arrays:
    mean = _means(before, float_n)
    m = len(mean)
    stddev, corr = zeros(m), zeros((m, m))
    for row in before:
        stddev += (row - mean) * (row - mean)
    stddev = np.sqrt(stddev / float_n)
    stddev[stddev <= 0.1] = 1.0
    data = (before - mean) / (np.sqrt(float_n) * stddev)
    for i in range(m):
        corr[i, i] = 1.0
        for j in range(i + 1, m):
            for row in data:
                corr[i, j] += row[i] * row[j]
            corr[j, i] = corr[i, j]
    return {"data": data, "corr": corr, "mean": mean, "stddev": stddev}


KERNELS: dict[str, Callable[..., Arrays]] = {
    function.__name__: function
    for function in (
        gemm, two_mm, three_mm, atax, bicg, mvt, gemver, gesummv, symm, syrk, syr2k, trmm, doitgen, cholesky, durbin,
        gramschmidt, lu, ludcmp, trisolv, deriche, floyd_warshall, nussinov, adi, fdtd_2d, heat_3d, jacobi_1d,
        jacobi_2d, seidel_2d, covariance, correlation,
    )
}  # fmt: skip
