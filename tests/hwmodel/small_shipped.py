"""Shipped specifications at sizes that are soon emitted and run, with what a short search finds of designs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from accuracy import Shipped
from shipped import SMALL

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.transforms.steps import canonical_form
from dse.space.study import Study
from dse.verify.verify import Verifier
from hwmodel.design import Design
from hwmodel.platform import find_platform

SMALLER = {"downscaler", "fir", "polyprod", "thumbnail"}  # at the sizes of the tests of what they compute


class Smaller(Shipped):
    """One that Icarus takes minutes for at the size of the platform."""

    @cached_property
    def verifier(self) -> Verifier:
        spec, platform = api.load(self.path), find_platform(self.path, None)[0]
        taken = platform.model_copy(update={"verify": dict(SMALL[self.name])})
        return Verifier(canonical_form(spec, choose_top(spec, None)), taken)


def quick_front(spec: Shipped) -> Sequence[Design]:
    """What a short search finds of designs with one or two units of each task."""
    loaded = api.load(spec.path, dict(spec.verifier.platform.verify))
    space = api.Space(study=Study(units=(1, 2), blocks="ladder"), narrow=True, verify=False)
    return api.explore(loaded, space=space, method="rounds", budget=1).decisions
