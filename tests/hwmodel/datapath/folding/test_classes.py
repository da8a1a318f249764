"""Classes of operators, the operators that an interval needs, and the intervals worth trying, by brute force."""

from hypothesis import given
from hypothesis import strategies as st
from strategies_dataflow import graphs

from hwmodel.datapath.folding.classes import FEW, HUGE, MANY, TRIED, classes_of, intervals_worth_trying, units_wanted
from hwmodel.datapath.schedule.dataflow import dataflow_of

COUNTS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 5)), min_size=1, max_size=4)


@given(COUNTS.filter(lambda counts: sum(operations for operations, _ in counts) <= MANY))
def test_the_least_interval_of_each_vector_of_operators(counts):
    least = max(every for _, every in counts)
    longest = max(operations * every for operations, every in counts)
    vectors = {}
    for interval in range(least, max(least, longest) + 1):
        vectors.setdefault(tuple(units_wanted(*count[:1], interval, count[1]) for count in counts), interval)
    assert intervals_worth_trying(counts) == tuple(vectors.values())


@given(st.lists(st.tuples(st.integers(1, 5000), st.integers(1, 3)), min_size=1, max_size=4))
def test_of_many_operations_some_intervals_the_first_and_the_last_among_them(counts):
    intervals = intervals_worth_trying(counts)
    assert list(intervals) == sorted(set(intervals))
    assert intervals[0] == max(every for _, every in counts)
    assert all(units_wanted(operations, intervals[-1], every) == 1 for operations, every in counts)
    operations = sum(operations for operations, _ in counts)
    if operations > MANY:
        assert len(intervals) <= (TRIED if operations <= HUGE else FEW)


def test_more_intervals_up_to_ten_thousand_operations_than_above():
    assert intervals_worth_trying([(HUGE, 1)]) == (1, 6, 40, 250, 1667, 10_000)
    assert intervals_worth_trying([(HUGE + 1, 1)]) == (1, 22, 455, 10_001)


@given(st.integers(1, 500), st.integers(1, 60), st.integers(1, 9))
def test_operators_hold_all_operations_and_one_less_does_not(operations, starts, every):
    interval = starts * every + every - 1
    units = units_wanted(operations, interval, every)
    assert (units - 1) * starts < operations <= units * starts


@given(graphs())
def test_operations_of_a_class_differ_little_and_all_are_in_one(graph):
    dataflow = dataflow_of(graph)
    classes, by_operation = classes_of(dataflow)
    assert sum(each.operations for each in classes) == len(dataflow.operands)
    for place, each in enumerate(classes):
        own = [dataflow.kinds[kind] for kind, of in zip(dataflow.kind, by_operation, strict=True) if of == place]
        assert len(own) == each.operations
        assert {operation.operator for operation in own} == {each.operation.operator}
        for name in ("w", "a", "b", "n", "k"):
            assert getattr(each.operation, name) == max(getattr(operation, name) for operation in own)
        assert max(operation.w for operation in own) - min(operation.w for operation in own) < 8
        if each.operation.operator == "mul":
            for pick in (min, max):
                widths = [pick(operation.a, operation.b) for operation in own]
                assert max(widths) - min(widths) < 8
