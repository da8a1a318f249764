"""Stored results that do not agree with themselves are refused where they are opened."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from explored import mapped, published, write_undrawn

from arrayol import api
from arrayol.errors import ArrayolError, render
from dse.output.folder import load_result
from dse.results.consistency import require_consistent, wrong_designs
from dse.results.exploration import Exploration
from dse.results.schema import Result
from dse.space.study import Study

Document = dict[str, Any]
Place = tuple[str | int, ...]


def document_of(exploration: Exploration) -> Document:
    document: Document = json.loads(exploration.result.to_json())
    return document


def mistakes(document: Document) -> list[str]:
    """What is said of a document."""
    try:
        require_consistent(Result.model_validate(document), "out/result.json")
    except ArrayolError as refused:
        return [str(mistake.message) for mistake in refused.diagnostics]
    return []


def test_what_was_found_is_consistent() -> None:
    for exploration in (mapped(), published()):
        assert mistakes(document_of(exploration)) == []


def test_a_file_changed_by_hand(tmp_path: Path) -> None:
    write_undrawn(mapped(), tmp_path)
    document = document_of(mapped())
    document["pareto"][0]["objectives"] |= {"latency_cycles": 1, "internal_memory_elements": -5}
    (tmp_path / "result.json").write_text(json.dumps(document), encoding="utf-8")
    warnings: list[str] = []
    result = load_result(tmp_path, lambda warning: warnings.append(render(warning)))
    (warning,) = warnings
    assert warning == (
        f"{tmp_path}/result.json: warning[wrong-design]: design 4:1 is left out: internal_memory_elements is -5, and a "
        "figure is a number from 0 up\n"
        "  hint: the file was changed since arrayol wrote it, or is damaged: explore once more"
    )
    assert result.pareto == mapped().result.pareto[1:]


def edit(**figures: object) -> Callable[[Document], None]:
    return lambda document: document["pareto"][0]["objectives"].update(figures)


def mapping(document: Document) -> Document:
    first: Document = document["pareto"][0]["groups"][0]["mapping"]
    return first


def processor(document: Document) -> Document:
    first: Document = document["pareto"][0]["groups"][0]["processors"][0]
    return first


LATENCY = "design 4:1: latency_cycles is 1, and its groups give 124"
EDITS: dict[str, tuple[Callable[[Document], object], str]] = {
    "partitions": (
        lambda document: document["partitions"].update(covered=3),
        "partitions: covered, partly and pruned are 3 together, and there are 5 integer partitions",
    ),
    "latency": (edit(latency_cycles=1), LATENCY),
    "memory": (edit(internal_memory_elements=5), "design 4:1: internal_memory_elements is 5, and its groups give 168"),
    "time": (
        edit(latency_microseconds=5.0),
        "design 4:1: latency_microseconds is 5.0, and 124 cycles at 100 MHz give 1.24",
    ),
    "cost": (
        lambda document: document["pareto"][7]["objectives"].update(lut=10),
        "design 1+3:3: lut is 10, and its processors' 768",
    ),
    "cost of a processor": (
        lambda document: processor(document)["costs"].update(lut=97),
        "design 4:1: lut of 'hflr' is 97, and its units cost 384",
    ),
    "cost of a unit": (
        lambda document: document["datapaths"][0]["cost"].update(lut=97),
        "design 4:1: lut of 'hflr' is 384, and its units cost 388",
    ),
    "interval": (
        lambda document: processor(document).update(interval=5),
        "design 4:1: 'hflr' has the interval 5, which is not on offer",
    ),
    "occupancy": (
        lambda document: processor(document).update(occupancy=5),
        "design 4:1: 'hflr' takes 5 cycles at the interval 4, and has no datapath for it",
    ),
    "datapaths": (
        lambda document: document["datapaths"].append(document["datapaths"][0]),
        "'hflr' has 2 datapaths at the interval 4",
    ),
    "no figure": (
        lambda document: document["pareto"][0]["objectives"].pop("lut"),
        "design 4:1: lut is a figure of some designs, and not of all",
    ),
    "objective": (
        lambda document: document.update(objectives=["latency"]),
        "the objective latency is none of the figures that designs have: latency_cycles, internal",
    ),
    "ends": (
        lambda document: mapping(document)["ends"].update(loads=1),
        "design 4:1: latency_cycles of group 1 is 124, and its groups give 87",
    ),
    "fusion": (
        lambda document: document["pareto"][0].update(fusion=[["hflr"], ["vftd", "hfrl", "vfbu"]]),
        "design 4:1: fusion is hflr | vftd hfrl vfbu, and its groups are hflr vftd hfrl vfbu",
    ),
    "name": (
        lambda document: document["pareto"][1].update(id="4:1"),
        "design 4:1: there are two designs of this name, which are not the same",
    ),
    "dominated": (
        lambda document: document.update(objectives=["latency_cycles"]),
        "design 4:2: it is on the front, and design 4:1 is better in latency_cycles",
    ),
    "empty": (lambda document: document.update(pareto=[]), "the front has no design"),
    "counts": (
        lambda document: document.update(evaluated=1),
        "together, and the space has 13,632 group designs",
    ),
    "volume": (
        lambda document: document["hypervolume"].update(value=1.0),
        "hypervolume is 1, and the front's is ",
    ),
}


# No mistakes of single designs, or of all of the front.
WHOLE = ("partitions", "datapaths", "objective", "empty", "counts", "volume", "cost of a unit")


@pytest.mark.parametrize("name", EDITS)
def test_what_is_wrong_of_one_design_is_said_of_that_one(name: str) -> None:
    document = document_of(mapped())
    EDITS[name][0](document)
    result = Result.model_validate(document)
    if name in WHOLE:
        with pytest.raises(ArrayolError, match=r"error\[wrong-result\]"):
            wrong_designs(result, "out/result.json")
    else:
        wrong = wrong_designs(result, "out/result.json")
        assert len(wrong) == 1 or name == "dominated"
        assert len(wrong) < len(result.pareto)


@pytest.mark.parametrize("name", EDITS)
def test_each_mistake_is_named(name: str) -> None:
    change, message = EDITS[name]
    document = document_of(mapped())
    change(document)
    found = mistakes(document)
    assert any(message in text for text in found), found
    assert len(found) <= 5


def numbers(part: object, place: Place = ()) -> Iterator[Place]:
    """The places of all numbers of a document."""
    pairs = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in pairs:
        yield from numbers(value, (*place, key))
    if isinstance(part, int | float) and not isinstance(part, bool):
        yield place


def test_one_more_of_any_figure_of_a_design_is_seen() -> None:
    unseen = set()
    whole = document_of(mapped())
    for place in numbers(whole["pareto"][0]):
        document = document_of(mapped())
        holder: Any = document["pareto"][0]
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] += 1
        if not mistakes(document):
            unseen.add(next(key for key in reversed(place) if isinstance(key, str)))
    # What nothing else in the file depends on.
    assert unseen == {"shape", "steps", "banks"}


LOADED = """const K: u8[64] = [u8(k) for k in 0..64]
elementary look(x: u8, T: u8[64]) -> (y: u8) { y = T[x % 64] }
task top(x: u8[8]) -> (y: u8[8]) {
  repeat [8] of look {
    x <- x
    T <- K at origin [0] paving [0] fitting [1]
    y -> y
  }
}
"""
LOADED_ON = """clock_mhz = 50
technology = "ecp5-6"
[memory]
latency = 4
data_per_word = 2
[cost]
rom_bits = { lut = 0.5 }
"""


def loaded_in(folder: Path) -> Document:
    """A small result with energies."""
    spec, platform = folder / "loaded.aol", folder / "loaded.toml"
    spec.write_text(LOADED, encoding="utf-8")
    platform.write_text(LOADED_ON, encoding="utf-8")
    study = Study.model_validate({"array": {"K": {"load": ["frame", "once", "rom"]}}, "units": [1]})
    objectives = ("latency_cycles", "lut", "internal_memory_elements", "energy_nj")
    space = api.Space(study, narrow=True, verify=False)
    return document_of(api.explore(spec, platform, objectives=objectives, space=space))


def test_an_energy_differs_from_its_parts_by_its_rounding_only(tmp_path: Path) -> None:
    document = loaded_in(tmp_path)
    design = document["pareto"][0]
    part = next(iter(design["energy_pj"]))
    design["energy_pj"][part] += design["objectives"]["energy_nj"] * 1e-4
    assert mistakes(document) == []
    design["energy_pj"][part] += design["objectives"]["energy_nj"] / 100
    found = mistakes(document)
    assert found
    assert all("energy_nj is " in mistake or "power_mw is " in mistake for mistake in found)
