"""Writes the seeds of the journal fuzzer to corpus/journal, from PARTIAL_RUN.md and independent of convoy's own encoder."""

import hashlib
import pathlib
import struct

from cbor import cbor

CORPUS = pathlib.Path(__file__).parent / "corpus" / "journal"
KINDS = {"operators": 1, "steps": 2, "epochs": 4, "system": 8, "trace": 16, "summaries": 32}


def frame(kind, rows):
    content = cbor({name: rows if name == kind else [] for name in KINDS})
    begin = struct.pack("<II", len(content), KINDS[kind])
    return begin + hashlib.sha256(begin + content).hexdigest()[:8].encode() + content


HEADER = b"convoyRJ" + struct.pack("<I", 1)
TIMES = [0, 1, 1, 0.25, 0.5, 1.5, 0.25, 2.5, 130000000, 2.0, 0.5, 4000, 4000, 2, -500.0, -500.0, 20.0]
FRAMES = {
    "operators": frame("operators", [
        [0, 1, 0, "CollectiveReduce", "bucket0", None, 2, 200.0, 100.0, 100.0, 100.5, [400.0, 300.0, 200.0, 50.0, 25.0],
         "communication", "sum", None],
        [0, 1, 0, "Relu", "conv1", "_FusedConv2D", 2, 0.0, 0.0, 0.0, 0.0, None, "forward", "relu", [10, 20, 30]]]),
    "steps": frame("steps", [[0, 1, 1, 2.5, 3, 10, 1000.0, 600.0, 400.0],
                             [0, 1, 2, float("nan"), 0, 0, 500.0, 400.0, 100.0, 1.5, None]]),
    "epochs": frame("epochs", [[0, 1, [50.0, 8, 20], [0.0, 0, 0], [4.0, 4, 5], 1.5, 0.25]]),
    "system": frame("system", [[0, 0.2, 90.0, 10.0, 1.0, 100000000, 0, 0, 60.0]]),
    "trace": frame("trace", [[0, "compute", "Relu", "conv1", 1, 1000.0, 300.0]]),
    "summaries": frame("summaries", [TIMES + [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]]),
}
# As later versions write them.
TRACE = frame("trace", [[0, "step", "", "", 1, 900.0, 500.0, 1, "", 10, None],
                        [0, "communication", "Push", "bucket_0", 1, 1000.0, 300.0, 1, "communication", None,
                         [1, 1, "push", "", "float32", 3, 2, 4096, 0, 1.5, 20.5]]])
SYSTEM = frame("system", [[0, 0.2, 90.0, 10.0, 1.0, 100000000, 0, 0, None, 1200.5]])
SEEDS = {
    "begun": HEADER,
    "trace_of_exchanges": HEADER + TRACE,
    "system_on_clock": HEADER + SYSTEM,
    "whole": HEADER + b"".join(FRAMES.values()),
    "torn": HEADER + FRAMES["steps"] + FRAMES["epochs"][:-7],
    "other_version": b"convoyRJ" + struct.pack("<I", 2) + FRAMES["steps"],
    "huge_frame": HEADER + struct.pack("<II", 0xFFFFFFFF, 2) + b"00000000",
    "unknown_kind": HEADER + struct.pack("<II", 0, 3) + b"00000000" + FRAMES["steps"],
} | {name: HEADER + content for name, content in FRAMES.items()}

CORPUS.mkdir(exist_ok=True)
for name, content in SEEDS.items():
    (CORPUS / name).write_bytes(content)
