"""A stream that is simulated on a smaller frame: the same files, and a page that says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from emitted_chain import PLATFORM, SPEC
from explored import write_undrawn

from arrayol import api
from dse.output.hardware import shorter_stream
from dse.output.hardware.emission import EmittedDesign
from dse.output.hardware.stream import EmittedStream
from dse.output.hardware.verilog import emit_verilog
from dse.output.open_design import StoredDesign
from dse.verify import shorter_frames
from hwmodel.streamed import StreamedGroup

PLACES = 600


@pytest.fixture
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> StoredDesign:
    """Two filters in a row over many places, with AXI4-Streams or behind the port."""
    (tmp_path / "chain.aol").write_text(SPEC, encoding="utf-8")
    (tmp_path / "chain.toml").write_text(PLATFORM, encoding="utf-8")
    spec = api.load(tmp_path / "chain.aol", {"N": PLACES})
    tasks = ["smoothed", "halved"]
    study = api.Study(styles=("stream",), paces=("1",), interfaces=(request.param,), fusions=[[tasks]])
    explored = api.explore(spec, space=api.Space(study=study, verify=False))
    write_undrawn(explored, tmp_path / "out")
    return api.open_design(spec, tmp_path / "out", explored.result.pareto[0].id)


def emitted_by_smaller(
    opened: StoredDesign, monkeypatch: pytest.MonkeyPatch, *, scheduled: bool = False
) -> EmittedDesign:
    """The design, as if its frame were large; with `scheduled` its steps come from a shorter frame, too."""
    with monkeypatch.context() as patched:
        patched.setattr(shorter_stream, "WHOLE_AT_MOST", 0)
        if scheduled:
            patched.setattr(shorter_frames, "WHOLE_AT_MOST", 0)
        return emit_verilog(opened)


@pytest.mark.parametrize(
    ("opened", "scheduled"), [("axis", False), ("port", False), ("port", True)], indirect=["opened"]
)
def test_files_are_those_of_the_whole_run(
    opened: StoredDesign, scheduled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, short = emit_verilog(opened), emitted_by_smaller(opened, monkeypatch, scheduled=scheduled)
    assert short.simulated.simulation.cycles < whole.simulated.simulation.cycles / 3
    assert whole.simulated.simulation.cycles == whole.cycles > PLACES
    assert (short.cycles, short.group_times) == (whole.cycles, whole.group_times)
    assert {name for name, text in short.files.items() if text != whole.files[name]} == {"README.md"}
    assert "smaller frame of" in short.files["README.md"]
    assert "in a smaller frame of" in short.proven


@pytest.mark.parametrize("opened", ["axis"], indirect=True)
def test_a_group_that_is_not_alike_is_run_whole(opened: StoredDesign, monkeypatch: pytest.MonkeyPatch) -> None:
    def unlike(whole: StreamedGroup, small: StreamedGroup) -> bool:
        return whole.frame == small.frame

    monkeypatch.setattr(shorter_stream, "_is_like", unlike)
    emitted = emitted_by_smaller(opened, monkeypatch)
    assert isinstance(emitted, EmittedStream)
    assert emitted.simulated_pulses == emitted.cycles
