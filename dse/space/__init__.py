"""What may be chosen: fusions, studies, mappings, their options and objectives, and how many designs there are."""
