# SPDX-License-Identifier: BSD-3-Clause
"""The command line that the run- scripts share."""
import argparse
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
BUILD = BENCH.parent / "build" / "release"


def words(text):
    return text.split(",")


def number(least, most):
    """A type for argparse: an int within limits."""

    def parse(text):
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value

    return parse


def choices_of(known):
    """A type for argparse: some of the known words, with commas between."""

    def parse(text):
        chosen = words(text)
        for word in chosen:
            if word not in known:
                raise argparse.ArgumentTypeError(f"{word} is none of {', '.join(known)}")
        return chosen

    return parse


def parser(description):
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--rounds", type=number(1, 100), default=1, help="of all in turn (1)")
    made.add_argument("--build", type=Path, default=BUILD, metavar="DIR", help=f"({BUILD})")
    made.add_argument("--markdown", metavar="FILE", help="also write the report there")
    made.add_argument("--csv", metavar="FILE", help="write the figures there")
    return made


def server_parser(description):
    """The same with what runs of servers have."""
    made = parser(description)
    made.add_argument("--only", type=words, metavar="NAME,...", help="these servers (all)")
    made.add_argument("--seconds", type=number(1, 600), default=5, help="of each load (5)")
    return made


def is_wanted(server, only):
    """A server is chosen by its name, or for Lario by that of the example alone."""
    return not only or server.name in only or server.name.split()[-1] in only
