#!/usr/bin/env python3
"""The tables of scripts/reproduce-filter-parallel: time of a step, speed-up, bytes and imbalance.

usage: filter_parallel_table.py FOLDER CSV [ALONE]

FOLDER/KERNELS/BATCH/NODES/RULE/ROUND are runs. Prints Markdown, and writes the rows to CSV. ALONE: such a folder that has the runs
of one host (default: FOLDER).
"""
import csv
import json
import os
import statistics
import sys
from pathlib import Path

from sweep_rows import write_rows

WARM_UP = int(os.environ.get("WARM_UP", "2"))
COLUMNS = ["kernels", "batch", "hosts", "rule", "runs", "steps", "step_ms", "step_ms_least", "step_ms_greatest", "speed_up", "sent_mb_per_step",
           "imbalance_pct"]


def steps_ms(run):
    """Milliseconds of each step that counts, of the slowest node. A run of one step has no other."""
    times = {}
    with open(run / "steps.csv") as file:
        for row in csv.DictReader(file):
            times[int(row["step"])] = max(times.get(int(row["step"]), 0.0), float(row["step_us"]) / 1000)
    warm_up = min(WARM_UP, len(times) - 1)
    return [time for step, time in times.items() if step > warm_up]


def imbalance_pct(run, nodes):
    """How much longer than the mean the slowest node computes in the layers that are cut, in per cent."""
    parts = {}
    for node in nodes:
        for name, _, _, _ in node.get("parts", []):
            parts.setdefault(name.removesuffix(".weight").removesuffix(".bias"), set()).add(node["node"])
    if not parts:
        return 0.0
    times = {node["node"]: 0.0 for node in nodes}
    with open(run / "operators.csv") as file:
        for row in csv.DictReader(file):
            own = row["total_us"] and not row["in_flight_us"] and row["kind"] not in ("concat", "slice")
            if row["phase"] == "train" and own and row["name"] in parts:
                times[int(row["node"])] += float(row["total_us"])
    return 100 * (max(times.values()) / statistics.mean(times.values()) - 1)


def figures(run):
    nodes = json.loads((run / "summary.json").read_text())["per_node"]
    sent = sum(node["sent_bytes"] for node in nodes) / 1e6 / max(node["steps"] for node in nodes)
    steps = steps_ms(run)
    # A mean: quotas make single steps unlike.
    return statistics.mean(steps), len(steps), sent, imbalance_pct(run, nodes)


def rows_of(folder):
    """A row for each setting of a folder."""
    rows = []
    for runs in folder.glob("*/*/*/*"):
        kernels, batch, hosts, rule = runs.parts[-4:]
        steps, counted, sent, unequal = zip(*(figures(run) for run in sorted(runs.iterdir())))
        rows.append({"kernels": kernels, "batch": int(batch), "hosts": int(hosts), "rule": rule, "runs": len(steps),
                     "steps": min(counted), "step_ms": statistics.median(steps),
                     "step_ms_least": min(steps), "step_ms_greatest": max(steps), "sent_mb_per_step": statistics.median(sent),
                     "imbalance_pct": statistics.median(unequal)})
    return rows


def main():
    folder = Path(sys.argv[1])
    rows = rows_of(folder)
    alone_in = rows_of(Path(sys.argv[3])) if len(sys.argv) > 3 else rows
    alone = {(row["kernels"], row["batch"]): row["step_ms"] for row in alone_in if row["hosts"] == 1}
    for row in rows:
        row["speed_up"] = alone[row["kernels"], row["batch"]] / row["step_ms"]
    rows.sort(key=lambda row: (int(row["kernels"].split(":")[0]), row["batch"], row["rule"], row["hosts"]))
    write_rows(sys.argv[2], COLUMNS, rows, 3)
    print("\n| kernels | batch | hosts | rule | runs of steps | step, ms | speed-up | sent, MB a step, all nodes | imbalance, % |")
    print("| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: |")
    for row in rows:
        spread = f"{row['step_ms']:.0f} ({row['step_ms_least']:.0f} to {row['step_ms_greatest']:.0f})"
        print(f"| {row['kernels']} | {row['batch']} | {row['hosts']} | {row['rule'] if row['hosts'] > 1 else ''} | {row['runs']} of {row['steps']} | {spread} | "
              f"{row['speed_up']:.2f} | {row['sent_mb_per_step']:.1f} | {row['imbalance_pct']:.1f} |")


main()
