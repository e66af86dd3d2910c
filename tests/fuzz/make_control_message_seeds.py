"""Writes the seeds of the fuzzer of control messages to corpus/control_message, from PROTOCOL.md and independent of convoy's own
encoder."""

import pathlib

from cbor import cbor

CORPUS = pathlib.Path(__file__).parent / "corpus" / "control_message"
SUMMARY = [0, 1, 1, 0.25, 0.5, 1.5, 0.25, 2.5, 130000000, 2.0, 0.5, 4000, 4000, 2, -500.0, -500.0, 20.0][1:]
RECORDS = {
    "operators": [[0, 1, 0, "Relu", "conv1", None, 2, 200.0, 100.0, 100.0, 100.5, None, "forward", "relu", [10, 20, 30]]],
    "steps": [[0, 1, 1, 2.5, 3, 10, 1000.0, 600.0, 400.0]],
    "epochs": [[0, 1, [50.0, 8, 20], [0.0, 0, 0], [4.0, 4, 5], 1.5, 0.25]],
    "system": [[0, 0.2, 90.0, 10.0, 1.0, 100000000, 0, 0, 60.0]],
    "trace": [[0, "compute", "Relu", "conv1", 1, 1000.0, 300.0]],
    "summaries": [[0] + SUMMARY + [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]],
}
TIMES = [[0, "Relu", "conv1", 200.0, [100.0, 100.0], None, "forward", "relu", [10, 20, 30]]]
NODE = {"step": 3, "best_validation_loss": 0.5, "epochs_without_improvement": 1, "operators": TIMES,
        "records": RECORDS | {"operators": [], "trace": []}}
SPEC = {"dataset": {"name": "mnist"}, "model": "mnist_cnn", "nodes": 2, "batch_size": 2, "epochs": 1}
HELLO = {"type": "hello", "protocol": 6, "version": "0.2.0", "pid": 7, "fabric": "127.0.0.1:4444", "cores": 2, "rank": 1}
CHECKPOINT = {"type": "checkpoint", "node": NODE, "tensors": b"\x02\0\0\0\0\0\0\0{}"}
ASSIGN = {"type": "assign", "rank": 1, "world_size": 2, "spec": SPEC, "data_folder": "/data", "threads": 1, "layout_threads": 1,
          "generation": 0, "peers": ["127.0.0.1:1", "[::1]:2"], "run": bytes(range(16)), "run_key": bytes(range(32)),
          "resume": CHECKPOINT}
SEEDS = {
    "hello": HELLO,
    "hello_of_many_cores": HELLO | {"cores": 2**32},
    "hello_of_huge_pid": HELLO | {"pid": 1e300},
    "assign": ASSIGN,
    "assign_of_huge_rank": ASSIGN | {"rank": 2**63 - 1},
    "agree": {"type": "agree", "fingerprints": {"labels": "abc", "shape": "1x28x28"}},
    "pong": {"type": "pong", "number": 3, "clock_us": 1.5, "busy_us": 0.5},
    "progress": {"type": "progress", "phase": "train", "file": "", "epoch": 1, "epochs": 2, "step": 3, "steps": 4,
                 "loss": 0.5, "accuracy": 0.75, "examples": 20, "examples_per_second": 100.0},
    "records": {"type": "records", "records": RECORDS},
    "weights": {"type": "weights", "bytes": b"\x02\0\0\0\0\0\0\0{}"},
    "checkpoint": CHECKPOINT,
    "state": CHECKPOINT | {"type": "state"},
    "at_step": {"type": "at_step", "step": 3},
    "suspended": {"type": "suspended", "step": 3, "code": 74, "message": "node 1 is lost"},
    "done": {"type": "done", "stopped": False},
    "failed": {"type": "failed", "code": 65, "message": "labels: damaged"},
    "unknown": {"type": "dance"},
}

CORPUS.mkdir(parents=True, exist_ok=True)
for name, content in SEEDS.items():
    (CORPUS / name).write_bytes(cbor(content))
