#!/usr/bin/env python3
"""The table of scripts/reproduce-allreduce: in-flight and exposed reduction time by batch size.

usage: allreduce_table.py FOLDER STEPS

FOLDER/BATCH/ROUND/SYSTEM are runs of two epochs of STEPS steps each, of which the second counts.
"""
import csv
import statistics
import sys
from pathlib import Path

from sweep_rows import spread

SYSTEMS = {"overlap": "overlap", "forward": "forward", "end_of_step": "end of step"}
FIGURES = ("in_flight_us", "exposed_us", "exposed_skew_us")


def figures_of(run, steps):
    """Milliseconds a step and node that the gradients' reductions took in training."""
    with open(run / "operators.csv") as file:
        rows = [row for row in csv.DictReader(file) if row["phase"] == "train" and row["epoch"] == "2"]
    nodes = len({row["node"] for row in rows})
    sums = [row for row in rows if row["in_flight_us"]]
    return {figure: sum(float(row[figure]) for row in sums) / steps / nodes / 1000 for figure in FIGURES}


def main():
    folder, steps = Path(sys.argv[1]), int(sys.argv[2])
    columns = ["batch"]
    columns += [f"in flight, {name}" for name in SYSTEMS.values()]
    columns += [f"exposed, {name}" for name in SYSTEMS.values()]
    columns += [f"of it skew, {name}" for name in SYSTEMS.values()]
    for ratio in ("exposed", "exposed without skew"):
        columns += [f"{ratio}: end of step / {name}" for name in ("overlap", "forward")]
    print("\n|", " | ".join(columns), "|\n|", " | ".join(["---:"] * len(columns)), "|")
    for batch in sorted(int(path.name) for path in folder.iterdir()):
        rounds = [{system: figures_of(each / system, steps) for system in SYSTEMS}
                  for each in (folder / str(batch)).iterdir()]
        cells = [str(batch)]
        for figure in FIGURES:
            for system in SYSTEMS:
                cells.append(f"{statistics.median(each[system][figure] for each in rounds):.2f}")
        for without in (False, True):
            def cost(each, system):
                return max(each[system]["exposed_us"] - without * each[system]["exposed_skew_us"], 0.01)
            for system in ("overlap", "forward"):
                cells.append(spread([cost(each, "end_of_step") / cost(each, system) for each in rounds], 1))
        print("|", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
