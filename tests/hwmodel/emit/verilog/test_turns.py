"""A port that serves in turns, in Verilog on Icarus: steps that wait for their turn, in the cycles of the model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from port_designs import frames_at_port, memory_of, mixed_design, port_design, require_port_frames
from stream_designs import platform_at
from stream_networks import case_of
from verilog_programs import needs_icarus, promised_frames

from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.streamed import Stream

PORT = Stream()

pytestmark = needs_icarus


def turning(folder: Path, turn: int, port: str = "shared", *, together: bool = False) -> HardwareDesign:
    """A block group, a stream and a block group."""
    platform = memory_of(platform_at(50), port=port, turn=turn)
    case = case_of("unsharp", folder, H=4, W=6)
    return mixed_design(case, ((1, None), (3, PORT), (1, None)), platform, together=together)


@pytest.mark.parametrize(("turn", "port"), [(2, "shared"), (37, "separate"), (120, "shared")])
def test_groups_one_after_another(tmp_path: Path, turn: int, port: str) -> None:
    """A turn that no step waits for, one for which some do, and one for which all do that move something."""
    require_port_frames(turning(tmp_path, turn, port))


def test_groups_at_the_same_time(tmp_path: Path) -> None:
    design = turning(tmp_path, 120, together=True)
    assert design.periods is not None
    assert design.periods.cycles == max(group.cycles for group in design.groups)
    require_port_frames(design)


def test_what_is_loaded_before_all_frames_takes_no_turn(tmp_path: Path) -> None:
    case, platform = case_of("conv3x3", tmp_path, H=6, W=8), memory_of(platform_at(50), turn=100)
    design = port_design(case, PORT, platform=platform, loads={"kernel": "once"})
    require_port_frames(design, setup_cycles=32)


CHANGES = [
    (r"(late \? passed : 0\) < )\d+", r"\g<1>117", "a cycle less"),
    (r"late \? waits : busy &&", "late ? waits : busy ||", "steps that move nothing"),
]


@pytest.mark.parametrize(("before", "after"), [own[:2] for own in CHANGES], ids=[own[2] for own in CHANGES])
def test_what_is_changed_is_seen(tmp_path: Path, before: str, after: str) -> None:
    design = turning(tmp_path, 120)
    files = DesignFiles(design).files()
    changed = {path: re.sub(before, after, str(text)) for path, text in files.items()}
    assert changed != {path: str(text) for path, text in files.items()}
    assert frames_at_port(changed) != promised_frames(design)
