"""What the tables of scripts/reproduce-* share."""
import csv
import statistics


def waited_ms(folder, nodes):
    """Milliseconds of a step in which a node waits for communication: the mean of its steps behind the first, of the node that waits
    longest. Servers, whose ranks stand behind the nodes, do not count."""
    waits = {}
    with open(folder / "steps.csv") as file:
        for row in csv.DictReader(file):
            if int(row["node"]) < nodes and int(row["step"]) > 1:
                waits.setdefault(int(row["node"]), []).append(float(row["wait_us"]) / 1000)
    return max(statistics.mean(times) for times in waits.values())


def write_rows(path, columns, rows, digits):
    """Writes rows as CSV, numbers that are no integers with so many digits behind the point."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.{digits}f}" if isinstance(value, float) else value for key, value in row.items()})
