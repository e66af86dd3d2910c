#!/usr/bin/env python3
"""The table of scripts/reproduce-balance: images per second of unequal hosts, together and alone.

usage: balance_table.py FOLDER

FOLDER/SETTING/ROUND are runs; a setting is by_speed, equal, or alone_CPU. Prints Markdown.
"""
import json
import statistics
import sys
from pathlib import Path

from sweep_rows import spread


def rates(folder):
    """Images per second of the training steps of each run."""
    return [json.loads(file.read_text())["examples_per_second"]["mean"] for file in sorted(folder.glob("*/summary.json"))]


def main():
    runs = Path(sys.argv[1])
    alone = {folder.name.removeprefix("alone_"): rates(folder) for folder in sorted(runs.glob("alone_*"), reverse=True)}
    by_speed, equal = rates(runs / "by_speed"), rates(runs / "equal")
    shares = json.loads(next((runs / "by_speed").glob("*/summary.json")).read_text())["balance"]["shares"]
    together = sum(statistics.median(values) for values in alone.values())
    print("\n| hosts | images/s | share of the sum of speeds, % |\n| --- | ---: | ---: |")
    for cpu, values in alone.items():
        print(f"| {cpu} core alone | {spread(values, 1)} | |")
    print(f"| the sum of these speeds | {together:.1f} | 100 |")
    for name, values in ((f"together, shares by speed ({', '.join(map(str, shares))} images)", by_speed), ("together, equal shares", equal)):
        print(f"| {name} | {spread(values, 1)} | {100 * statistics.median(values) / together:.0f} |")


main()
