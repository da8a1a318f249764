"""Arrays that streams pass on in another way, as a choice of the design: the networks that a study's keys make.

`serial`: a copy behind the task that makes an array in blocks writes it element by element, so that the line buffers of
its readers have one lane. `again`: each reader computes the array for itself, so that nothing of it waits. These are
networks with other tasks, as those that splits of sums make, and so a choice of whole designs. They are for line
buffers, so their groups are streams.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from arrayol.errors import ArrayolError, error
from arrayol.ir.network import Flow, Network, Process
from arrayol.ir.spec import RepetitiveTask
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.text import listed
from arrayol.transforms.again import Again
from arrayol.transforms.rewrite import call_name
from arrayol.transforms.serial import Serial
from arrayol.transforms.steps import Canonical, with_splits
from dse.space.study import AUTO, Study
from hwmodel.design import Splits

Change = tuple[str, str]  # a key of the study, and an array
KEYS = ("serial", "again")


def rewritten_networks(form: Canonical, study: Study) -> tuple[tuple[Splits, Network], ...]:
    """The networks that arrays passed on in another way make of a task in canonical form, in a fixed order.

    Arrays that the study lists are taken in all combinations, those that it leaves to us each by itself, and all of a
    key together. Raises
    ArrayolError (`study-misfit`) for an array that cannot be passed on as it is listed.
    """
    listed_arrays = [(key, array) for key in KEYS if getattr(study, key) != AUTO for array in getattr(study, key)]
    if listed_arrays and not study.has_streams:
        message = f"'{listed_arrays[0][0]}' is of streams, and the study has none"
        raise error("study-misfit", message, study.place(listed_arrays[0][0]), hint='add "stream" to styles')
    chosen = [
        [change for change, taken in zip(listed_arrays, flags, strict=True) if taken]
        for flags in product((False, True), repeat=len(listed_arrays))
    ]
    for change in listed_arrays:
        _require_array(form, study, change)
    made = [_changed(form, study, changes) for changes in chosen if changes]
    if study.has_streams:
        made += [one for key in KEYS if getattr(study, key) == AUTO for one in _worthwhile(form, key)]
    networks = {tuple(map(str, one.first[len(form.first) :])): one.network for one in made}
    return tuple((steps, network) for steps, network in networks.items() if steps)


def are_of_streams(steps: Splits) -> bool:
    """Whether the groups of a network that these steps made are streams."""
    return any(step.split(maxsplit=1)[0] in KEYS for step in steps)


def _changed(form: Canonical, study: Study, changes: list[Change]) -> Canonical:
    """The form after all changes. Raises ArrayolError (`study-misfit`)."""
    for key, array in changes:
        try:
            form = _after(form, key, array)
        except ArrayolError as refused:
            why = refused.diagnostics[0]
            message = f"'{array}', which '{key}' lists, cannot be: {why.message}"
            raise error("study-misfit", message, study.place(key), hint=why.hint) from None
    return form


def _require_array(form: Canonical, study: Study, change: Change) -> None:
    """Raises ArrayolError (`study-misfit`) for an array that no task makes, or several do."""
    key, name = change
    array = form.network.arrays.get(name)
    made = [own for own in form.network.arrays.values() if own.producers]
    if array is None or not array.producers:
        hint = did_you_mean(name, [own.name for own in made]) or f"tasks make {listed([own.name for own in made])}"
        raise error("study-misfit", f"'{key}' names '{name}', which no task here makes", study.place(key), hint=hint)
    if len(array.producers) > 1:
        message = f"'{key}' names '{name}', of which {listed(array.producers)} make a part each"
        raise error("study-misfit", message, study.place(key), hint="name an array that one task makes")


def _worthwhile(form: Canonical, key: str) -> Iterator[Canonical]:
    """The forms with one array changed each, of those where it may help, and the one with all of them changed."""
    every = form
    for array in form.network.arrays.values():
        if len(array.producers) == 1 and array.readers and _may_help(form, key, array.name):
            try:
                yield _after(form, key, array.name)
                every = _after(every, key, array.name)
            except ArrayolError:
                continue
    yield every


def _may_help(form: Canonical, key: str, array: str) -> bool:
    """Whether lanes of an array are blocks; whether all that reads it is one window, and nothing else takes it."""
    network = form.network
    own = network.arrays[array]
    if key == "serial":
        return any(_size(flow) > 1 for flow in _producer(form, array).outputs if flow.array == array)
    reads = [flow for name in own.readers for flow in network.processes[name].inputs if flow.array == array]
    return len(own.readers) == len(reads) == 1 and _size(reads[0]) > 1 and not own.is_output


def _size(flow: Flow) -> int:
    return prod(extent or 1 for extent in flow.port.shape)


def _producer(form: Canonical, array: str) -> Process:
    (name,) = form.network.arrays[array].producers
    return form.network.processes[name]


def _after(form: Canonical, key: str, array: str) -> Canonical:
    """The form after one change. Raises ArrayolError (`step-refused`, `ambiguous-call`)."""
    if key == "serial":
        return with_splits(form, [Serial(call_name(_producer(form, array).name), _result(form, array))])
    while array in form.network.arrays and (readers := form.network.arrays[array].readers):
        form = with_splits(form, [Again(call_name(_producer(form, array).name), call_name(readers[0]))])
    return form


def _result(form: Canonical, array: str) -> str:
    """The result of its task that an array is."""
    process = _producer(form, array)
    task = form.spec.components[process.task]
    links = task.output_links if isinstance(task, RepetitiveTask) else ()
    results = (link.array for link, flow in zip(links, process.outputs, strict=False) if flow.array == array)
    return next(results, array)
