"""The networks that a study makes of a task, as a choice of designs: split sums, arrays that streams pass on."""
