"""Draws the pictures of docs/examples.md: what shipped specifications compute, from data made here.

    python docs/pictures/examples.py [FOLDER]

Each panel is an array that the specification takes or gives, executed as `arrayol run` does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.pictures.sheet import our_style, write_figure

FOLDER = Path(__file__).resolve().parent
Array = NDArray[Any]


@dataclass(frozen=True)
class Panel:
    """An array as a picture: grey from its least value to its greatest, or colours, or a scale with its unit."""

    title: str
    values: Array
    axes: tuple[str, str] = ("column", "row")
    scale: str | None = None


def main() -> None:
    """Write all pictures as PNG."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    pictures = {
        "camera": camera(),
        "mobilenet": mobilenet(),
        "attention": attention(),
        "stereo": stereo(),
        "splitmatmul": splitmatmul(),
        "wavelet": wavelet(),
    }
    with our_style():
        for name, panels in pictures.items():
            write_figure(drawn(panels), folder / f"{name}.png")


def drawn(panels: Sequence[Panel]) -> Figure:
    """The panels beside each other."""
    figure = Figure(figsize=(3.4 * len(panels), 3.0), dpi=100, layout="constrained")
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(1, len(panels), place + 1)
        image = axes.imshow(panel.values, cmap="viridis" if panel.scale else "gray", interpolation="nearest")
        axes.set_title(panel.title, fontsize=9)
        axes.set_xlabel(panel.axes[0], fontsize=8)
        axes.set_ylabel(panel.axes[1], fontsize=8)
        axes.tick_params(labelsize=7)
        if panel.scale:
            bar = figure.colorbar(image, ax=axes, shrink=0.8)
            bar.set_label(panel.scale, fontsize=8)
            bar.ax.tick_params(labelsize=7)
    return figure


def result(name: str, inputs: dict[str, Array], top: str | None = None, **consts: int) -> dict[str, Array]:
    """The outputs of a shipped specification, or of one of its tasks."""
    return api.run(api.load(shipped_folder() / f"{name}.aol", consts), inputs, top=top)


def discs(rows: int, columns: int, seed: int, count: int) -> tuple[Array, Array]:
    """A scene of discs before a slope: colours from 0 to 1, and the number of the disc at each pixel."""
    rng = np.random.default_rng(seed)
    row, column = np.indices((rows, columns))
    scene = np.stack([0.15 + 0.3 * row / rows, 0.2 + 0.3 * column / columns, np.full(row.shape, 0.35)], axis=-1)
    which = np.zeros((rows, columns), int)
    for number in range(1, count + 1):
        middle, radius = rng.uniform([0, 0], [rows, columns]), rng.uniform(rows / 12, rows / 5)
        inside = (row - middle[0]) ** 2 + (column - middle[1]) ** 2 < radius**2
        scene[inside], which[inside] = rng.uniform(0.05, 0.95, 3), number
    return scene, which


def camera() -> list[Panel]:
    scene, _ = discs(120, 160, 4, 14)
    to_screen = np.array([[1.6, -0.5, -0.1], [-0.3, 1.6, -0.3], [0, -0.5, 1.5]])
    light = np.clip(scene**2.2 @ np.linalg.inv(to_screen).T / [1.9, 1, 1.6], 0, 1)  # what the sensor sees of it
    row, column = np.indices(light.shape[:2])
    mosaic = np.choose((row % 2) + (column % 2), [light[..., 0], light[..., 1], light[..., 2]])
    raw = (64 + mosaic * 4031).astype("u2")
    picture = result("camera", {"mosaic": raw}, H=120, W=160)["picture"]
    return [Panel("mosaic: 12 bits, one colour a pixel", raw), Panel("picture: 8 bits, three colours", picture)]


def mobilenet() -> list[Panel]:
    scene, _ = discs(28, 28, 5, 6)
    x = np.repeat((scene.sum(axis=-1, keepdims=True) * 40).astype("i1"), 16, axis=-1)
    y = result("mobilenet", {"x": x})["y"]
    shown = (("x", x, 0), ("y", y, 0), ("y", y, 3))
    return [Panel(f"{name}, channel {channel} of 16", array[..., channel]) for name, array, channel in shown]


def attention() -> list[Panel]:
    rng = np.random.default_rng(6)
    place = np.arange(64)[:, None] / 9.0
    turns = np.concatenate([f(place * (1 + k / 8)) for k in range(16) for f in (np.sin, np.cos)], axis=1)
    q, k, v = ((turns * 1.5).astype("f4"), (turns * 1.5).astype("f4"), rng.standard_normal((64, 32)).astype("f4"))
    scores = result("attention", {"q": q, "k": k}, "scores")["s"]
    weights = result("attention", {"s": scores}, "weights")["p"]
    return [
        Panel("scores", scores, ("key", "query"), "q k' / sqrt(D)"),
        Panel("their softmax", weights, ("key", "query"), "weight"),
        Panel("output", result("attention", {"q": q, "k": k, "v": v})["o"], ("number", "query"), "o"),
    ]


def stereo() -> list[Panel]:
    _, which = discs(96, 128, 7, 6)
    behind, on_discs = np.random.default_rng(8).integers(0, 256, (2, 96, 128)).astype("u1")
    left, right = np.where(which > 0, on_discs, behind), behind.copy()
    for near in range(1, 7):  # nearer discs are drawn later
        row, column = np.nonzero((which == near) & (np.indices(which.shape)[1] >= 2 * near))
        right[row, column - 2 * near] = left[row, column]
    found = result("stereo", {"pair": np.stack([left, right])}, H=96, W=128)["disparity"]
    return [
        Panel("left", left),
        Panel("true shift", 2 * which, scale="pixels"),
        Panel("disparity", found, scale="pixels"),
    ]


def splitmatmul() -> list[Panel]:
    """Waves times how much of each a picture has, slow waves first: each block of the sum makes it sharper."""
    scene, _ = discs(64, 32, 9, 5)
    waves = np.cos(np.pi * np.outer(2 * np.arange(64) + 1, np.arange(256) / 4) / 128)
    parts = waves.T @ (scene.mean(axis=-1) - scene.mean())
    a, b = (127 * waves).astype("i1"), (127 * parts / np.abs(parts).max()).astype("i1")
    panels = []
    for blocks in (1, 4, 16):
        length = 16 * blocks
        c = result("splitmatmul", {"a": a[:, :length], "b": b[:length]}, K=length)["c"]
        panels.append(Panel(f"c after block {blocks} of 16", c, scale="sum"))
    return panels


def wavelet() -> list[Panel]:
    scene, _ = discs(128, 128, 11, 12)
    image = (scene.mean(axis=-1) * 255).astype("i2")
    bands = result("wavelet", {"image": image}, H=128, W=128)["bands"]
    shown = np.minimum(8 * np.abs(bands), 255)
    shown[:64, :64] = bands[:64, :64]
    return [Panel("image", image), Panel("bands; details eight times as bright", shown)]


if __name__ == "__main__":
    main()
