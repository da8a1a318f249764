"""The published model of paper A on any network (design.md, section 4)."""

from __future__ import annotations

from arrayol.ir.network import Network
from hwmodel.design import Fusion
from hwmodel.platform import Platform
from hwmodel.published.estimate import Infeasible, PublishedDesign


class PublishedModel:
    """Prices fusions of one network on one platform."""

    def __init__(self, network: Network, platform: Platform) -> None:
        self.network = network
        self.platform = platform
        self.remarks: tuple[str, ...] = ()

    def evaluate(self, fusion: Fusion) -> PublishedDesign | Infeasible:
        """N_cu, X_out, IM and AL of a fusion."""
        raise NotImplementedError
