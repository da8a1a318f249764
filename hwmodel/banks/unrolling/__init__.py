"""From a task or elementary to the references of its unrolled loop nest."""
