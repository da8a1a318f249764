"""What `#pragma HLS` asks for, beside what arrayol decides about it."""

from __future__ import annotations

_DECIDED = {
    "unroll": "how many iterations run at once is chosen by explore: a body is unrolled, and units repeat it",
    "pipeline": "the initiation interval is chosen by explore, from those that the platform offers",
    "array_partition": "the banks of a local memory are chosen by explore",
    "array_reshape": "the words of a local memory are chosen by explore",
    "dataflow": "which tasks run behind each other in one group is chosen by explore",
    "inline": "functions are always inlined",
    "loop_flatten": "a repetition has no order of loops: explore chooses the scan",
    "loop_tripcount": "the sizes are those of the loops",
    "interface": "how data come to the chip is chosen by the platform, and by explore",
    "dependence": "which iterations depend on each other is decided exactly",
    "resource": "what a datapath is built of is chosen by the platform's technology",
    "bind_storage": "what a local memory is built of is chosen by the platform",
    "bind_op": "what an operator is built of is chosen by the platform's technology",
    "stream": "which arrays go through FIFOs is chosen by explore",
    "latency": "the latency of a datapath is derived from its body",
    "allocation": "how often an operator is built is chosen by explore",
    "expression_balance": "operations keep the order of the C, so that the bits do",
}


def hls_remark(text: str) -> str | None:
    """What becomes of a pragma's request; None for a pragma of something else."""
    words = text.split()
    if not words or words[0].upper() != "HLS":
        return None
    kind = words[1].lower() if len(words) > 1 else ""
    decided = _DECIDED.get(kind, "it has no counterpart and changes nothing here")
    return f"#pragma {text}: {decided}"
