"""The entry point of the installed command: run one command, and say in one place what becomes of what it raises.

At its top this module imports little more than the standard library, so that an interrupt during any later
import, click's own included, is answered like every other.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from arrayol.errors import ArrayolError

# Ctrl-C: a KeyboardInterrupt as always, but never in the middle of an import and never lost.
#
# An extension module that is interrupted while it loads turns the KeyboardInterrupt into an error of its own, loses
# it, or aborts the process; and what is raised inside a finaliser only gets printed. The signal is then tried again a
# little later. An import lasts a second at most.

_RETRY_SECONDS = 0.01


class Interrupts:
    """The process's answer to SIGINT, from `install` to `close`. It takes SIGALRM for its second tries."""

    def __init__(self) -> None:
        self.noted = False

    def install(self) -> None:
        """Take over SIGINT, unless whoever started the process has it ignored, as for a shell's background jobs."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._interrupt)
            signal.signal(signal.SIGALRM, self._interrupt)
            sys.unraisablehook = self._not_lost

    def close(self) -> None:
        """After the last output: nothing can be left half-written, so a late Ctrl-C changes nothing any more.

        Where an earlier one has ended the command, another ends what may still hang, without a word.
        """
        signal.signal(signal.SIGINT, signal.SIG_DFL if self.noted else signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _interrupt(self, signum: int, frame: FrameType | None) -> None:
        self.noted = True
        if _importing(frame):
            _try_again()
        else:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    def _not_lost(self, lost: sys.UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            _try_again()
        else:
            sys.__unraisablehook__(lost)


def _try_again() -> None:
    """Again and again: a signal just before a system call that waits would only be seen when that returns."""
    signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS, _RETRY_SECONDS)


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
READER_LEFT = 141  # 128 + SIGPIPE, as for every tool whose reader ends early
DEFECT = 70  # EX_SOFTWARE of sysexits.h
TRACEBACK_VARIABLE = "ARRAYOL_TRACEBACK"


def main() -> None:
    """Run the command line of sys.argv and exit with its code."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: more threads only cost time
    interrupts = Interrupts()
    try:
        interrupts.install()
        code = run(sys.argv[1:], interrupts)
    except KeyboardInterrupt:  # before the first step, or once more while the first is being answered
        code = INTERRUPTED
    interrupts.close()
    sys.exit(code)


def run(arguments: Sequence[str], interrupts: Interrupts | None = None) -> int:
    """Run one command and return its exit code; whatever it raises becomes a message on stderr."""
    try:
        try:
            code = _invoke(arguments)
        except SystemExit as stop:
            code = _code_of_exit(stop)
        sys.stdout.flush()
    except BaseException as raised:
        code = _answer(raised, interrupted=interrupts is not None and interrupts.noted)
    return code


def _invoke(arguments: Sequence[str]) -> int:
    from arrayol.cli.commands import invoke  # noqa: PLC0415  so that an interrupt while click loads is answered too

    return invoke(arguments)


def _code_of_exit(stop: SystemExit) -> int:
    """The code of a SystemExit; rich raises one where its reader has left."""
    if isinstance(stop.__context__, BrokenPipeError):
        raise stop.__context__
    if stop.code is None or isinstance(stop.code, int):
        return stop.code or 0
    _complain(str(stop.code))
    return 1


def _answer(raised: BaseException, *, interrupted: bool) -> int:
    """Say on stderr what happened, and return the exit code for it."""
    if os.environ.get(TRACEBACK_VARIABLE, "0") not in {"", "0"}:
        sys.excepthook(type(raised), raised, raised.__traceback__)
    if interrupted or isinstance(raised, KeyboardInterrupt):  # some libraries raise another error instead
        _complain("interrupted")
        return INTERRUPTED
    if isinstance(raised, ArrayolError):
        _complain(str(raised))
        return raised.exit_code
    if isinstance(raised, BrokenPipeError):
        _discard_output()
        return READER_LEFT
    if isinstance(raised, MemoryError):
        _complain("error[out-of-memory]: this needs more memory than there is")
        return 1
    if isinstance(raised, OSError):
        return _answer_system(raised)
    _complain(
        f"internal error: {type(raised).__name__}: {' '.join(str(raised).split()) or 'no message'}\n"
        f"  This is a mistake in arrayol, not in your input. Please report it with the command and its files;\n"
        f"  {TRACEBACK_VARIABLE}=1 shows where it happened."
    )
    return DEFECT


def _answer_system(raised: OSError) -> int:
    """What the operating system refused: a full disk, a folder without permission."""
    place = f"{raised.filename}: " if raised.filename is not None else ""
    _complain(f"{place}error[system]: {raised.strerror or raised}")
    _discard_output()
    return 1


def _complain(text: str) -> None:
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
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
