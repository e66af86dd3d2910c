#!/usr/bin/env python3
"""The table of scripts/reproduce-strategies: a row for each strategy of a sweep.

usage: strategies_table.py CSV SWEEP

Prints Markdown, and writes the rows to CSV. Medians of the repeats.
"""
import json
import statistics
import sys
from pathlib import Path

from sweep_rows import done_runs, stepped_ms, waited_ms, write_rows

COLUMNS = ["strategy", "step_ms", "step_ms_least", "step_ms_greatest", "sent_mb", "exposed_ms", "peak_mb", "accuracy_pct"]


def name_of(strategy):
    """As few words as tell the strategies of the sweep apart."""
    if not strategy.startswith("{"):
        return strategy
    fields = json.loads(strategy)
    words = [fields.pop("name")]
    fields.pop("shares", None)
    if "stages" in fields:
        words.append(f"{fields.pop('stages')} stages")
    for field, unit in (("servers", "server"), ("micro_batches", "micro-batch"), ("sub_batches", "sub-batch")):
        if field in fields:
            count = fields.pop(field)
            plural = unit if count == 1 else unit + ("es" if unit.endswith("ch") else "s")
            words.append(f"{count} {plural}")
    if fields.get("staleness", 0) is None:
        words.append("any staleness")
        del fields["staleness"]
    if fields.pop("overlap_forward", False):
        words.append("by need")
    if "replicas" in fields:
        words.append(f"{fields.pop('replicas')} replicas")
    words += [value if isinstance(value, str) else f"{field} {json.dumps(value)}" for field, value in fields.items()]
    return ", ".join(words)


def main():
    sweep = Path(sys.argv[2])
    by_strategy = {}
    for run, folder in done_runs(sweep):
        by_strategy.setdefault(run["strategy"], []).append((run, folder))
    rows = []
    for strategy, runs in by_strategy.items():
        folders = [folder for _, folder in runs]
        summary = json.loads((folders[0] / "summary.json").read_text())
        steps, nodes = summary["steps"], summary["nodes"]

        def median(column, scale):
            return statistics.median(float(run[column] or 0) / scale for run, _ in runs)

        times = [stepped_ms(folder, nodes) for folder in folders]
        rows.append({"strategy": name_of(strategy), "step_ms": statistics.median(times), "step_ms_least": min(times),
                     "step_ms_greatest": max(times), "sent_mb": median("sent_bytes", 1e6 * steps),
                     "exposed_ms": statistics.median(waited_ms(folder, nodes) for folder in folders),
                     "peak_mb": median("peak_resident_bytes", 1e6), "accuracy_pct": median("test_accuracy", 0.01)})
    rows.sort(key=lambda row: row["step_ms"])
    write_rows(sys.argv[1], COLUMNS, rows, 2)
    print("\n| strategy | step, ms | sent, MB a step, by the node that sends most | exposed, ms a step | peak memory of a node, MB | accuracy, % |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        print(f"| {row['strategy']} | {row['step_ms']:.0f} ({row['step_ms_least']:.0f} to {row['step_ms_greatest']:.0f}) | "
              f"{row['sent_mb']:.1f} | {row['exposed_ms']:.0f} | {row['peak_mb']:.0f} | {row['accuracy_pct']:.1f} |")


main()
