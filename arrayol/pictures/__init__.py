"""Pictures, data first and figure then: graph, tilers, layouts, transfers, timelines; a door to matplotlib."""
