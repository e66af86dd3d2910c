#!/usr/bin/env python3
"""The table of scripts/reproduce-servers: time of a step by a ring and by parameter servers, beside bytes over link.

usage: servers_table.py CSV SWEEP...

Each SWEEP is the folder of a sweep over nodes and strategy. Prints Markdown, and writes the rows to CSV.
"""
import json
import statistics
import struct
import sys
from pathlib import Path

from sweep_rows import done_runs, stepped_ms, waited_ms, write_rows

# An Ethernet frame of 1514 bytes carries 1448 bytes of a TCP stream with time stamps.
FRAMES = 1514 / 1448
COLUMNS = ["model", "link_mbit", "nodes", "servers", "step_ms", "step_ms_least", "step_ms_greatest", "exposed_ms", "by_bytes_ms"]


def parameter_bytes(weights):
    with open(weights, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    return sum(end - begin for begin, end in (tensor["data_offsets"] for name, tensor in header.items() if name != "__metadata__"))


def bytes_over_busiest_link(nodes, servers, size):
    """Bytes that the busiest link carries in one direction in a step: a node sends 2 (n - 1) / n of the gradients in a ring. Else
    the first host has ceil(s / n) of s servers, each with 1 / s of the parameters. They get gradients from the other nodes, and
    the host's own node gets new values from the servers on other hosts. Pushes and pulls use opposite directions of a link."""
    if nodes == 1:
        return 0.0
    if servers == 0:
        return 2 * (nodes - 1) / nodes * size
    here = -(-servers // nodes) / servers
    return ((nodes - 1) * here + (1 - here)) * size


def setting_rows(sweep):
    link = json.loads((sweep / "sweep.json").read_text())["base"]["cluster"]["link_mbit"]
    settings = {}
    for run, folder in done_runs(sweep):
        strategy = run["strategy"]
        servers = json.loads(strategy).get("servers", 1) if strategy.startswith("{") else 0
        settings.setdefault((int(run["nodes"]), servers), []).append(folder)
    folder = next(iter(settings.values()))[0]
    size = parameter_bytes(folder / "weights.safetensors")
    model = json.loads((folder / "spec.json").read_text())["model"]
    name = model if isinstance(model, str) else model["name"]
    for (nodes, servers), folders in sorted(settings.items()):
        steps = [stepped_ms(folder, nodes) for folder in folders]
        exposed = [waited_ms(folder, nodes) for folder in folders]
        by_bytes = bytes_over_busiest_link(nodes, servers, size) * FRAMES * 8 / (link * 1e3)
        yield {"model": name, "link_mbit": link, "nodes": nodes, "servers": servers, "step_ms": statistics.median(steps),
               "step_ms_least": min(steps), "step_ms_greatest": max(steps), "exposed_ms": statistics.median(exposed),
               "by_bytes_ms": by_bytes}


def main():
    rows = [row for sweep in sys.argv[2:] for row in setting_rows(Path(sweep))]
    write_rows(sys.argv[1], COLUMNS, rows, 2)
    print("\n| model | nodes | sums | step, ms | exposed, ms a step | bytes over link, ms | step / bytes over link |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for row in rows:
        sums = "ring" if row["servers"] == 0 else "1 server" if row["servers"] == 1 else f"{row['servers']} servers"
        ratio = f"{row['step_ms'] / row['by_bytes_ms']:.3f}" if row["by_bytes_ms"] else ""
        print(f"| {row['model']} | {row['nodes']} | {sums} | {row['step_ms']:.0f} ({row['step_ms_least']:.0f} to "
              f"{row['step_ms_greatest']:.0f}) | {row['exposed_ms']:.0f} | {row['by_bytes_ms']:.0f} | {ratio} |")


main()
