#!/usr/bin/env python3
"""Prints the bytes of the known answer in checkpoint_file_test.cpp, from CHECKPOINT.md alone, in base 16."""
import hashlib
import struct


def head(kind, count):
    if count < 24:
        return bytes([kind << 5 | count])
    if count < 256:
        return bytes([kind << 5 | 24, count])
    return bytes([kind << 5 | 25]) + struct.pack(">H", count)


def cbor(value):
    if value is None:
        return b"\xf6"
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, float):
        if value == float("inf"):
            return b"\xf9\x7c\x00"
        assert struct.unpack(">f", struct.pack(">f", value))[0] == value
        return b"\xfa" + struct.pack(">f", value)
    if isinstance(value, str):
        return head(3, len(value)) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(value[key]) for key in sorted(value))


def records(**lists):
    names = ("operators", "steps", "epochs", "system", "trace", "summaries")
    return {name: lists.get(name, []) for name in names}


sums = [0.0, 0, 0]
node = {
    "step": 3,
    "best_validation_loss": float("inf"),
    "epochs_without_improvement": 0,
    "records": records(epochs=[[0, 1, [1.5, 2, 3], sums, sums, 0.5, 0.0]],
                       summaries=[[0, 1] + [0.0] * 5 + [0] + [0.0] * 2 + [0] * 2 + [3] + [0.0] * 3 + [0.25] + [0.0] * 6]),
    "operators": [[0, "MatMul", "dense", 2.5, [1.0, 1.5], None, "forward", "matmul", [6, 7, 8]]],
}
gone = [1, 1] + [0.0] * 5 + [0] + [0.0] * 2 + [0] * 2 + [2] + [0.0] * 10
state = cbor({"run_id": "b" * 64, "marks": [12, 300], "gone": [gone], "resumed_from_steps": [2], "nodes": [node],
              "training_id": "c" * 64, "distribution_id": "d" * 64})
tensors = b"tensors"
content = b"convoyCP" + struct.pack("<IIQQ", 4, 1, len(state), len(tensors)) + state + tensors
text = (content + hashlib.sha256(content).hexdigest().encode()).hex()
for at in range(0, len(text), 96):
    print(f'    "{text[at:at + 96]}"')
