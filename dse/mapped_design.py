"""From a stored design back to the decisions that models and the simulator take."""

from __future__ import annotations

from typing import cast

from dse.mapping_result import BlocksRecord, GroupRecord, MappedDesign
from dse.study import parse_scan
from hwmodel.design import BankLayout, Blocks, Design, GroupDesign, Policy, Processor


def design_of(record: MappedDesign) -> Design:
    """The mapping decisions of a stored design."""
    return Design(tuple(group_of(group) for group in record.groups))


def group_of(record: GroupRecord) -> GroupDesign:
    """The mapping decisions of one group."""
    return GroupDesign(
        tuple(Processor(one.task, one.units, _blocks(one.cut) if one.cut else None) for one in record.processors),
        _blocks(record.blocks),
        frozenset(record.fifos),
        tuple(BankLayout(one.array, one.banks, one.vector, one.block) for one in record.layouts),
        cast(Policy, record.policy),
        record.recompute,
    )


def _blocks(record: BlocksRecord) -> Blocks:
    return Blocks(record.shape, parse_scan(record.scan))
