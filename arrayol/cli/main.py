"""The entry point of the installed command: runs one command, ends it when a signal asks, and reports errors.

At its top this module imports little more than the standard library, so that an interrupt during any later
import, click's own included, is answered like every other.

All signals that ask a command to end become a KeyboardInterrupt, so that what cleans up after one cleans up after each,
but never in the middle of an import or of the start of a process, and never lost. An extension module that is
interrupted while it loads turns the KeyboardInterrupt into an error of its own, loses it, or aborts the process; a
process that is not yet known to have started is never ended; and what is raised inside a finaliser only gets printed.
The signal is then tried again a little later: both last a second or so. Where there is no timer, as on Windows, the
interrupt comes at once, as Python's own does.
"""

from __future__ import annotations

import errno
import gc
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, TextIO

from arrayol.errors import ArrayolError, Diagnostic, document_of, render

# What each is called in messages. Which of them there are depends on the system.
_WORDS = {"SIGINT": "interrupted", "SIGBREAK": "interrupted", "SIGTERM": "terminated", "SIGHUP": "the terminal is gone"}
_NUMBERS = {int(getattr(signal, name)): word for name, word in _WORDS.items() if hasattr(signal, name)}
_RETRY_SECONDS = 0.01
_HAS_TIMER = hasattr(signal, "setitimer") and hasattr(signal, "SIGALRM")


class Interrupts:
    """The process's answer to these signals, from `install` to `close`. It takes SIGALRM for its second tries."""

    def __init__(self) -> None:
        self.noted: int | None = None  # the first that came
        self._taken: list[int] = []

    def install(self) -> None:
        """Take over each signal, unless whoever started the process has it ignored, as a shell does, or `nohup`."""
        for number in _NUMBERS:
            if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
                signal.signal(number, self._interrupt)
                self._taken.append(number)
        if self._taken and _HAS_TIMER:
            signal.signal(signal.SIGALRM, self._interrupt)
            sys.unraisablehook = self._not_lost

    def close(self) -> None:
        """After the last output: nothing can be left half-written, so a late signal changes nothing any more.

        Where an earlier one has ended the command, another ends what may still hang, without a word.
        """
        for number in self._taken:
            signal.signal(number, signal.SIG_IGN if self.noted is None else signal.SIG_DFL)
        _stop_timer()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.noted is None:
            self.noted = number
        if _HAS_TIMER and _is_delicate(frame):
            _try_again()
        else:
            _stop_timer()
            raise KeyboardInterrupt

    def _not_lost(self, lost: sys.UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            _try_again()
        else:
            sys.__unraisablehook__(lost)


def word_of(number: int) -> str:
    """What a signal has done to the command."""
    return _NUMBERS[number]


def _try_again() -> None:
    """Again and again: a signal just before a system call that waits would only be seen when that returns."""
    signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS, _RETRY_SECONDS)


def _stop_timer() -> None:
    if _HAS_TIMER:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _is_delicate(frame: FrameType | None) -> bool:
    """Whether an import or the start of a process is on its way."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        if frame.f_code.co_name == "start" and frame.f_globals.get("__name__") == "multiprocessing.process":
            return True
        frame = frame.f_back
    return False


BY_SIGNAL = 128  # and the signal's number, as a shell reports it
READER_LEFT = 141  # 128 + SIGPIPE, as for every tool whose reader ends early
DEFECT = 70  # EX_SOFTWARE of sysexits.h
TRACEBACK_VARIABLE = "ARRAYOL_TRACEBACK"


def main() -> None:
    """Run the command line of sys.argv and exit with its code."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: more threads only cost time
    gc.set_threshold(10_000, 60, 50)  # of what a command makes, little is freed by more frequent looks
    interrupts = Interrupts()
    try:
        interrupts.install()
        _open_closed_streams()
        code = run(sys.argv[1:], interrupts)
    except KeyboardInterrupt:  # before the first step, or once more while the first is being answered
        code = BY_SIGNAL + (interrupts.noted or signal.SIGINT)
    interrupts.close()
    gc.freeze()  # what there is ends with the process: the interpreter need not look through it once more
    sys.exit(code)


def run(arguments: Sequence[str], interrupts: Interrupts | None = None) -> int:
    """Run one command and return its exit code; whatever it raises becomes a message on stderr.

    Where `--json` is asked for, stdout gets it too, as the one document of the command.
    """
    try:
        try:
            code = _invoke(arguments)
        except SystemExit as stop:
            code = _code_of_exit(stop)
        sys.stdout.flush()
    except BaseException as raised:
        end = _end_of(raised, interrupts.noted if interrupts else None)
        code = end.code
        _tell(raised, end, as_json=_wants_json(arguments))
    return code


