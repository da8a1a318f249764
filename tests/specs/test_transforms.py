"""Shipped transforms against SciPy and NumPy in double precision, with bounds of the rounding in f32."""

from __future__ import annotations

import numpy as np
import pytest
import scipy  # whose modules load where a test takes them
from shipped import PICTURES, Array, noise, picture, run, same

BARKER = np.array([1, 1, 1, 1, 1, -1, -1, 1, 1, -1, 1, -1, 1], "c8")
RADARS = [(8, 20), (5, 33)]


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize(("rows", "columns"), [(16, 24), (8, 8)])
def test_dct(kind: str, rows: int, columns: int) -> None:
    image = picture(kind, rows, columns)
    found = run("dct", {"image": image}, H=rows, W=columns)["spectra"]
    blocks = image.reshape(rows // 8, 8, columns // 8, 8).astype("f8") - 128
    exact = scipy.fft.dctn(blocks, type=2, axes=(1, 3), norm="ortho").reshape(rows, columns)
    # two sums of 8 terms, roundings of 2^-24 each: rows give up to 4e-4 for sums of 1024, columns then 2.5e-3
    assert found.dtype == np.float32
    assert np.abs(found - exact).max() <= 2.5e-3


def test_dct_of_a_flat_block() -> None:
    found = run("dct", {"image": np.full((8, 8), 129, "u1")}, H=8, W=8)["spectra"]
    assert abs(found[0, 0] - 8) <= 1e-5
    assert np.abs(found.ravel()[1:]).max() <= 1e-5


def close(found: Array, exact: Array, terms: int, size: float) -> bool:
    """Within the rounding of a sum of complex products: 4 roundings of 2^-24 for each of the terms, of this size."""
    return found.dtype == np.complex64 and bool(np.abs(found - exact).max() <= 4 * terms * 2.0**-24 * terms * size)


@pytest.mark.parametrize(("pulses", "gates"), RADARS)
def test_radar_stage_by_stage(pulses: int, gates: int) -> None:
    consts = {"PULSES": pulses, "GATES": gates}
    echoes, pulse = noise(1, (pulses, gates + 12), "c8"), noise(2, (13,), "c8")
    sharp = run("radar", {"echoes": echoes, "replica": pulse.conj()}, "compress", **consts)["sharp"]
    exact = [np.correlate(echo, pulse.astype("c16"), "valid") for echo in echoes.astype("c16")]
    assert close(sharp, np.array(exact), 13, float(np.abs(echoes).max() * np.abs(pulse).max()))
    turned = run("radar", {"sharp": sharp}, "corner_turn", **consts)["turned"]
    assert same(turned, np.ascontiguousarray(sharp.T))
    spectra = run("radar", {"turned": turned}, "doppler", **consts)["spectra"]
    assert close(spectra, np.fft.fft(turned.astype("c16"), axis=1), pulses, float(np.abs(turned).max()))
    hits = run("radar", {"spectra": spectra}, "detection", **consts, LIMIT=9)["hits"]
    assert same(hits, np.abs(spectra.astype("c16")) > 9)
    whole = {"echoes": echoes, "replica": pulse.conj()}
    assert same(run("radar", whole, **consts, LIMIT=9)["hits"], hits)


@pytest.mark.parametrize(("pulses", "gates"), RADARS)
def test_radar_sees_two_targets(pulses: int, gates: int) -> None:
    """Each target at its gate and its Doppler frequency alone: side lobes of a Barker code stay at 1/13."""
    targets = [(3, 1), (gates - 1, pulses - 2)]
    echoes = 0.05 * noise(1, (pulses, gates + 12), "c8")
    for gate, frequency in targets:
        turns = np.exp(2j * np.pi * frequency * np.arange(pulses) / pulses)
        echoes[:, gate : gate + 13] += np.outer(turns, BARKER).astype("c8")
    inputs = {"echoes": echoes, "replica": BARKER.conj()}
    hits = run("radar", inputs, PULSES=pulses, GATES=gates)["hits"]
    assert {(int(gate), int(frequency)) for gate, frequency in np.argwhere(hits)} == set(targets)
