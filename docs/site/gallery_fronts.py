"""Explores the shipped specifications, for the gallery: `python docs/site/gallery_fronts.py` writes gallery.json.

That takes minutes, too long for each build of the site. A test explores some of them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.text import counted

FILE = Path(__file__).with_name("gallery.json")
OBJECTIVES = ("latency_cycles", "internal_memory_elements")
BUDGET = 3.0  # seconds of predicted work: what the search does hangs on it, but on no clock


def shipped() -> list[str]:
    """The specifications that come along."""
    return sorted(path.stem for path in shipped_folder().glob("*.aol"))


def front(name: str) -> dict[str, Any]:
    """The front of plain designs of a specification, at the size at which its platform has designs simulated."""
    folder = shipped_folder()
    platform = api.load_platform(folder / f"{name}.toml")
    spec = api.load(folder / f"{name}.aol", dict(platform.verify))
    space = api.Space(narrow=True, verify=False)
    result = api.explore(spec, platform, space=space, method="rounds", budget=BUDGET).result
    return {
        "size": dict(platform.verify),
        "exact": result.exact,
        "designs": [[design.id, *(design.objectives[name] for name in OBJECTIVES)] for design in result.pareto],
        "best": {title: _decisions(design) for title, design in _best(result)},
    }


def _best(result: api.Result) -> Iterable[tuple[str, api.Design]]:
    yield "fastest", result.pareto[0]
    with suppress(api.ArrayolError):  # a front without a knee
        yield "knee", api.pick(result, "knee").design
    yield "smallest", result.pareto[-1]


def _decisions(design: api.Design) -> dict[str, Any]:
    """A design's name, and what its groups are in words."""
    return {"id": design.id, "groups": [_group(group) for group in design.groups]}


def _group(group: Any) -> str:
    units = ", ".join(
        f"{one.task} {one.units}" + (f"@{one.interval}" if one.interval not in (None, 1) else "")
        for one in group.processors
    )
    shape = " x ".join(map(str, group.mapping.blocks.shape))
    return f"{units}; blocks of {shape}, scan {group.mapping.blocks.scan}"


def main() -> None:
    """Explore all of them."""
    fronts = {name: front(name) for name in shipped()}
    FILE.write_text(json.dumps(fronts, indent=1) + "\n", encoding="utf-8")
    print(f"{FILE.name}: {counted(len(fronts), 'front')}")  # noqa: T201  a script


if __name__ == "__main__":
    main()
