"""The error that stops the simulation of a streaming group."""

from __future__ import annotations

from arrayol.errors import ArrayolError, Diagnostic


class StreamFaultError(ArrayolError):
    """A datum is not where and when its reader needs it."""


def stream_fault(message: str) -> StreamFaultError:
    """The error of a rule that a streaming group breaks."""
    return StreamFaultError([Diagnostic("stream-fault", message, hint="starts or line buffers do not fit the group")])
