#!/usr/bin/env python3
"""The page and the CSV file of scripts/reproduce-filter-parallel: time of a step, speed-up, bytes and imbalance.

usage: filter_parallel_page.py RUNS UNEQUAL PAGE CSV

RUNS/KERNELS/BATCH/NODES/RULE/ROUND are runs on equal hosts, UNEQUAL/... such runs on hosts of which two have half the processor time.
$CORES are the cores that all hosts shared. The whole table takes hours, so a group of rows (kernels, batch, speeds of the hosts) may come
from another day: rows of CSV whose group has no runs stay, and the page names the date, the commit and the machine of each group. A
speed-up is always over one host of the same RUNS.
"""
import csv
import json
import os
import statistics
import sys
from pathlib import Path

from sweep_rows import rows_of, write_rows

WARM_UP = int(os.environ.get("WARM_UP", "2"))
EQUAL, UNEQUAL = "equal", "1:1:0.5:0.5"
MEASURED = ["date", "commit", "processor", "host_cores", "link_mbit", "on_core"]
CORES = os.environ.get("CORES", "0")
COLUMNS = ["kernels", "batch", "hosts", "rule", "runs", "steps", "step_ms", "step_ms_least", "step_ms_greatest", "speed_up",
           "sent_mb_per_step", "imbalance_pct", "speeds", *MEASURED]


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


def measured(run):
    """When, by which program and on which hosts a run was made."""
    environment = json.loads((run / "environment.json").read_text())
    cluster = json.loads((run / "spec.json").read_text())["cluster"]
    return {"date": environment["date_utc"][:10], "commit": environment["build"]["commit"], "processor": environment["cpu"]["model"],
            "host_cores": f"{cluster['cpu']:g}", "link_mbit": f"{cluster['link_mbit']:g}", "on_core": CORES}


def require_one(origins, of):
    """The first of some origins. Ends the program if they differ by more than the day: times of several programs or machines do not stand
    beside each other."""
    for other in origins:
        for key in MEASURED:
            if key != "date" and other[key] != origins[0][key]:
                sys.exit(f"{of}: found {key} {other[key]} beside {origins[0][key]}; remove the older runs")
    return {key: origins[0][key] for key in MEASURED}


def measured_rows(folder, speeds):
    """A row for each setting of a folder, without its speed-up."""
    rows = []
    for runs in folder.glob("*/*/*/*"):
        kernels, batch, hosts, rule = runs.parts[-4:]
        rounds = sorted(runs.iterdir())
        steps, counted, sent, unequal = zip(*(figures(run) for run in rounds))
        origins = [measured(run) for run in rounds]
        rows.append({"kernels": kernels, "batch": batch, "hosts": hosts, "rule": rule, "runs": len(steps),
                     "steps": min(counted), "step_ms": statistics.median(steps),
                     "step_ms_least": min(steps), "step_ms_greatest": max(steps), "sent_mb_per_step": statistics.median(sent),
                     "imbalance_pct": statistics.median(unequal), "speeds": speeds, **require_one(origins, runs)})
    return rows


def group(row):
    return row["kernels"], row["batch"], row["speeds"]


def order(row):
    return int(row["kernels"].split(":")[0]), int(row["batch"]), row["rule"], int(row["hosts"]), row["speeds"]


def all_rows(runs, unequal, kept):
    """The rows of two folders, and those of kept whose group they do not have."""
    rows = measured_rows(runs, EQUAL) + measured_rows(unequal, UNEQUAL)
    for kernels, batch in {(row["kernels"], row["batch"]) for row in rows}:
        require_one([row for row in rows if (row["kernels"], row["batch"]) == (kernels, batch)], f"{kernels}, batch {batch}")
    alone = {(row["kernels"], row["batch"]): row["step_ms"] for row in rows if row["hosts"] == "1"}
    for row in rows:
        row["speed_up"] = alone[row["kernels"], row["batch"]] / row["step_ms"]
    new = {group(row) for row in rows}
    return sorted(rows + [row for row in kept if group(row) not in new], key=order)


def table(rows):
    lines = ["| kernels | batch | hosts | rule | runs of steps | step, ms | speed-up | sent, MB a step, all nodes | imbalance, % |",
             "| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: |"]
    for row in rows:
        spread = f"{float(row['step_ms']):.0f} ({float(row['step_ms_least']):.0f} to {float(row['step_ms_greatest']):.0f})"
        lines.append(f"| {row['kernels']} | {row['batch']} | {row['hosts']} | {row['rule'] if row['hosts'] != '1' else ''} "
                     f"| {row['runs']} of {row['steps']} | {spread} | {float(row['speed_up']):.2f} "
                     f"| {float(row['sent_mb_per_step']):.1f} | {float(row['imbalance_pct']):.1f} |")
    return "\n".join(lines)


def origins(rows):
    """A row for each group: when and where it was measured."""
    lines = ["| kernels | batch | speeds | date | commit | processor | host, cores | link, Mbit/s | all on core |",
             "| --- | ---: | --- | --- | --- | --- | ---: | ---: | --- |"]
    for row in {group(row): row for row in rows}.values():
        lines.append("| " + " | ".join(str(row[key]) for key in ["kernels", "batch", "speeds", *MEASURED]) + " |")
    return "\n".join(lines)


def main():
    runs, unequal, page, file = sys.argv[1:]
    rows = all_rows(Path(runs), Path(unequal), rows_of(file) if Path(file).exists() else [])
    write_rows(file, COLUMNS, rows, 3)
    equal = [row for row in rows if row["speeds"] == EQUAL]
    others = [row for row in rows if row["speeds"] == UNEQUAL]
    parts = [f"""# Kernels of convolutions shared by hosts

Made by `scripts/reproduce-filter-parallel`: `two_conv` (kernels 5x5) on CIFAR-10, `filter_parallel` with `sub_batches` 4, on emulated
hosts. Medians of the runs, with the smallest and the largest. Some runs have one step, which is the first: a step may take
minutes. Cores that are shared with other guests may be a fifth slower at one time than at another. So a speed-up of single runs is known
to about a fifth, and may be more than the number of hosts; `500:1500` at batch 64 has more runs. The last table has the date, the commit
and the machine of each group of rows.

{table(equal)}"""]
    if others:
        parts.append(f"""## Unequal hosts

Four hosts, of which two have half the processor time, so that all together are three times the first one.

{table(others)}""")
    parts.append(f"## Where each row was measured\n\n{origins(rows)}\n")
    Path(page).write_text("\n\n".join(parts))


main()