def _invoke(arguments: Sequence[str]) -> int:
    from arrayol.cli.command_table import invoke  # noqa: PLC0415  so that an interrupt while click loads is answered too

    return invoke(arguments)


def _code_of_exit(stop: SystemExit) -> int:
    """The code of a SystemExit; rich raises one where its reader has left."""
    if isinstance(stop.__context__, BrokenPipeError):
        raise stop.__context__
    if stop.code is None or isinstance(stop.code, int):
        return stop.code or 0
    _complain(str(stop.code))
    return 1


# How a command ends that has raised something.


@dataclass(frozen=True, slots=True)
class _End:
    """Its exit code, what stderr gets, and the same as data; none of both where nobody reads any more."""

    code: int
    text: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    found: Mapping[str, Any] = field(default_factory=dict)  # what is known all the same


def _end_of(raised: BaseException, noted: int | None) -> _End:
    if noted is not None or isinstance(raised, KeyboardInterrupt):  # some libraries raise another error instead
        return _interrupted(raised, noted or signal.SIGINT)
    if isinstance(raised, ArrayolError):
        return _End(raised.exit_code, str(raised), raised.diagnostics, raised.found)
    if isinstance(raised, BrokenPipeError):
        return _End(READER_LEFT)
    if isinstance(raised, MemoryError):
        return _reported(Diagnostic("out-of-memory", "this needs more memory than there is"))
    if isinstance(raised, OSError):
        return _reported(_refused_by_system(raised))
    message = f"{type(raised).__name__}: {' '.join(str(raised).split()) or 'no message'}"
    text = (
        f"internal error: {message}\n"
        f"  This is a mistake in arrayol, not in your input. Please report it with the command and its files;\n"
        f"  {TRACEBACK_VARIABLE}=1 shows where it happened."
    )
    hint = f"this is a mistake in arrayol: please report it; {TRACEBACK_VARIABLE}=1 shows where it happened"
    return _End(DEFECT, text, (Diagnostic("internal", message, hint=hint),))


def _reported(diagnostic: Diagnostic) -> _End:
    return _End(1, render(diagnostic), (diagnostic,))


def _interrupted(raised: BaseException, number: int) -> _End:
    """By a signal; what the command has to say of it are the notes of the exception."""
    notes, word = getattr(raised, "__notes__", []), word_of(number)
    return _End(
        BY_SIGNAL + number, "\n".join([*notes, word]), (Diagnostic("interrupted", word, hint="; ".join(notes) or None),)
    )


def _refused_by_system(raised: OSError) -> Diagnostic:
    """A full disk, a folder without permission, a stream that is closed."""
    message = raised.strerror or str(raised)
    if raised.errno == errno.EBADF and raised.filename is None:
        message = "stdout is closed or not open for writing, and what it should get is lost"
    return Diagnostic("system", message, file=None if raised.filename is None else str(raised.filename))


def _tell(raised: BaseException, end: _End, *, as_json: bool) -> None:
    if os.environ.get(TRACEBACK_VARIABLE, "0") not in {"", "0"}:
        sys.excepthook(type(raised), raised, raised.__traceback__)
    if end.text:
        _complain(end.text)
    if as_json and end.diagnostics:
        _write(sys.stdout, json.dumps({**document_of(end.diagnostics), **end.found}, indent=2))
    elif isinstance(raised, OSError):
        _discard_output()


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` is among the options, also of a line that is wrong otherwise."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


# The standard streams, which may be closed, full, or without a reader.


def _open_closed_streams() -> None:
    """Give the process the streams that it was started without, as by `>&-`.

    No file that it opens can then take their places. What is written to stdout fails, as it must, and what is written
    to stderr goes nowhere.
    """
    for name, flags in (("stdin", os.O_RDONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, flags)  # the lowest that is free: that of the stream
            setattr(sys, name, open(descriptor, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def _complain(text: str) -> None:
    _write(sys.stderr, text)


def _write(stream: TextIO, text: str) -> None:
    """Write lines, if they can be."""
    try:
        stream.write(text + "\n")
        stream.flush()
    except OSError:
        _discard_output()


def _discard_output() -> None:
    """Let the interpreter's own flush at exit go nowhere instead of failing once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
