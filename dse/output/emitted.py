"""Pictures and specifications of a stored result on demand: where cycles and bits go, of a design or of the front."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arrayol.files import atomic_file, writing
from arrayol.ir.spec import Spec
from dse.output.folder import Warn, load_result, warn_in_python
from dse.output.open_design import open_result, require_mapped
from dse.output.picked import write_spec
from dse.output.plots.save import save_breakdown


def emit_designs(
    asked: Spec, folder: Path, identifiers: Sequence[str], top: str | None = None, warn: Warn = warn_in_python
) -> tuple[Path, ...]:
    """Write what belongs to designs of a result beside its other specifications, and return the files.

    That is `specs/DESIGN.aol`, unless it is there already, and with the machine model `specs/DESIGN.png`. Raises
    ArrayolError as `open_result` does, `unknown-design`, `no-steps` where no steps make a design, and `cannot-write`;
    before anything is written for a name that is wrong.
    """
    opened = open_result(asked, folder, top, warn)
    designs = [opened.described(identifier) for identifier in dict.fromkeys(identifiers)]
    files: list[Path] = []
    for design in designs:
        name = write_spec(opened.result, design, opened.finder, folder)
        assert name is not None, "it is described"
        files.append(folder / name)
        if opened.result.is_mapped:
            files.append(files[-1].with_suffix(".png"))
            with atomic_file(files[-1]) as temporary:
                save_breakdown(opened.result, temporary, designs=[design])
    return tuple(files)


def draw_breakdown(folder: Path, path: Path, warn: Warn = warn_in_python) -> None:
    """Draw where the cycles, bits, energy and costs of the designs that tell most of a front go (.svg or .png).

    Raises ArrayolError as `load_result` and `atomic_file` do, and `published-result`.
    """
    result = load_result(folder, warn)
    require_mapped(result, folder, "a breakdown")
    with atomic_file(path) as temporary, writing(path):
        save_breakdown(result, temporary)
