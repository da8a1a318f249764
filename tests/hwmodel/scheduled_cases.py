"""Generated designs scheduled as hardware."""

from __future__ import annotations

from strategies_designs import MappedSpec

from dse.output.hardware.later_frames import later_frames, video_of
from dse.verify.testbench import Testbench, accepted_data, memories_of_groups, run_simulation
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.emit.schedule.design import HardwareDesign, schedule_design, with_frames, with_later_frames
from hwmodel.emit.streams.port_schedule import VERILOG_STREAMS
from hwmodel.emit.verilog.coverage import Coverage, keeps_frames
from hwmodel.simulator.simulate import Simulation


def scheduled(case: MappedSpec, *, as_verilog: bool = True) -> tuple[Simulation, HardwareDesign | None]:
    """The simulation of a case and its hardware, for Verilog or for C++; None where only tokens move.

    Raises ArrayolError where the model or the hardware refuses it.
    """
    bench = Testbench(case.spec, case.network, case.platform, case.loads)
    accesses = bench.accesses.of_frames("inside" if any(map(keeps_frames, case.design.groups)) else "outside")
    data = accepted_data(case.spec, accesses)
    inputs = None if data is None else data.inputs
    Coverage(bench.accesses, case.platform, as_verilog=as_verilog).require(case.design)
    estimate = bench.model.evaluate(case.design)
    simulation = run_simulation(case.spec, bench.accesses, case.platform, case.design, estimate, inputs)
    if inputs is None or simulation.identical is None:
        return simulation, None
    local = memories_of_groups(bench.accesses, case.platform, case.design, estimate)
    streams = VERILOG_STREAMS if as_verilog else CPP_STREAMS
    design = schedule_design(case.spec, accesses, case.platform, local, simulation, inputs, streams)
    if design.buffers is not None:
        video = video_of(case.spec, accesses, design.buffers, inputs)
        return simulation, with_frames(design, accesses, *video)
    later = later_frames(case.spec, bench.accesses, inputs, periods=design.periods)
    return simulation, with_later_frames(design, case.spec, bench.accesses, later)
