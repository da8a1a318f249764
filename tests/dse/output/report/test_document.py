"""What a report holds, what it leaves out for its size, and what it does without the files behind a result."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from explored import GIVEN, SPECS, folded_in, mapped, write_undrawn
from hypothesis import given
from hypothesis import strategies as st

from arrayol import api
from dse.output.folder import load_result
from dse.output.report.details import best_designs
from dse.output.report.document import ROOM, packed, report_document
from dse.output.report.sources import Origin, open_origin
from dse.output.report.write import first_report, page, write_report
from dse.results.designs import GroupRecord
from dse.results.pick import parse_rule, pick

NOWHERE = Origin(None, {}, ())


@pytest.fixture(scope="module")
def explored_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a spec, its platform and the result `out`."""
    base = tmp_path_factory.mktemp("explored")
    shutil.copy(SPECS / "lpsf.aol", base)
    shutil.copy(GIVEN, base / "lpsf.toml")
    spec = api.load(base / "lpsf.aol", {"H": 4, "W": 8})
    write_undrawn(api.explore(spec, space=api.Space(narrow=True, verify=False)), base / "out")
    return base


@pytest.fixture
def folder(explored_folder: Path, tmp_path: Path) -> Path:
    """A copy of the result, with copies of what it names beside it."""
    copy = tmp_path / "copy"
    shutil.copytree(explored_folder, copy)
    text = (copy / "out" / "result.json").read_text(encoding="utf-8")
    (copy / "out" / "result.json").write_text(text.replace(str(explored_folder), str(copy)), encoding="utf-8")
    return copy / "out"


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts)
    )
)
def test_data_in_a_page_are_read_back_and_end_no_element(document: object) -> None:
    text = packed(document)
    assert not set(text) & set("<>&\u2028")
    assert json.loads(text) == document


def test_every_design_with_its_groups_timelines_and_specification(folder: Path) -> None:
    result = load_result(folder)
    document = report_document(result, folder, open_origin(result, folder))
    assert document["remarks"] == []
    assert [row["id"] for row in document["designs"]] == [design.id for design in result.pareto]
    for row, design in zip(document["designs"], result.pareto, strict=True):
        assert row["values"] == list(design.objectives.values())
        assert (None if row["remark"] is None else document["texts"][row["remark"]]) == design.steps_remark
        for place, group, mapping in zip(row["groups"], design.groups, design.mappings, strict=True):
            shown = document["groups"][place]
            assert shown["processors"]["units"] == [processor.units for processor in group.processors]
            assert shown["memories"]["bits"] == [memory.bits for memory in mapping.memories]
            steps = shown["timeline"]["steps"]
            assert steps[-1][1] + steps[-1][2] == mapping.latency_cycles
        if design.steps is not None:
            written = (folder / "specs" / f"{design.id.replace(':', '-')}.aol").read_text(encoding="utf-8")
            assert "".join(document["lines"][line] + "\n" for line in row["aol"]) == written


def test_what_memories_of_the_best_designs_are_built_of(tmp_path: Path) -> None:
    """As `memories` says of them; nothing without the model."""
    exploration = folded_in(tmp_path)
    write_undrawn(exploration, tmp_path / "out")
    result = load_result(tmp_path / "out")
    document = report_document(result, tmp_path / "out", open_origin(result, tmp_path / "out"))
    best = [min(result.pareto, key=lambda one, name=name: one.objectives[name]).id for name in result.objectives]
    knee = [document["knee"]] if document["knee"] else []
    assert list(document["built"]) == list(dict.fromkeys([*knee, *best]))
    for design, found in document["built"].items():
        built = api.memories(api.open_design(tmp_path / "lpsf.aol", tmp_path / "out", design))
        assert built is not None
        assert found == built.to_json() | {"summary": built.summary}
    assert report_document(result, tmp_path / "out", NOWHERE)["built"] == {}
    brief = report_document(result, tmp_path / "out", open_origin(result, tmp_path / "out"), brief=True)
    first = [*knee, *best][0]
    assert brief["built"] == {first: document["built"][first]}
    without = [
        row | {"address": row["address"] if row["kind"] == "state" else []} for row in document["organised"][first]
    ]
    assert brief["organised"] == {first: without}
    assert brief["verilog"] == {}


