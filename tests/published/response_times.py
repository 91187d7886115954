#!/usr/bin/env python3
"""Writes response_times.csv: response times of random task sets by the analyses of response-time-analysis 0.1.1 (PyPI), which
the Prosa project verified: first in first out, and fixed priorities without preemption. `pip install response-time-analysis`,
then `response_times.py > response_times.csv`. Time is discrete there: blocking is one unit less than the longest operation."""
import random

from response_time_analysis import fifo, fp
from response_time_analysis.model import (
    WCET, Deadline, FullyNonPreemptive, IdealProcessor, PeriodicWithJitter, Priority, Task, taskset)

print("# set,period,jitter,cost,priority (the smallest is the most urgent),response FIFO,response fixed priority")
source = random.Random(20261125)
made = 0
while made < 1000:
    rows = []
    for priority in range(source.randint(2, 5)):
        period = source.randint(10, 120)
        rows.append((period, source.choice([0, source.randint(0, period), source.randint(0, 3 * period)]),
                     source.randint(1, max(1, period // 2)), priority))
    if not 0.3 <= sum(cost / period for period, _, cost, _ in rows) <= 0.97:
        continue
    tasks = [Task(PeriodicWithJitter(period=period, jitter=jitter), FullyNonPreemptive(WCET(cost)), Deadline(period),
                  Priority(100 - priority)) for period, jitter, cost, priority in rows]
    whole = taskset(*tasks)
    in_order = fifo.rta(whole, IdealProcessor(), 1_000_000)
    by_priority = [fp.rta(whole, task, IdealProcessor(), 1_000_000) for task in tasks]
    if not (in_order.bound_found() and all(each.bound_found() for each in by_priority)):
        continue
    for (period, jitter, cost, priority), response in zip(rows, by_priority):
        print(f"{made},{period},{jitter},{cost},{priority},{in_order.response_time_bound},{response.response_time_bound}")
    made += 1
