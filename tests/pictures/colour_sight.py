"""Colours as people see them who lack one kind of cones, and how far apart two colours are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHTS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour: str) -> NDArray[np.float64]:
    """A colour #rrggbb as linear RGB."""
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(colour: str, sight: str) -> NDArray[np.float64]:
    """CIELAB of a colour as somebody sees it, white being D65."""
    seen = np.clip(SIGHTS[sight] @ linear(colour), 0, 1)
    ratios = _XYZ @ seen / _XYZ.sum(axis=1)
    f = np.where(ratios > 216 / 24389, np.cbrt(ratios), (24389 / 27 * ratios + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def least_distance(colours: list[str], sight: str) -> tuple[float, tuple[str, str]]:
    """The least distance of two of the colours (CIE 1976), and which they are; 2.3 is just visible."""
    return min(
        (float(np.linalg.norm(lab(one, sight) - lab(other, sight))), (one, other))
        for one, other in combinations(colours, 2)
    )


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21 (WCAG 2)."""
    high, low = sorted((float(_XYZ[1] @ linear(colour)) + 0.05 for colour in (one, other)), reverse=True)
    return high / low
