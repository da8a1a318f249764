"""PolyBench's linear algebra, for reference.py: products of matrices and vectors, and solvers."""

# ruff: noqa: N806  the names of PolyBench

from __future__ import annotations

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
