"""How fast work goes and how long it will still take, from what was done at which time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

WINDOW = 30.0  # seconds that rates are taken over, or the later half of the time, where that is longer
SETTLED = 2.0  # seconds before anything is said of the time left
_TOO_SHORT = 0.5  # seconds before anything is said of rates
_SAMPLES = 200  # about so many are held of a window
_LEAST_LEFT = 1.0  # seconds; of less, and of work that takes longer than it should, nothing is said


@dataclass(frozen=True, slots=True)
class Sample:
    """What was done at a time: a count, and the share of all work, where that is known."""

    at: float
    count: int
    work: float | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """From one sample to the last one, of work that `began` at some time."""

    began: float
    first: Sample
    last: Sample

    def rate(self, now: float) -> float | None:
        """What is counted in a second; None before that can be told. It falls when long nothing comes."""
        seconds = max(self.last.at - self.first.at, now - self.last.at)
        count = self.last.count - self.first.count
        return count / seconds if seconds >= _TOO_SHORT and count > 0 else None

    def left(self, now: float) -> float | None:
        """Seconds until all work is done; None where that cannot be told, or not any more."""
        before, after = self.first.work, self.last.work
        if before is None or after is None or after <= before or now - self.began < SETTLED:
            return None
        whole = (self.last.at - self.first.at) * (1 - after) / (after - before)
        left = whole - (now - self.last.at)
        return left if left >= _LEAST_LEFT else None


class Pace:
    """Samples of one piece of work; the first counts as its beginning."""

    def __init__(self) -> None:
        self._samples: deque[Sample] = deque()
        self._began = 0.0

    def note(self, sample: Sample) -> Stretch:
        """Take one more, and give the stretch that rates are taken over."""
        samples = self._samples
        if not samples:
            self._began = sample.at
        window = max(WINDOW, (sample.at - self._began) / 2)
        if len(samples) > 1 and sample.at - samples[-2].at < window / _SAMPLES:
            samples[-1] = sample
        else:
            samples.append(sample)
        while len(samples) > 2 and samples[1].at <= sample.at - window:
            samples.popleft()
        return Stretch(self._began, samples[0], samples[-1])
