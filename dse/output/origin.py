"""What a result was explored from, opened again: its network, and the model behind its figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arrayol.checks.pipeline import load_checked
from arrayol.errors import ArrayolError
from arrayol.ir.network import Network
from arrayol.shipped import shipped_folder
from arrayol.transforms.canonical import canonical_form
from dse.results.schema import Result
from hwmodel.machine.model import MachineModel
from hwmodel.platform import DEFAULT_NAME, GIVEN_AS_OBJECT, Platform, load_platform


@dataclass(frozen=True)
class Origin:
    """The network of a result and, for the machine model, that model; None for what is not to be had.

    `remarks` say why, in words.
    """

    network: Network | None
    model: MachineModel | None
    remarks: tuple[str, ...]


def open_origin(result: Result, folder: Path) -> Origin:
    """Look for the specification and platform that a result names: here, else beside the result's folder."""
    network = _network(result, folder)
    if isinstance(network, str):
        return Origin(None, None, (f"{network}: block diagrams are without links, and there are no timelines",))
    if not result.is_mapped:
        return Origin(network, None, ())
    platform = _platform(result, folder)
    if isinstance(platform, str):
        return Origin(network, None, (f"{platform}: there are no timelines",))
    return Origin(network, MachineModel(network, platform), ())


def _network(result: Result, folder: Path) -> Network | str:
    """The network as it was explored, or why there is none."""
    path = next((path for path in _places(result.spec, folder) if path.is_file()), None)
    if path is None:
        return f"the specification '{result.spec}' is not found"
    try:
        spec = load_checked(path, result.constants)
        if result.top not in spec.components:
            return f"'{path}' has no task '{result.top}' any more"
        network = canonical_form(spec, result.top).network
    except ArrayolError:
        return f"'{path}' is no longer the specification that was explored"
    if set(network.processes) != set(result.space.tasks):
        return f"'{path}' has other tasks than those that were explored"
    return network


def _platform(result: Result, folder: Path) -> Platform | str:
    if result.platform == GIVEN_AS_OBJECT:
        return "the platform was given as an object"
    try:
        if result.platform == DEFAULT_NAME:
            return load_platform(shipped_folder() / "platforms" / "default.toml")
        path = next((path for path in _places(result.platform, folder) if path.is_file()), None)
        return load_platform(path) if path else f"the platform '{result.platform}' is not found"
    except ArrayolError:
        return f"the platform '{result.platform}' can no longer be read"


def _places(name: str, folder: Path) -> Iterator[Path]:
    yield Path(name)
    yield folder.resolve().parent / Path(name).name
    yield folder.resolve() / Path(name).name
