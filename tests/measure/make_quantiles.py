#!/usr/bin/env python3
"""Prints the golden values of durations.cpp: numpy's percentiles of float32 values drawn by a small generator that
the test repeats. Needs Debian's python3-numpy."""
import numpy


def draw(count):
    state, values = 12345, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        values.append(state % 100000 / 8)  # exact as float32
    return numpy.array(values, dtype=numpy.float32)


for count in (1, 2, 3, 100, 1000):
    values = draw(count).astype(numpy.float64)
    p05, p50, p99 = numpy.percentile(values, [5, 50, 99])
    print(f"    {{{count}, {values.sum()!r}, {values.mean()!r}, {p05!r}, {p50!r}, {p99!r}}},")
