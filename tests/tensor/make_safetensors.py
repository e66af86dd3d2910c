"""Makes the bytes of the known-answer tests: safetensors files by Python's own json and struct, nothing of convoy.

Run in this folder: python3 make_safetensors.py; it writes known_*.safetensors.
"""

import json
import struct


def write(name, header, data, indent=None, pad=8):
    text = json.dumps(header, indent=indent, separators=None if indent else (",", ":")).encode()
    text += b" " * (-len(text) % pad)
    with open(name, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def main():
    # What convoy writes: keys in order of bytes, compact, data in the order of the tensors given.
    weight = [-1.5, 0.0, 3.25, 1e-40, 65504.0, -0.0]
    bias = [0.5]
    header = {
        "__metadata__": {"format": "convoy", "run": "0123"},
        "conv2d_1.bias": {"data_offsets": [24, 28], "dtype": "F32", "shape": [1]},
        "conv2d_1.weight": {"data_offsets": [0, 24], "dtype": "F32", "shape": [1, 2, 1, 3]},
    }
    write("known_written.safetensors", header, struct.pack("<7f", *weight, *bias))

    # What other programs may write: any order, spaces, no padding, an empty tensor, a scalar, 64-bit values.
    header = {
        "z": {"dtype": "F64", "shape": [2], "data_offsets": [4, 20]},
        "empty": {"shape": [0, 3], "dtype": "F32", "data_offsets": [4, 4]},
        "scalar": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
    }
    write("known_foreign.safetensors", header, struct.pack("<f2d", 7.0, 0.1, -2.0), indent=1, pad=1)


if __name__ == "__main__":
    main()
