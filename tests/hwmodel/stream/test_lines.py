"""The lines of a picture of a streaming group, beside the pulses in which its nodes fire."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume, given, settings
from many_cases import case_count
from strategies_streams import Drawn, streams
from stream_networks import case_of

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from hwmodel.accesses import Accesses
from hwmodel.cost_model.streaming.stream_lines import LinesOfNode, lines_of_nodes
from hwmodel.stream.enumerated import every_repetition
from hwmodel.stream.model import StreamModel
from hwmodel.stream.nodes import Node
from hwmodel.stream.pulses import fired
from hwmodel.streamed import Firing, Stream, StreamedGroup


def streamed(drawn: Drawn) -> tuple[StreamModel, StreamedGroup] | None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(drawn.text)
        spec = load_checked(path, {})
    network = flatten(spec, choose_top(spec, None))
    model = StreamModel(Accesses(network), tuple(network.processes))
    try:
        return model, model.streamed(drawn.stream)
    except ArrayolError:
        return None


def agree(own: LinesOfNode, node: Node, firing: Firing) -> None:
    """Each firing before the end of what is shown lies in one bar, and each bar begins with one."""
    pulses = fired(firing, every_repetition(node))
    ends = max(end for _, end in own.shown)
    assert all(own.shown[at][1] <= own.shown[at + 1][0] for at in range(len(own.shown) - 1))
    assert {begin for begin, _ in own.shown} <= set(pulses.tolist())
    shown = pulses[pulses < (ends if len(own.shown) == own.lines or own.whole else own.shown[-1][0])]
    assert all(any(begin <= pulse < end for begin, end in own.shown) for pulse in shown.tolist())


@settings(max_examples=case_count(30))
@given(streams())
def test_bars_are_where_nodes_fire(drawn: Drawn) -> None:
    found = streamed(drawn)
    assume(found is not None)
    assert found is not None
    model, group = found
    for own in lines_of_nodes(group):
        agree(own, model.group.nodes[own.node], group.nodes[own.node].firing)


def test_lines_of_a_chain_and_of_a_wrap(tmp_path: Path) -> None:
    chain = {own.node: own for own in lines_of_nodes(case_of("unsharp", tmp_path).model.streamed(Stream()))}
    assert (chain["load i"].lines, chain["load i"].shown[:2]) == (320, ((0, 480), (480, 960)))
    assert chain["blur_y"].shown[0] == (482, 962)
    wrap = lines_of_nodes(case_of("pyramid", tmp_path, H=120, W=160).model.streamed(Stream(raster=True)))
    assert all(own.whole and len(own.shown) == 1 for own in wrap)


def test_a_line_of_one_pulse(tmp_path: Path) -> None:
    group = case_of("unsharp", tmp_path, H=4, W=8).model.streamed(Stream(pace=Fraction(1, 8)))
    (load,) = (own for own in lines_of_nodes(group) if own.node == "load i")
    assert (load.lines, load.shown[:2]) == (4, ((0, 1), (1, 2)))