def test_the_report_that_ends_an_exploration(folder: Path) -> None:
    """It has all designs and specifications, the timelines of the best designs, and the memories of one at most."""
    result = load_result(folder)
    origin = open_origin(result, folder)
    whole = report_document(result, folder, origin)
    brief = report_document(result, folder, origin, brief=True)
    assert (whole["later"], brief["later"]) == (None, "arrayol report out")
    assert [row["id"] for row in brief["designs"]] == [row["id"] for row in whole["designs"]]
    assert brief["lines"] == whole["lines"]
    assert brief["remarks"] == []
    rows = {row["id"]: row["groups"] for row in whole["designs"]}
    best = best_designs(result.pareto, result.objectives, whole["knee"])
    timed = {place for design in best for place in rows[design.id]}
    assert 0 < len(timed) < len(whole["groups"])
    assert {place for place, group in enumerate(brief["groups"]) if "timeline" in group} == timed
    first = first_report(result, folder, folder, None)
    assert first == first_report(result, folder, folder, None)
    assert packed(brief).encode() in first


@pytest.mark.parametrize("room", [10_500, 12_000, 20_000])
def test_a_small_room(folder: Path, room: int) -> None:
    result = load_result(folder)
    document = report_document(result, folder, open_origin(result, folder), room)
    assert len(packed(document)) <= room + 500  # the remarks
    assert document["front"] == len(result.pareto)
    shown = [row["id"] for row in document["designs"]]
    assert shown[0] == result.pareto[0].id
    assert shown[-1] == result.pareto[-1].id
    assert pick(result, parse_rule("knee")).design.id in shown
    assert document["remarks"]
    assert (len(shown) < len(result.pareto)) == any(
        f"of {len(result.pareto)} designs are in this report" in one for one in document["remarks"]
    )


def _with_traffic(group: GroupRecord, traffic_bytes: int) -> GroupRecord:
    assert group.mapping is not None
    return group.model_copy(update={"mapping": group.mapping.model_copy(update={"traffic_bytes": traffic_bytes})})


def test_a_very_long_front_stays_below_8_mb(tmp_path: Path) -> None:
    many = [
        design.model_copy(
            update={
                "id": f"{design.id}/{copy}",
                "groups": tuple(_with_traffic(group, copy) for group in design.groups),
            }
        )
        for copy in range(1_000)
        for design in mapped().result.pareto
    ]
    result = mapped().result.model_copy(update={"pareto": tuple(many)})
    document = report_document(result, tmp_path, NOWHERE)
    assert 0.6 * ROOM < len(packed(document)) < ROOM
    assert len(page("a", packed(document)).encode()) < 8_000_000
    (remark,) = document["remarks"]
    assert remark.endswith("of 10,000 designs are in this report; " + f"{tmp_path.name} holds all")


def test_a_folder_that_moved_with_its_specification(folder: Path) -> None:
    moved = folder.parent / "elsewhere"
    moved.mkdir()
    for name in ("lpsf.aol", "lpsf.toml", "out"):
        (folder.parent / name).rename(moved / name)
    origin = open_origin(load_result(moved / "out"), moved / "out")
    assert origin.remarks == ()
    assert origin.models


def test_what_is_missing_is_said(folder: Path) -> None:
    (folder.parent / "lpsf.toml").rename(folder.parent / "other.toml")
    (remark,) = write_report(folder).remarks
    assert remark.endswith("lpsf.toml' is not found: there are no timelines")
    (folder.parent / "lpsf.aol").unlink()
    (remark,) = write_report(folder).remarks
    assert remark.endswith("is not found: block diagrams are without links, and there are no timelines")


@pytest.mark.parametrize(
    ("name", "old", "new", "remark"),
    [
        ("lpsf.toml", "latency = 30", "latency = 31", "specification or platform have changed since the exploration"),
        ("lpsf.toml", "latency = 30", "latency = no", "can no longer be read: there are no timelines"),
        ("lpsf.aol", "hflr", "other", "has other tasks than those that were explored"),
        ("lpsf.aol", "const W", "const V", "is no longer the specification that was explored"),
        ("lpsf.aol", "task lpsf", "task spatial", "has no task 'lpsf' any more"),
    ],
)
def test_what_has_changed_is_noticed(folder: Path, name: str, old: str, new: str, remark: str) -> None:
    path = folder.parent / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    (found,) = write_report(folder).remarks
    assert remark in found


def test_a_platform_object_and_the_default(folder: Path) -> None:
    result = load_result(folder)
    given = open_origin(result.model_copy(update={"platform": "given as an object"}), folder)
    assert (given.models, given.remarks) == ({}, ("the platform was given as an object: there are no timelines",))
    default = open_origin(result.model_copy(update={"platform": "default (shipped with arrayol)"}), folder)
    assert default.remarks == ()
    assert default.models


def test_infinite_figures_have_no_number(tmp_path: Path) -> None:
    first = mapped().result.pareto[0]
    endless = first.model_copy(update={"objectives": first.objectives | {"lut": float("inf")}})
    result = mapped().result.model_copy(update={"pareto": (endless,)})
    document = report_document(result, tmp_path, NOWHERE)
    assert document["designs"][0]["values"].count(None) == 1
