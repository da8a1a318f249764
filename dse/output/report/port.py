"""The port to the external memory, as a report shows it: its width, and what twice the width would gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arrayol.errors import ArrayolError
from arrayol.text import counted
from dse.output.open_design import StoredDesign
from dse.output.report.sources import Origin
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import Platform


def port_document(origin: Origin) -> dict[str, Any] | None:
    """The words of the port, and whether loads and stores share it; None where there is no platform."""
    model = next(iter(origin.models.values()), None)
    if model is None:
        return None
    (channel,) = model.platform.channels
    bits = channel.word_bits
    words = counted(bits, "bit") if bits is not None else f"{channel.data_per_word or 1:,} data"
    words += f" in each of {channel.channels} channels" if channel.channels > 1 else ""
    return {"word": words, "shared": channel.port == "shared"}


def wider_ports(designs: Sequence[StoredDesign]) -> dict[str, int]:
    """By design its latency in cycles, were the words of the port twice as wide: same decisions, same units."""
    latencies = {}
    for opened in designs:
        try:
            model = MachineModel(opened.network, _wider(opened.platform), dict(opened.accesses.loads))
            latencies[opened.record.id] = model.evaluate(opened.design).latency_cycles
        except ArrayolError:  # of words that wide the model cannot count
            continue
    return latencies


def _wider(platform: Platform) -> Platform:
    """The platform with words of twice the width."""
    (memory,) = platform.channels
    name = "data_per_word" if memory.word_bits is None else "word_bits"
    twice = memory.model_copy(update={name: 2 * (getattr(memory, name) or 1)})
    return platform.model_copy(update={"memory": twice})
