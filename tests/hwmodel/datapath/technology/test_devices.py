"""Devices of technologies: what a platform's designs may have at most."""

from __future__ import annotations

from pathlib import Path

import pytest
from platform_files import load

from arrayol.errors import ArrayolError
from hwmodel.datapath.technology.capacities import capacities_of
from hwmodel.datapath.technology.technology import load_technology, shipped_technologies
from hwmodel.platform import NO_DEVICE, on_device

PLATFORM = 'clock_mhz = 100\ntechnology = "{}"\n{}\n[memory]\nlatency = 3\nword_bits = 32\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def capacities(technology: str, line: str) -> dict[str, float]:
    return dict(load(PLATFORM.format(technology, line)).capacities)


def test_shipped_devices() -> None:
    assert capacities("ecp5-6", 'device = "LFE5U-45F"') == {"lut": 43848, "ff": 43848, "dsp": 72, "memory_blocks": 108}
    assert capacities("series7", 'device = "xc7z020"') == {"lut": 53200, "ff": 106400, "dsp": 220, "memory_blocks": 280}
    assert capacities("ecp5-6-whole", 'device = "LFE5UM-25F"') == capacities("ecp5-6", 'device = "lfe5u-25f"')
    assert capacities("asic45", "area_um2 = 2.5e6") == {"area": 2.5e6}
    assert capacities("ecp5-6", "") == {}


@pytest.mark.parametrize("name", shipped_technologies())
def test_devices_are_told_apart_and_have_sources(name: str) -> None:
    devices = load_technology(name).devices
    assert len({device.name.lower() for device in devices}) == len(devices)
    assert all(device.source and device.ff in (device.lut, 2 * device.lut) for device in devices)
    for device in devices:
        assert dict(capacities_of(load_technology(name), device.name, None)) == dict(device.capacities)


@pytest.mark.parametrize(
    ("technology", "line", "message", "hint"),
    [
        (
            "ecp5-6",
            'device = "LFE5U-45G"',
            "technology 'ecp5-6' has no device 'LFE5U-45G'",
            "did you mean 'LFE5U-45F'?",
        ),
        (
            "ecp5-6",
            'device = "xc7a35t"',
            "technology 'ecp5-6' has no device 'xc7a35t'",
            'it is one of series7: give technology = "series7" in the platform',
        ),
        (
            "ecp5-6",
            "area_um2 = 1000",
            "technology 'ecp5-6' has no costs in um2",
            'give device = "NAME" in place of area_um2, or technology = "asic45"',
        ),
        (
            "asic45",
            'device = "big"',
            "technology 'asic45' has no device 'big'",
            "it has none; a technology with costs in um2 takes area_um2 = NUMBER in the platform",
        ),
    ],
)
def test_unknown_devices(technology: str, line: str, message: str, hint: str) -> None:
    with pytest.raises(ArrayolError) as raised:
        capacities(technology, line)
    (told,) = raised.value.diagnostics
    assert (told.code, told.message, told.hint) == ("unknown-device", message, hint)
    assert told.span is not None


def test_a_device_needs_a_technology() -> None:
    with pytest.raises(ArrayolError) as raised:
        load('clock_mhz = 100\ndevice = "LFE5U-45F"\n[memory]\nlatency = 3\nword_bits = 32\n')
    assert [told.code for told in raised.value.diagnostics] == ["missing-key"]


def test_another_device_takes_the_place_of_the_platform_s() -> None:
    platform = load(PLATFORM.format("ecp5-6", 'device = "LFE5U-45F"'))
    assert on_device(platform, None) is platform
    assert on_device(platform, "LFE5U-85F").capacities["dsp"] == 156
    assert not on_device(platform, NO_DEVICE).capacities
    assert not on_device(platform, NO_DEVICE).device_text
