"""What the tables of scripts/reproduce-* share."""
import csv
import random
import statistics


def rows_of(path):
    """The rows of a CSV file, by column."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def done_runs(sweep):
    """The runs of a sweep that ended well: of each its row of runs.csv, and its folder."""
    return [(run, next(sweep.glob(f"runs/*{run['run_id']}"))) for run in rows_of(sweep / "runs.csv") if run["state"] == "done"]


def spread(values, digits):
    """Median, smallest and largest of some runs, with so many digits behind the point."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def median_interval(values):
    """The 95% interval of the median of values, by bootstrap, as (low, high)."""
    dice = random.Random(1)
    medians = sorted(statistics.median(dice.choices(values, k=len(values))) for _ in range(4000))
    return medians[100], medians[3899]


def of_workers(folder, nodes, column):
    """Milliseconds in a column of the workers' steps behind the first, by worker. Servers, whose ranks stand behind the nodes, do
    not count."""
    times = {}
    for row in rows_of(folder / "steps.csv"):
        if int(row["node"]) < nodes and int(row["step"]) > 1:
            times.setdefault(int(row["node"]), []).append(float(row[column]) / 1000)
    return times


def stepped_ms(folder, nodes):
    """The median of the workers' steps behind the first, in milliseconds."""
    return statistics.median(step for steps in of_workers(folder, nodes, "step_us").values() for step in steps)


def waited_ms(folder, nodes):
    """Milliseconds of a step in which a node waits for other nodes or for data: the mean of its steps, of the node that waits longest."""
    return max(statistics.mean(waits) for waits in of_workers(folder, nodes, "wait_us").values())


def write_rows(path, columns, rows, digits):
    """Writes rows as CSV, numbers that are no integers with so many digits behind the point."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.{digits}f}" if isinstance(value, float) else value for key, value in row.items()})
