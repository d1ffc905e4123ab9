# SPDX-License-Identifier: BSD-3-Clause
"""Reports: the machine, Markdown tables and CSV files."""
import csv
import os
import platform
import shlex
import sys
import time
from pathlib import Path


def _cpu_model():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _memory_gib():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def machine_lines():
    """What the figures were measured on, as Markdown list items."""
    return [
        f"- date: {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}",
        f"- machine: {os.cpu_count()} x {_cpu_model()}, {_memory_gib():.0f} GiB",
        f"- kernel: {platform.system()} {platform.release()}",
        f"- command: `{shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])}`",
        f"- load average before: {os.getloadavg()[0]:.2f}",
    ]


def server_lines(servers, versions):
    """The version and the command of each server, as Markdown list items."""
    lines = []
    for server in servers:
        version = f"{versions[server.name]}, " if versions[server.name] else ""
        lines.append(f"- {server.name}: {version}`{server.command_text()}`")
    return lines


def table(columns, rows):
    """A Markdown table; numbers stand to the right. `rows` are lists of texts."""
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]

    def line(cells):
        first = cells[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        return "| " + " | ".join([first, *rest]) + " |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([line(columns), line(rule), *map(line, rows)])


def write(options, text, columns, rows):
    """Prints the report and writes the files that the options name. `rows` are dictionaries."""
    print(text)
    if options.markdown:
        Path(options.markdown).write_text(text + "\n")
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)
