"""Pictures of a specification: the task graph and the tilers of a task; a door to matplotlib and networkx."""
