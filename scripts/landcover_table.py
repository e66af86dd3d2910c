#!/usr/bin/env python3
"""The table of scripts/reproduce-landcover: data parallelism beside splits of a network with two branches (Aspri 2019).

usage: landcover_table.py CSV SWEEP

Prints Markdown, names the split that moves the fewest bytes and the one that balances best, and writes the rows to CSV.
"""
import collections
import json
import sys
from pathlib import Path

from sweep_rows import done_runs, rows_of, write_rows

COLUMNS = ["split", "test_accuracy_pct", "train_s_an_epoch", "evaluate_s", "cpu_pct_of_nodes", "sent_mb_an_epoch", "imbalance"]


def layers_of(stage):
    """A stage's layers as text: a run of layers by its first and last."""
    return stage[0] if len(stage) == 1 else f"{stage[0]} to {stage[-1]}" if len(stage) > 2 else ", ".join(stage)


def name_of(strategy):
    if not strategy.startswith("{"):
        return strategy
    return " / ".join(layers_of(stage) for stage in json.loads(strategy)["stages"])


def imbalance_of(run):
    """The computation of the busiest node over the mean of all nodes: 1 is balanced."""
    computed = collections.Counter()
    for row in rows_of(run / "steps.csv"):
        computed[int(row["node"])] += float(row["compute_us"])
    return max(computed.values()) / (sum(computed.values()) / len(computed))


def split_rows(sweep):
    for run, folder in done_runs(sweep):
        summary = json.loads((folder / "summary.json").read_text())
        nodes, epochs = summary["per_node"], summary["epochs"]
        busy = [100 * (node["cpu_user_s"] + node["cpu_system_s"]) / node["total_s"] for node in nodes]
        yield {"split": name_of(run["strategy"]), "test_accuracy_pct": 100 * float(run["test_accuracy"]),
               "train_s_an_epoch": float(run["train_s"]) / epochs, "evaluate_s": max(node["evaluate_s"] for node in nodes),
               "cpu_pct_of_nodes": " ".join(f"{share:.0f}" for share in busy),
               "sent_mb_an_epoch": sum(node["sent_bytes"] for node in nodes) / 1e6 / epochs, "imbalance": imbalance_of(folder)}


def main():
    rows = list(split_rows(Path(sys.argv[2])))
    write_rows(sys.argv[1], COLUMNS, rows, 2)
    print("\n| nodes 0 / 1 / 2 | test accuracy, % | training, s an epoch | inference, s | processor, % of a core | bytes between nodes, MB an epoch | imbalance |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        print(f"| {row['split']} | {row['test_accuracy_pct']:.1f} | {row['train_s_an_epoch']:.2f} | {row['evaluate_s']:.2f} | "
              f"{row['cpu_pct_of_nodes']} | {row['sent_mb_an_epoch']:.1f} | {row['imbalance']:.2f} |")
    splits = [row for row in rows if " / " in row["split"]]
    fewest = min(splits, key=lambda row: row["sent_mb_an_epoch"])
    most_even = min(splits, key=lambda row: row["imbalance"])
    print(f"\nThe fewest bytes: `{fewest['split']}`. The best balance: `{most_even['split']}`.")


main()
