"""Writes the seeds of the frame fuzzer to corpus/frame, from FRAMES.md and independent of convoy's own encoder."""

import pathlib
import struct

CORPUS = pathlib.Path(__file__).parent / "corpus" / "frame"


def frame(kind, payload=b"", element_type=0, operation=0, group=0, step=0, sequence=0, count=0,
          first=0):
    header = struct.pack("<4sHBBBxHIQQQQ", b"CNVY", 4, kind, element_type, operation, group, step, sequence, count,
                         first, len(payload))
    return header + payload


def hello(purpose, wants_seal, wants_tls, *numbers):
    return struct.pack("<BBB5xqqqq", purpose, wants_seal, wants_tls, *numbers) + bytes(range(64))


SEEDS = {
    "message_map": frame(1, b"\xa2\x64kind\x65hello\x65ranks\x83\x00\x01\x02"),
    "message_binary": frame(1, b"\xa1\x67weights\x44\x00\xff\x07\x80"),
    "message_floats": frame(1, b"\x84\xfb\x40\x09\x21\xfb\x54\x44\x2d\x18\xf9\x3c\x00\xf6\xf5"),
    "message_deep": frame(1, b"\x81" * 80 + b"\x00"),
    "message_text_in_parts": frame(1, b"\x7f" * 80 + b"\x60" + b"\xff" * 80),
    "message_bytes_in_parts": frame(1, b"\x5f" * 80 + b"\x40" + b"\xff" * 80),
    "message_huge_array": frame(1, b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff"),
    "greeting": frame(5, bytes(range(48)) + struct.pack("<B7x", 1)),
    "hello": frame(2, hello(2, 1, 0, 4, 1, 2, 1)),
    "hello_of_join": frame(2, hello(1, 0, 1, 0, -1, -1, 0)),
    "answer": frame(6, struct.pack("<B7x", 1) + bytes(range(32))),
    "segment_float32": frame(3, struct.pack("<4f", 1, 2, 3, 4), element_type=1, operation=1, step=3, sequence=17,
                             count=100, first=32),
    "segment_int64": frame(3, struct.pack("<2q", 1, 2), element_type=2, operation=1, count=2),
    "segment_push": frame(3, struct.pack("<2e", 1, 2), element_type=3, operation=3, group=0xA1B2, count=2),
    "segment_gather": frame(3, struct.pack("<2f", 1, 2), element_type=1, operation=6, group=1, step=1, count=6, first=4),
    "segment_empty": frame(3, element_type=1, operation=1, sequence=1),
    "failure": frame(4, b"\x4anode 2 (127.0.0.1:4444): closed the connection; the node is lost"),
    "cbor_map": b"\xa1\x64rank\x03",
    "hello_payload": hello(2, 0, 0, 2, 0, 1, 0),
    "other_protocol": b"GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n",
}

for name, content in SEEDS.items():
    (CORPUS / name).write_bytes(content)
