#!/usr/bin/env python3
"""Checks a trace on standard input against the rules of Chrome's trace event format, and against those that
RUN_FOLDER.md adds. Prints what it found as JSON; the first broken rule ends it, 1.

Slices of a thread are nested or apart. An arrow has one beginning and one end, its times do not fall, and each
of its events lies within a slice of its thread. A process with slices has a name and counters, a thread with
slices has a name.
"""
import collections
import json
import math
import sys

FIELDS = {"X": ("name", "cat", "pid", "tid", "ts", "dur"), "M": ("name", "pid", "tid", "args"),
          "C": ("name", "pid", "ts", "args"), "s": ("name", "cat", "id", "pid", "tid", "ts"),
          "t": ("name", "cat", "id", "pid", "tid", "ts"), "f": ("name", "cat", "id", "pid", "tid", "ts")}
COUNTERS = {"CPU (% of a core)": {"user", "system"}, "resident memory (bytes)": {"resident"},
            "network (bytes so far)": {"sent", "received"}}


def require(holds, rule, event):
    if not holds:
        sys.exit(f"{rule}: {json.dumps(event)}")


def nanoseconds(event, field):
    value = event[field]
    require(isinstance(value, (int, float)) and math.isfinite(value) and value >= 0, f"{field} is no time", event)
    return round(value * 1000)


def check_fields(event):
    require(event.get("ph") in FIELDS, "no known kind of event", event)
    for field in FIELDS[event["ph"]]:
        require(field in event, f"lacks {field}", event)
    require(isinstance(event["name"], str) and event["name"], "has no name", event)
    for field in ("pid", "tid"):
        require(isinstance(event.get(field, 0), int), f"{field} is no integer", event)


def check_nesting(slices):
    """slices: of one thread, as (start, end, event)."""
    around = []
    for start, end, event in sorted(slices, key=lambda each: (each[0], -each[1])):
        while around and around[-1] <= start:
            around.pop()
        require(not around or end <= around[-1], "overlaps the slice around it in part", event)
        around.append(end)


def check_arrow(events, threads):
    kinds = [event["ph"] for event in events]
    require(kinds.count("s") == 1 and kinds.count("f") == 1, "an arrow without one beginning and one end", events)
    ordered = sorted(events, key=lambda event: "stf".index(event["ph"]))
    times = [nanoseconds(event, "ts") for event in ordered]
    require(times == sorted(times), "an arrow that goes back in time", events)
    for event, at in zip(ordered, times):
        around = threads[event["pid"], event["tid"]]
        require(any(start <= at <= end for start, end, _ in around), "an arrow outside of all slices", event)
    require(ordered[-1].get("bp") == "e", "an end that belongs to the next slice", ordered[-1])


def main():
    trace = json.load(sys.stdin)
    require(trace.get("displayTimeUnit") in ("ms", "ns"), "displayTimeUnit", trace.get("displayTimeUnit"))
    require(isinstance(trace.get("otherData", {}).get("run_id"), str), "otherData has no run_id", {})
    threads, arrows = collections.defaultdict(list), collections.defaultdict(list)
    names, counters = collections.defaultdict(set), collections.defaultdict(set)
    categories = collections.Counter()
    for event in trace["traceEvents"]:
        check_fields(event)
        kind, process = event["ph"], event["pid"]
        if kind == "X":
            start = nanoseconds(event, "ts")
            threads[process, event["tid"]].append((start, start + nanoseconds(event, "dur"), event))
            categories[event["cat"]] += 1
        elif kind == "M":
            names[event["name"]].add((process, event["tid"]))
        elif kind == "C":
            nanoseconds(event, "ts")
            require(event["name"] in COUNTERS and set(event["args"]) == COUNTERS[event["name"]],
                    "no known counter", event)
            require(all(isinstance(value, (int, float)) and value >= 0 for value in event["args"].values()),
                    "no number", event)
            counters[process].add(event["name"])
        else:
            arrows[event["cat"], event["name"], event["id"]].append(event)
    for thread, slices in threads.items():
        require(thread in names["thread_name"], "a thread without a name", thread)
        require((thread[0], 0) in names["process_name"], "a process without a name", thread)
        require(counters[thread[0]] == set(COUNTERS), "a process without counters", thread)
        check_nesting(slices)
    for events in arrows.values():
        check_arrow(events, threads)
    print(json.dumps({"processes": len({process for process, _ in threads}), "slices": categories,
                      "arrows": collections.Counter(name for _, name, _ in arrows)}))


if __name__ == "__main__":
    main()
