"""Rounds that pass while windows fill, as datapaths tell them."""

from __future__ import annotations

from dataclasses import replace

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.design import rate_of
from hwmodel.platform import platform_of


def test_each_scan_has_fills_of_its_own() -> None:
    """Those of one scan, once told, say nothing of another."""
    spec = api.load(shipped_folder() / "conv3x3.aol")
    network = flatten(spec, "conv3x3")
    task, rate = next(iter(network.processes)), rate_of(2, 0)
    plain = Datapaths(network, platform_of(spec, None)[0])
    one, other = replace(plain, filling=lambda *asked: asked[1]), replace(plain, filling=lambda *asked: 2 * asked[1])
    assert (plain.fill(task, rate), one.fill(task, rate)) == (0, 2)
    assert replace(one, filling=other.filling).fill(task, rate) == other.fill(task, rate) == 4
