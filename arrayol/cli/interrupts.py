"""Ctrl-C: a KeyboardInterrupt as always, but never in the middle of an import and never lost.

An extension module that is interrupted while it loads turns the KeyboardInterrupt into an error of its own, loses it,
or aborts the process; and what is raised inside a finaliser only gets printed. The signal is then tried again a little
later. An import lasts a second at most.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

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
