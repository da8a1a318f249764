"""What of an imported specification stops on the way to hardware, asked before anything is explored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arrayol.api.spec import Source, load
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError, Diagnostic
from arrayol.ir.spec import RepetitiveTask, Spec
from arrayol.language.settings import Settings
from arrayol.text import few
from arrayol.transforms.steps import canonical_form
from hwmodel.emit.verilog.coverage import without_verilog
from hwmodel.platform import Platform, platform_of


def way_to_hardware(
    spec: Source, platform: Platform | None = None, *, settings: Settings | None = None, top: str | None = None
) -> tuple[str, ...]:
    """Say what stops `arrayol explore` and `arrayol emit verilog`: a line for each command, none if nothing does.

    - `platform`: a Platform, or None for the file beside the specification, or else the shipped default.
    - `settings`: see `load`. `top`: the task, needed if there are several that no other task calls.

    The commands check the same before they start. If a repetition of several tasks cannot be explored, further lines
    are about one step of it. Single designs, such as those with bank layouts, may still be refused later. Raises
    ArrayolError for a wrong specification; a platform that does not fit it is what stops `explore`.

    >>> api.way_to_hardware(spec)
    ()
    """
    loaded = load(spec, settings)
    try:
        fitting, _ = platform_of(loaded, platform)
    except ArrayolError as refused:  # such as a [verify] for consts that an import has made numbers of
        return (f"explore: {_text(refused.diagnostics)}",)
    return tuple(_lines(loaded, fitting, choose_top(loaded, top)))


def _lines(spec: Spec, platform: Platform, top: str) -> Iterator[str]:
    try:
        form = canonical_form(spec, top)
    except ArrayolError as refused:
        yield f"explore: {_text(refused.diagnostics)}"
        stopped = next((one for one in spec.tasks.values() if one.span == refused.diagnostics[0].span), None)
        if isinstance(stopped, RepetitiveTask):
            yield from _lines(spec, platform, stopped.callee)
        return
    if missing := without_verilog(form.network, platform):
        yield f"emit verilog: {_text(missing)}"


def _text(diagnostics: Sequence[Diagnostic]) -> str:
    """The first clauses of messages, and the hint of the first."""
    hint = diagnostics[0].hint
    return few([one.message.partition("; ")[0] for one in diagnostics]) + (f"; {hint}" if hint else "")
