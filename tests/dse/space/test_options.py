"""Which decisions of a structure its blocks offer, beside all that they do offer."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from many_cases import case_count
from strategies_changes import Wanted, wanteds

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.search.pricing import plain_structure
from dse.space.mappings import MappingSpace
from dse.space.options import are_offered, mapping_options, spread
from dse.space.study import Study, narrowed, parse_scan
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign
from hwmodel.platform import load_platform

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from graphs import chain

MOST = 100  # options of a structure, of which fewer are all compared


@settings(max_examples=case_count(120))
@given(wanteds())
def test_what_other_blocks_may_have_is_offered_or_not(wanted: Wanted) -> None:
    """FIFOs, layouts and cuts as some designs on the blocks have them; what is kept is asked of none."""
    try:
        space = wanted.context().space
    except ArrayolError:
        return
    for group in space.groups[:4]:
        if space.last(group) is None:
            continue
        tasks, holds_plain = space.tasks(group), space.study.holds_plain
        plain = [plain_structure(tasks, own) for own in spread(list(space.blocks(tasks[-1])), 4)]
        options = {one: [*[one][:holds_plain], *islice(mapping_options(space, one), MOST)] for one in plain}
        for start, other in product(plain, repeat=2):
            some = [one for one in options[start] if not (one.fifos and one.layouts)]  # FIFOs take layouts away
            moved = [replace(one, schedule=other.blocks) for one in some]
            offered = are_offered(space, moved)
            if len(options[other]) < MOST:  # else there may be more
                choices = list(zip(*map(_decisions, options[other]), strict=True))
                for one, is_offered in zip(moved, offered, strict=True):
                    assert is_offered == all(own in each for own, each in zip(_decisions(one), choices, strict=True))


def _decisions(structure: GroupDesign) -> tuple[object, ...]:
    return (structure.fifos, structure.layouts, *(processor.cut for processor in structure.processors))


def test_cuts_are_offered_where_a_block_has_more_to_do_first(tmp_path: Path) -> None:
    """Of two filters in a row the first has three lines to make for the first strip; the whole frame is one block."""
    path = tmp_path / "graph.aol"
    path.write_text(replace(chain(2), frame=(12, 8)).text("graph"))
    network = flatten(api.load(path), "graph")
    space = MappingSpace(MachineModel(network, load_platform(shipped_folder() / "platforms" / "default.toml")), Study())
    tasks = space.tasks(space.graph.all)
    strips, whole = (plain_structure(tasks, Blocks((lines, 8), parse_scan("0,1"))) for lines in (1, 12))
    cut = [one for one in mapping_options(space, strips) if any(own.cut for own in one.processors)]
    assert cut
    assert are_offered(space, cut) == [True] * len(cut)
    assert are_offered(space, [replace(one, schedule=whole.blocks) for one in cut]) == [False] * len(cut)
    assert are_offered(space, [strips, whole]) == [True, True]


@pytest.mark.parametrize(
    ("listed", "word"),
    [({"styles": ["stream"]}, '"block"'), ({"links": ["fifo"]}, '"buffer"'), ({"recompute": [True]}, "false")],
)
def test_a_study_without_plain_designs_cannot_be_narrowed(listed: dict[str, Any], word: str) -> None:
    (key,) = listed
    with pytest.raises(ArrayolError) as refused:
        narrowed(Study.model_validate(listed))
    (told,) = refused.value.diagnostics
    assert (told.code, told.hint) == ("not-plain", f"leave out --narrow, or add {word} to '{key}'")
    assert narrowed(Study.model_validate({"styles": ["stream", "block"]})).styles == ("block",)
