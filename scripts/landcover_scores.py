#!/usr/bin/env python3
"""The tables of scripts/reproduce-landcover about the scene of Houston: scores of each seed, and accuracy of each class.

usage: landcover_scores.py SEED=FILE...

FILE has the tables of `convoy evaluate --json`. Prints Markdown.
"""
import json
import sys
from pathlib import Path

PERCENT = 100
# The contest numbers them from 1 (Debes et al., "Hyperspectral and LiDAR Data Fusion: Outcome of the 2013 GRSS Data Fusion Contest",
# IEEE JSTARS 7(6), 2014); the labels of convoy are from 0.
NAMES = ["healthy grass", "stressed grass", "synthetic grass", "trees", "soil", "water", "residential", "commercial", "road", "highway",
         "railway", "parking lot 1", "parking lot 2", "tennis court", "running track"]


def rows_of(tables, name):
    return next(table["rows"] for table in tables if table["table"] == name)


def percent(part, whole):
    """A share; empty where there is no whole."""
    return f"{PERCENT * part / whole:.1f}" if whole else ""


def main():
    seeds = dict(argument.split("=", 1) for argument in sys.argv[1:])
    tables = {seed: json.loads(Path(file).read_text()) for seed, file in seeds.items()}
    print("| seed | examples | correct | accuracy | loss | average accuracy | kappa |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for seed, each in tables.items():
        row = rows_of(each, "score")[0]
        print(f"| {seed} | {row['examples']} | {row['correct']} | {row['accuracy']:.4f} | {row['loss']:.4f} | "
              f"{row['average_accuracy']:.4f} | {row['kappa']:.4f} |")
    print("\nAccuracy of each class, of the held-out pixels of all seeds together:\n")
    print("| class | examples | accuracy, % |\n| --- | ---: | ---: |")
    if any(len(rows_of(each, "classes")) != len(NAMES) for each in tables.values()):
        sys.exit("the scene of Houston has other classes")
    for number, name in enumerate(NAMES):
        rows = [rows_of(each, "classes")[number] for each in tables.values()]
        examples, correct = (sum(row[column] for row in rows) for column in ("examples", "correct"))
        print(f"| {name} | {examples} | {percent(correct, examples)} |")


main()
