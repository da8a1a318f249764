"""Folders of emitted Verilog, read back: what is used of design.json is checked, and so are the names of the modules.

Such a folder may come from anybody. What it says becomes arguments and scripts of other programs, lines of files and
sums, so nothing of it is taken that `arrayol emit verilog` does not write.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arrayol.errors import ArrayolError, error
from arrayol.files import MOST_TEXT_BYTES, hint_of, read_bytes, read_json
from arrayol.limits import LARGEST
from arrayol.source import visible
from arrayol.text import clipped
from dse.output.hardware.emission import DOCUMENT
from dse.results.rows import IDENTIFIER
from hwmodel.emit.system.ecp5_device import Ecp5Device

EMIT_AGAIN = "name a folder that this version of 'arrayol emit verilog' wrote"
MODULE = re.compile(r"rtl/[A-Za-z_][\w-]*\.v", re.ASCII)  # the path of one

Amount = Annotated[float, Field(ge=0, le=float(LARGEST) ** 2, allow_inf_nan=False)]
ModuleName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
AgentName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_$]*$")]  # of tasks of tasks, as TASK$PART


class StoredRecord(BaseModel):
    """A part of a JSON document, whose other keys nobody here reads."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Agent(StoredRecord):
    name: AgentName
    lanes: dict[AgentName, Any]


class _Group(StoredRecord):
    agents: list[_Agent]


class _Model(StoredRecord):
    """What the machine model said; `clock_mhz` is None where the platform has none."""

    technology: str | None
    device: str | None = None
    clock_mhz: Annotated[float, Field(gt=0, le=LARGEST)] | None
    costs: dict[str, Amount]
    memories: dict[str, Amount]
    steering: dict[str, Amount] = {}
    features: dict[str, Amount] = {}
    scheduled: dict[str, Amount] = {}
    units_mhz: Amount | None = None
    state_mhz: Amount | None = None


class _Emitted(StoredRecord):
    """What is read of design.json."""

    format: Literal[2]
    top: ModuleName
    spec: str
    design: Annotated[str, Field(pattern=IDENTIFIER)]
    cycles: Annotated[int, Field(ge=0)] = 0
    groups: list[_Group]
    model: _Model


@dataclass(frozen=True)
class EmittedFolder:
    """A folder that `arrayol emit verilog` wrote: its Verilog, and the schedule as data."""

    folder: Path
    document: Mapping[str, Any]
    modules: Mapping[str, bytes]

    @property
    def sources(self) -> tuple[str, ...]:
        """The modules, as paths from the folder."""
        return tuple(self.modules)

    @cached_property
    def digest(self) -> str:
        """Hash of the Verilog, 16 hexadecimal digits."""
        texts = [f"{name}\n".encode() + text for name, text in self.modules.items()]
        return hashlib.sha256(b"".join(texts)).hexdigest()[:16]

    @property
    def model(self) -> Mapping[str, Any]:
        """What the machine model said of it."""
        model: Mapping[str, Any] = self.document["model"]
        return model

    @property
    def default_device(self) -> Ecp5Device:
        """The ECP5 of the platform, or the largest one."""
        return Ecp5Device.of(self.model.get("device"), self.model["technology"])


def open_emitted(folder: Path) -> EmittedFolder:
    """The design of a folder. Raises ArrayolError (`not-emitted-folder`)."""
    document = read_document(folder / DOCUMENT, _Emitted, lambda: _no_design(folder))
    modules = _modules(folder)
    if not modules:
        raise _no_design(folder)
    return EmittedFolder(folder, document, modules)


def read_document(path: Path, model: type[BaseModel], absent: Callable[[], ArrayolError]) -> dict[str, Any]:
    """A JSON document that a model describes.

    Raises what `absent` gives where there is no file, or no JSON in it, and the same at the file's place, with the key,
    where a value is none that is written.
    """
    try:
        document = read_json(path)
    except (FileNotFoundError, NotADirectoryError):
        raise absent() from None
    except OSError as refused:
        raise _amiss(absent(), path, f"this cannot be read: {refused.strerror}", hint_of(refused)) from None
    except ValueError:
        raise _amiss(absent(), path, "this is no JSON document, or a damaged one") from None
    try:
        model.model_validate(document)
    except ValidationError as failure:
        raise _amiss(absent(), path, _mistake(failure)) from None
    assert isinstance(document, dict), "a model describes an object"
    return document


def _mistake(failure: ValidationError) -> str:
    """What is wrong with the first value that is."""
    wrong = failure.errors(include_url=False)[0]
    place = ".".join(map(str, wrong["loc"]))
    if wrong["type"] == "missing":
        return f"'{visible(place)}' is missing"
    what = f"'{visible(clipped(place))}' is" if place else "the document is"
    return f"{what} {visible(clipped(repr(wrong['input'])))}, which 'arrayol' does not write there"


def _amiss(like: ArrayolError, path: Path, message: str, hint: str | None = None) -> ArrayolError:
    """An error of the same code and hint about what is in a file."""
    first = like.diagnostics[0]
    return error(first.code, message, file=str(path), hint=hint or first.hint)


def _modules(folder: Path) -> dict[str, bytes]:
    """The Verilog by its path from the folder, as texts: nothing that changes afterwards is synthesised.

    Raises ArrayolError (`not-emitted-folder`) for a name that a script could take for something else, and for what
    cannot be read.
    """
    found = dict[str, bytes]()
    for path in sorted(folder.glob("rtl/*.v")):
        name = path.relative_to(folder).as_posix()
        if MODULE.fullmatch(name) is None:
            message = f"'{visible(clipped(name))}' is no name that 'arrayol emit verilog' gives a module"
            raise error("not-emitted-folder", message, file=str(folder), hint=EMIT_AGAIN)
        try:
            found[name] = read_bytes(path, MOST_TEXT_BYTES)
        except OSError as refused:
            message = f"this module cannot be read: {refused.strerror}"
            raise error("not-emitted-folder", message, file=str(path), hint=hint_of(refused) or EMIT_AGAIN) from None
    return found


def _no_design(folder: Path) -> ArrayolError:
    return error("not-emitted-folder", "this folder holds no emitted design", file=str(folder), hint=EMIT_AGAIN)
