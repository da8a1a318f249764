"""The Python interface, for notebooks and scripts: what the commands do, without the terminal.

from arrayol import api

spec = api.load("lpsf.aol", {"W": 640, "H": 480})
smooth = api.run(spec, {"p0": picture})["p4"]
fused = api.transform(spec, ["fuse hflr vftd 4,1", "pave hfrl 1,8"])
Path("fused.aol").write_text(api.spec_text(fused.spec))
exploration = api.explore(spec)
for design in exploration.result.pareto:
    print(design.id, design.objectives)
api.write_result(exploration, "lpsf-explore")
design = api.open_design(spec, "lpsf-explore", "2+2:1")
print(design.simulate({"p0": picture}).mismatches)
emitted = api.emit_verilog(design, "lpsf-verilog", {"p0": picture})
print(api.check_verilog(emitted, "lpsf-verilog").mismatches)

A function takes a specification as `load` gives it, or a path (str or Path) of text or JSON, or a model that was built
in Python (`arrayol.api.model`), and `settings`: by name values of consts and files of const arrays. With a loaded
specification `settings` evaluates and checks it anew, without reading its file. What is wrong with an input raises
ArrayolError. Nothing but this page is loaded before a name is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from arrayol.packages import refuse_hidden_packages

if TYPE_CHECKING:
    from arrayol.api.banks import draw_layout as draw_layout
    from arrayol.api.banks import draw_layout_exploration as draw_layout_exploration
    from arrayol.api.banks import emit_layout as emit_layout
    from arrayol.api.banks import explore_layouts as explore_layouts
    from arrayol.api.banks import layout as layout
    from arrayol.api.banks import local_banks as local_banks
    from arrayol.api.c_import import import_c as import_c
    from arrayol.api.cost import cost as cost
    from arrayol.api.cost import draw_schedule as draw_schedule
    from arrayol.api.execution import run as run
    from arrayol.api.execution import transform as transform
    from arrayol.api.exploration import ComparedResults as ComparedResults
    from arrayol.api.exploration import Space as Space
    from arrayol.api.exploration import compare as compare
    from arrayol.api.exploration import design_steps as design_steps
    from arrayol.api.exploration import draw_breakdown as draw_breakdown
    from arrayol.api.exploration import draw_timeline as draw_timeline
    from arrayol.api.exploration import emit_designs as emit_designs
    from arrayol.api.exploration import explore as explore
    from arrayol.api.exploration import load_result as load_result
    from arrayol.api.exploration import memories as memories
    from arrayol.api.exploration import open_design as open_design
    from arrayol.api.exploration import pick as pick
    from arrayol.api.exploration import transform_design as transform_design
    from arrayol.api.exploration import write_report as write_report
    from arrayol.api.exploration import write_result as write_result
    from arrayol.api.exploration import write_trace as write_trace
    from arrayol.api.hardware import calibrate as calibrate
    from arrayol.api.hardware import check_hls as check_hls
    from arrayol.api.hardware import check_verilog as check_verilog
    from arrayol.api.hardware import emit_hls as emit_hls
    from arrayol.api.hardware import emit_verilog as emit_verilog
    from arrayol.api.hardware import synthesise as synthesise
    from arrayol.api.hardware import write_waveforms as write_waveforms
    from arrayol.api.nest import transfers as transfers
    from arrayol.api.pictures import Picture as Picture
    from arrayol.api.pictures import show as show
    from arrayol.api.pragma_study import study_of_pragmas as study_of_pragmas
    from arrayol.api.schema import json_schema as json_schema
    from arrayol.api.shown_progress import progress as progress
    from arrayol.api.spec import Source as Source
    from arrayol.api.spec import load as load
    from arrayol.api.spec import model_of as model_of
    from arrayol.api.spec import spec_json as spec_json
    from arrayol.api.spec import spec_text as spec_text
    from arrayol.api.way import way_to_hardware as way_to_hardware
    from arrayol.c_import.import_c import Imported as Imported
    from arrayol.errors import ArrayolError as ArrayolError
    from arrayol.errors import InfeasibleError as InfeasibleError
    from arrayol.ir.spec import Spec as Spec
    from arrayol.ir.syntax import Specification as Specification
    from arrayol.transforms.trace import Transformed as Transformed
    from dse.jobs.runner import Resources as Resources
    from dse.output.built_memories import BuiltMemories as BuiltMemories
    from dse.output.built_memories import BuiltMemory as BuiltMemory
    from dse.output.calibration import Calibration as Calibration
    from dse.output.hardware.emission import CheckedDesign as CheckedDesign
    from dse.output.hardware.emission import EmittedDesign as EmittedDesign
    from dse.output.open_design import Simulated as Simulated
    from dse.output.open_design import StoredDesign as StoredDesign
    from dse.output.synthesis import Synthesis as Synthesis
    from dse.results.designs import Design as Design
    from dse.results.exploration import Exploration as Exploration
    from dse.results.pick import Picked as Picked
    from dse.results.schema import Result as Result
    from dse.search.context import Method as Method
    from dse.search.context import Model as Model
    from dse.search.published import Progress as Progress
    from dse.space.study import Study as Study
    from hwmodel.banks.explore import LayoutDesign as LayoutDesign
    from hwmodel.banks.explore import LayoutExploration as LayoutExploration
    from hwmodel.banks.layouts import Choices as Choices
    from hwmodel.banks.layouts import Comparison as Comparison
    from hwmodel.cost_report import CostReport as CostReport
    from hwmodel.datapath.technology.technology import Technology as Technology
    from hwmodel.datapath.technology.technology import load_technology as load_technology
    from hwmodel.platform import Platform as Platform
    from hwmodel.platform import load_platform as load_platform
    from hwmodel.transfers.study import Transfers as Transfers

_MODULES = {  # every public name, and the module that has it
    "ArrayolError": "arrayol.errors",
    "BuiltMemories": "dse.output.built_memories",
    "BuiltMemory": "dse.output.built_memories",
    "Calibration": "dse.output.calibration",
    "CheckedDesign": "dse.output.hardware.emission",
    "Choices": "hwmodel.banks.layouts",
    "ComparedResults": "arrayol.api.exploration",
    "Comparison": "hwmodel.banks.layouts",
    "CostReport": "hwmodel.cost_report",
    "Design": "dse.results.designs",
    "EmittedDesign": "dse.output.hardware.emission",
    "Exploration": "dse.results.exploration",
    "Imported": "arrayol.c_import.import_c",
    "InfeasibleError": "arrayol.errors",
    "LayoutDesign": "hwmodel.banks.explore",
    "LayoutExploration": "hwmodel.banks.explore",
    "Method": "dse.search.context",
    "Model": "dse.search.context",
    "Picked": "dse.results.pick",
    "Platform": "hwmodel.platform",
    "Progress": "dse.search.published",
    "Resources": "dse.jobs.runner",
    "Result": "dse.results.schema",
    "Simulated": "dse.output.open_design",
    "Source": "arrayol.api.spec",
    "Space": "arrayol.api.exploration",
    "Spec": "arrayol.ir.spec",
    "Specification": "arrayol.ir.syntax",
    "StoredDesign": "dse.output.open_design",
    "Study": "dse.space.study",
    "Synthesis": "dse.output.synthesis",
    "Technology": "hwmodel.datapath.technology.technology",
    "Transfers": "hwmodel.transfers.study",
    "Transformed": "arrayol.transforms.trace",
    "calibrate": "arrayol.api.hardware",
    "check_hls": "arrayol.api.hardware",
    "check_verilog": "arrayol.api.hardware",
    "compare": "arrayol.api.exploration",
    "cost": "arrayol.api.cost",
    "design_steps": "arrayol.api.exploration",
    "draw_breakdown": "arrayol.api.exploration",
    "draw_layout": "arrayol.api.banks",
    "draw_layout_exploration": "arrayol.api.banks",
    "draw_schedule": "arrayol.api.cost",
    "draw_timeline": "arrayol.api.exploration",
    "emit_hls": "arrayol.api.hardware",
    "emit_layout": "arrayol.api.banks",
    "emit_verilog": "arrayol.api.hardware",
    "explore": "arrayol.api.exploration",
    "explore_layouts": "arrayol.api.banks",
    "import_c": "arrayol.api.c_import",
    "json_schema": "arrayol.api.schema",
    "layout": "arrayol.api.banks",
    "load": "arrayol.api.spec",
    "load_platform": "hwmodel.platform",
    "load_result": "arrayol.api.exploration",
    "load_technology": "hwmodel.datapath.technology.technology",
    "local_banks": "arrayol.api.banks",
    "memories": "arrayol.api.exploration",
    "open_design": "arrayol.api.exploration",
    "pick": "arrayol.api.exploration",
    "Picture": "arrayol.api.pictures",
    "show": "arrayol.api.pictures",
    "progress": "arrayol.api.shown_progress",
    "run": "arrayol.api.execution",
    "model_of": "arrayol.api.spec",
    "spec_json": "arrayol.api.spec",
    "spec_text": "arrayol.api.spec",
    "study_of_pragmas": "arrayol.api.pragma_study",
    "synthesise": "arrayol.api.hardware",
    "transfers": "arrayol.api.nest",
    "transform": "arrayol.api.execution",
    "emit_designs": "arrayol.api.exploration",
    "transform_design": "arrayol.api.exploration",
    "way_to_hardware": "arrayol.api.way",
    "write_report": "arrayol.api.exploration",
    "write_result": "arrayol.api.exploration",
    "write_trace": "arrayol.api.exploration",
    "write_waveforms": "arrayol.api.hardware",
}
__all__ = sorted(_MODULES)  # noqa: PLE0605

refuse_hidden_packages()  # before a name needs one of them

if "IPython" in sys.modules:  # a notebook, perhaps: values show themselves there
    import_module("arrayol.api.notebook").register()


def __getattr__(name: str) -> object:
    """A public name, from its module, which is loaded by the first use."""
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
