"""Datapaths of elementary tasks: operators of a body, technologies, schedules, folding, cost and energy."""
