# SPDX-License-Identifier: BSD-3-Clause
"""CPU time and memory of processes, read from /proc."""
import os
from pathlib import Path

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def _stat_fields(pid):
    """The fields of /proc/PID/stat from the third on; the second may hold spaces."""
    text = Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2 :].split()


def _children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def tree(pid):
    """The process and all its living descendants."""
    pids, todo = [], [pid]
    while todo:
        current = todo.pop()
        pids.append(current)
        todo += _children(current)
    return pids


def cpu_seconds(pid):
    """User and system time of the process tree, with the children that it has waited for."""
    total = 0
    for member in tree(pid):
        utime, stime, cutime, cstime = map(int, _stat_fields(member)[11:15])
        total += utime + stime + cutime + cstime
    return total / TICKS_A_SECOND


def memory_bytes(pid):
    """Memory of the process tree that is its own: 'private' (of all kinds) and 'anonymous'."""
    totals = {"private": 0, "anonymous": 0}
    for member in tree(pid):
        for line in Path(f"/proc/{member}/smaps_rollup").read_text().splitlines()[1:]:
            name, _, rest = line.partition(":")
            key = "private" if name.startswith("Private_") else name.lower()
            if key in totals:
                totals[key] += int(rest.split()[0]) * 1024
    return totals
