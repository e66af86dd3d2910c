#!/usr/bin/env python3
"""The table and the drawings of scripts/reproduce-pipelines: schedules of a pipeline.

usage: pipelines_table.py FOLDER SWEEP

Prints Markdown. Writes pipelines.csv, and pipeline_SCHEDULE.svg with the measured time-line of a run of each schedule, to FOLDER.
"""
import collections
import json
import re
import statistics
import sys
from pathlib import Path

from sweep_rows import done_runs, rows_of, spread, write_rows

COLUMNS = ["schedule", "micro_batches", "stage", "step_ms", "idle_pct", "idle_pct_least", "idle_pct_greatest", "planned_idle_pct", "peak_mb"]


def idle_shares(run):
    """Per cent of the steps behind the first in which a stage waited for messages or for data, by stage."""
    waited, whole = collections.Counter(), collections.Counter()
    for row in rows_of(run / "steps.csv"):
        if int(row["step"]) > 1:
            waited[int(row["node"])] += float(row["wait_us"])
            whole[int(row["node"])] += float(row["step_us"])
    return [100 * waited[node] / whole[node] for node in sorted(whole)]


def planned_idle(summary):
    """Per cent, of the schedule that the plan drew; without micro-batches one stage of all works at a time."""
    for line in summary.get("planned_pipeline") or []:
        found = re.search(r"idle share ([0-9.]+)%", line)
        if found:
            return float(found.group(1))
    return 100 * (summary["nodes"] - 1) / summary["nodes"]


def time_line(run):
    """The drawing of one step of all nodes on the run's page, as a file of its own."""
    page = (run / "report.html").read_text()
    rules = "\n".join(re.findall(r"^(?:\.chart|\.[fs]\d).*$", page, re.MULTILINE))
    drawing = re.search(r"<svg[^>]*>\s*<title>One step of all nodes</title>.*?</svg>", page, re.DOTALL).group(0)
    paper = '<style>svg { background: #ffffff; color: #1b1f24; }\n' + rules + "</style>"
    return drawing.replace("\n", "\n" + paper + "\n", 1)


def main():
    folder, sweep = Path(sys.argv[1]), Path(sys.argv[2])
    settings = {}
    for run, run_folder in done_runs(sweep):
        settings.setdefault(run["strategy"], []).append(run_folder)
    rows, means, drawings = [], [], []
    for strategy, runs in settings.items():
        fields = json.loads(strategy)
        summaries = [json.loads((run / "summary.json").read_text()) for run in runs]
        schedule = fields.get("schedule", "none")
        idle, planned = list(zip(*(idle_shares(run) for run in runs))), planned_idle(summaries[0])
        for stage, shares in enumerate(idle):
            rows.append({"schedule": schedule, "micro_batches": fields["micro_batches"], "stage": stage + 1,
                         "step_ms": statistics.median(summary["step_us"]["p50"] / 1000 for summary in summaries),
                         "idle_pct": statistics.median(shares), "idle_pct_least": min(shares), "idle_pct_greatest": max(shares),
                         "planned_idle_pct": planned,
                         "peak_mb": statistics.median(summary["per_node"][stage]["peak_resident_bytes"] / 1e6 for summary in summaries)})
        means.append((schedule, [statistics.mean(shares) for shares in zip(*idle)], planned))
        (folder / f"pipeline_{schedule}.svg").write_text(time_line(runs[0]) + "\n")
        drawings.append((schedule, summaries[0].get("planned_pipeline") or []))
    write_rows(folder / "pipelines.csv", COLUMNS, rows, 1)
    print("\n| schedule | stage | step, ms | idle, % | planned, % | peak memory, MB |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        print(f"| {row['schedule']} | {row['stage']} | {row['step_ms']:.0f} | {row['idle_pct']:.1f} ({row['idle_pct_least']:.1f} to "
              f"{row['idle_pct_greatest']:.1f}) | {row['planned_idle_pct']:.1f} | {row['peak_mb']:.0f} |")
    print("\n| schedule | idle, %, mean of the stages | planned, % |\n| --- | ---: | ---: |")
    for schedule, shares, planned in means:
        print(f"| {schedule} | {spread(shares, 1)} | {planned:.1f} |")
    for schedule, planned in drawings:
        print(f"\n## {schedule}\n\nMeasured, one step of median length:\n\n![Time-line of the three stages](pipeline_{schedule}.svg)")
        if planned:
            print("\nPlanned:\n\n```text\n" + "\n".join(planned).rstrip() + "\n```")


main()
