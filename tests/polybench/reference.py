"""PolyBench's kernels (version 4.2) in plain Python, as their C has them: the loops, the order of operations, in place.

Each takes the inputs of the .aol of its name and gives its outputs. Arrays hold NumPy's f64 or i32, one element at a
time, so that every rounding is C's. Here stand the medleys, the statistics and the table of all kernels.
"""

from __future__ import annotations

from collections.abc import Callable

import linear_algebra as la
import numpy as np
import stencils
from linear_algebra import Array, Arrays, zeros


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
        la.gemm, la.two_mm, la.three_mm, la.atax, la.bicg, la.mvt, la.gemver, la.gesummv, la.symm, la.syrk, la.syr2k,
        la.trmm, la.doitgen, la.cholesky, la.durbin, la.gramschmidt, la.lu, la.ludcmp, la.trisolv,
        deriche, floyd_warshall, nussinov, covariance, correlation,
        stencils.adi, stencils.fdtd_2d, stencils.heat_3d, stencils.jacobi_1d, stencils.jacobi_2d, stencils.seidel_2d,
    )
}  # fmt: skip
