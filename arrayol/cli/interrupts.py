"""Signals that ask the command to end: Ctrl-C, `kill`, a terminal that goes away.

All of them become a KeyboardInterrupt, so that what cleans up after one cleans up after each, but never in the middle
of an import or of the start of a process, and never lost. An extension module that is interrupted while it loads turns
the KeyboardInterrupt into an error of its own, loses it, or aborts the process; a process that is not yet known to have
started is never ended; and what is raised inside a finaliser only gets printed. The signal is then tried again a little
later: both last a second or so. Where there is no timer, as on Windows, the interrupt comes at once, as Python's own
does.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

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
